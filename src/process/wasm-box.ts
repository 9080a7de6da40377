// The box of a browser: a page of an opaque origin without network, in which each run has a fresh worker that is ended after it.
// This is the contract between the gate, which hands in files and takes out changes, and whoever holds that page.
// Invariant: a run gets bytes and gives back bytes. It never gets a handle, a port of the gate, or a token.

import type { OutputStream } from "./starter.ts";

/** The interpreters that a browser brings. */
export type WasmProgram = "bash" | "python";

/** A file or a link of the workspace. `path` is absolute, below /workspace. */
export interface BoxFile {
  readonly path: string;
  readonly executable: boolean;
  /** A link's target; null for a file, which then has `bytes`. */
  readonly target: string | null;
  readonly bytes: Uint8Array;
}

export interface BoxTask {
  readonly program: WasmProgram;
  readonly text: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Null: standard input is empty. */
  readonly stdin: string | null;
  readonly timeoutMs: number;
  /** What is shown of /workspace: all of it. */
  readonly files: readonly BoxFile[];
  /** The most that a run may hand back of changed files, in bytes. */
  readonly changedBytes: number;
}

/** What a run left in /workspace, compared with the files that it was given. */
export type BoxChange =
  | ({ readonly kind: "file" } & BoxFile)
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "removed"; readonly path: string };

export interface BoxEnd {
  /** Null if the worker was ended before the program ended. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** Why nothing ran, or why the worker broke, in one line; null otherwise. */
  readonly problem: string | null;
  readonly changes: readonly BoxChange[];
  /** Changed files that were too large to hand back, or are neither file nor link. */
  readonly notKept: readonly { readonly path: string; readonly reason: string }[];
}

export interface BoxRunListener {
  readonly onOutput: (stream: OutputStream, chunk: Uint8Array) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface WasmBox {
  /** Never rejects. Runs take turns if the holder has one worker at a time. */
  run(task: BoxTask, listener: BoxRunListener): Promise<BoxEnd>;
}
