// A client's session: a gate, the tools it offers, and what its worker wants in the workspace before anything else.
// Invariant: it is closed when its calls have ended, so that their end is on record.

import { autoPull, type PullListener } from "../runtime/auto-pull.ts";
import type { Gate } from "../runtime/gate.ts";
import { offeredTools, type OfferedTool } from "../runtime/offered-tools.ts";

export interface OpenSession {
  readonly gate: Gate;
  readonly tools: readonly OfferedTool[];
  /** What the worker pulls at the start is there, or was refused. */
  readonly ready: Promise<void>;
  /** Closing waits for it. */
  track<T>(work: Promise<T>): Promise<T>;
  isBusy(): boolean;
  /** Whoever closes it has cancelled what runs. */
  close(): Promise<void>;
}

export function openSession(gate: Gate, onPull: PullListener): OpenSession {
  const leaving = new AbortController();
  const running = new Set<Promise<unknown>>();
  const track = async <T>(work: Promise<T>): Promise<T> => {
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
    }
  };
  return {
    gate,
    tools: offeredTools(gate),
    ready: track(pullFirst(gate, onPull, leaving.signal)),
    track,
    isBusy: () => running.size > 0,
    async close() {
      leaving.abort();
      await Promise.allSettled(running);
      gate.close();
      await gate.closed;
    },
  };
}

async function pullFirst(gate: Gate, onPull: PullListener, signal: AbortSignal): Promise<void> {
  if (gate.worker !== null) await autoPull(gate, gate.worker, onPull, { signal });
}
