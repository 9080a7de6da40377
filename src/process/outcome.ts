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

export type LimitHit = "cpu" | "memory" | "fsize" | "nofile" | "nproc" | "output" | "disk";

/** A file that was made during the run where it must not be, and was moved away. */
export interface Quarantined {
  readonly path: string;
  readonly movedTo: string;
}

/** Why something that a call made cannot be kept: what kind of file it is, its name, its size, or how deep it lies. */
export type SpecialKind = "not_a_file" | "name" | "size" | "depth";

/** Paths are relative to the workspace, with `/` between names; they can hold control characters, and were judged by nobody. */
export type RunTreeChange =
  /** Like a link, it takes the place of whatever had this name, a directory included. */
  | { readonly kind: "file"; readonly path: string; readonly bytes: Uint8Array; readonly executable: boolean }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  /** The file, link or directory of this name is gone, with all that was in it. */
  | { readonly kind: "gone"; readonly path: string }
  /** A new directory: whatever had this name, with all that was in it, is gone. What it holds now follows. */
  | { readonly kind: "emptied"; readonly path: string }
  /** It is there, and nothing in it says so. */
  | { readonly kind: "directory"; readonly path: string }
  /** Takes the place of what had this name, and cannot be kept. */
  | { readonly kind: "special"; readonly path: string; readonly what: SpecialKind };

/** What a call changed in a workspace in memory. A file that was opened for writing is listed even if its bytes are the same. */
export interface RunTreeChanges {
  /** False when the list breaks off: there were more changes, and they are lost. */
  readonly isComplete: boolean;
  readonly changes: readonly RunTreeChange[];
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
  /** null: the call had no workspace in memory. */
  readonly changes: RunTreeChanges | null;
}
