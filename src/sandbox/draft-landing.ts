// `landing` in a draft's directory: what a landing in the person's work tree was about to do. It is there only while that landing runs,
// or after its process was killed.

import { rmSync, statSync, writeFileSync } from "node:fs";
import { readPlainFile } from "../process/plain-file.ts";
import { markOfThisProcess, mayBeAtWork } from "../process/process-mark.ts";
import { errorCode } from "../shared/error-code.ts";
import { limits } from "../shared/limits.ts";

export interface BegunDraftLanding {
  /** Part of the names of its temporary files. */
  readonly id: string;
  /** In the order in which the temporary files are numbered. Modes and ids of blobs. */
  readonly files: readonly BegunFile[];
}

export interface BegunFile {
  readonly path: string;
  readonly before: { readonly mode: string; readonly id: string } | null;
  readonly after: { readonly mode: string; readonly id: string } | null;
  /** What the session had: `after` may be merged with the person's file. The id is another hash. */
  readonly session: { readonly mode: string; readonly id: string } | null;
}

const LANDING_BYTES = 64 << 20;

/** False if another process lands this draft, or was killed while it did. */
export function noteDraftLanding(directory: string, begun: BegunDraftLanding): boolean {
  const text = JSON.stringify({ process: markOfThisProcess(), ...begun });
  try {
    writeFileSync(`${directory}/landing`, text, { mode: 0o600, flag: "wx", flush: true });
    return true;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return false;
  }
}

export function forgetDraftLanding(directory: string): void {
  rmSync(`${directory}/landing`, { force: true });
}

/** `in work`: its process lives. Null if there is none. */
export function interruptedLanding(directory: string): BegunDraftLanding | "in work" | null {
  const text = readPlainFile(`${directory}/landing`, LANDING_BYTES)?.toString("utf8");
  if (text === undefined) return null;
  try {
    const { process, id, files } = JSON.parse(text) as BegunDraftLanding & { process: string };
    const sinceMs = statSync(`${directory}/landing`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return mayBeAtWork(process, { sinceMs, mostMs: limits.landingMostMs }) ? "in work" : { id, files };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { id: "", files: [] }; // killed while it was written: nothing had begun
  }
}
