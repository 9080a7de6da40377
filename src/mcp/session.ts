// A client's session: a gate, the tools that it offers, and the files that the worker pulls into the workspace first.
// Invariant: the session closes after its calls have ended, so that their end is in the record.

import { autoPull, type PullListener } from "../runtime/auto-pull.ts";
import type { Gate } from "../runtime/session-gate.ts";
import { offeredTools, type OfferedTool } from "../runtime/offered-tools.ts";
import { listedTools } from "../runtime/listed-tools.ts";

export interface OpenSession {
  readonly gate: Gate;
  readonly tools: readonly OfferedTool[];
  /** Resolves when each pull at the start has succeeded or was refused. */
  readonly ready: Promise<void>;
  /** `close` waits for this work. */
  track<T>(work: Promise<T>): Promise<T>;
  isBusy(): boolean;
  /** The caller has cancelled the running calls. */
  close(): Promise<void>;
}

/** `onPull`: null if the session has its files already. */
export function openSession(gate: Gate, onPull: PullListener | null): OpenSession {
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
    tools: listedTools(offeredTools(gate)),
    ready: onPull === null ? Promise.resolve() : track(pullFirst(gate, onPull, leaving.signal)),
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
