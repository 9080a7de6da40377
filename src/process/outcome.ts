// How a run ended, always as a value. A program that exits with 1 or hits a limit is an Outcome, not an error of the gate.

import type { CapturedOutput } from "./output.ts";

export type Held = "kernel" | "runtime" | "no";

/** What enforced each restriction for this call: the kernel, the gate or per-process limits (`runtime`), or nothing. */
export interface Enforced {
  readonly filesystem: Held;
  /** `hosts`: the gate let through single hosts, and the kernel nothing else. */
  readonly network: Held | "hosts";
  readonly processes: Held;
  readonly memory: Held;
  readonly cpu: Held;
  readonly wall_clock: Held;
  readonly environment: Held;
  readonly syscalls: Held;
}

export type LimitHit = "cpu" | "memory" | "fsize" | "nofile" | "nproc" | "output" | "disk" | "network";

/** Why the gate cannot keep something that a call made: its file type, its name, its size, or its depth. */
export type SpecialKind = "not_a_file" | "name" | "size" | "depth";

/** Paths are relative to the workspace, separated by `/`. They may contain control characters, and nothing has checked them yet. */
export type RunTreeChange =
  /** Like a link, a file replaces whatever had this name, including a directory. */
  | { readonly kind: "file"; readonly path: string; readonly bytes: Uint8Array; readonly executable: boolean }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  /** The file, link or directory of this name was deleted, with everything in it. */
  | { readonly kind: "gone"; readonly path: string }
  /** A new directory that replaces whatever had this name, with everything in it. Its new content follows in the list. */
  | { readonly kind: "emptied"; readonly path: string }
  /** A directory that exists, although no listed path lies in it. */
  | { readonly kind: "directory"; readonly path: string }
  /** Replaces whatever had this name, and cannot be kept. */
  | { readonly kind: "special"; readonly path: string; readonly what: SpecialKind };

/** What a call changed in a workspace in memory. Lists a file that was opened for writing even if its bytes are the same. */
export interface RunTreeChanges {
  /** False if the list is cut off: there were more changes, and they are lost. */
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
  /** What would help, if the gate ended the run and knows it. */
  readonly hint?: string;
  readonly enforced: Enforced;
  /** Null if the call had no workspace in memory. */
  readonly changes: RunTreeChanges | null;
}
