// How a run ended: always a value. A program that says 1, or runs into a limit, is an Outcome and not our error.

import type { CapturedOutput } from "./output.ts";

export type Held = "kernel" | "runtime" | "no";

/** What held for this call on this machine: by the kernel, by the gate or per-process limits, or not at all. */
export interface Enforced {
  readonly filesystem: Held;
  readonly network: Held;
  readonly processes: Held;
  readonly memory: Held;
  readonly cpu: Held;
  readonly wall_clock: Held;
  readonly environment: Held;
  readonly syscalls: Held;
}

export type LimitHit = "cpu" | "memory" | "fsize" | "nofile" | "nproc" | "output";

/** A file that was made during the run where it must not be, and was moved away. */
export interface Quarantined {
  readonly path: string;
  readonly movedTo: string;
}

export interface Outcome {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  readonly durationMs: number;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly limitHit: LimitHit | null;
  readonly enforced: Enforced;
}
