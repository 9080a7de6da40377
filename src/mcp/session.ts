// A client's session: a gate, the tools it offers, and what its worker wants in the workspace before anything else.

import { autoPull, type AutoPulled } from "../runtime/auto-pull.ts";
import type { Gate } from "../runtime/gate.ts";
import { offeredTools, type OfferedTool } from "../runtime/offered-tools.ts";

export interface OpenSession {
  readonly gate: Gate;
  readonly tools: readonly OfferedTool[];
  /** What the worker pulls at the start is there, or was refused. */
  readonly ready: Promise<void>;
  close(): void;
}

export function openSession(gate: Gate, told: (pulled: AutoPulled) => void): OpenSession {
  const done = new AbortController();
  const ready = pullFirst(gate, told, done.signal);
  return {
    gate,
    tools: offeredTools(gate),
    ready,
    close() {
      done.abort();
      void ready.finally(() => gate.close());
    },
  };
}

async function pullFirst(gate: Gate, told: (pulled: AutoPulled) => void, signal: AbortSignal): Promise<void> {
  if (gate.worker !== null) await autoPull(gate, gate.worker, (_done, _total, pulled) => told(pulled), { signal });
}
