// What native/keeper says about the project since a draft copied it, and the memory of the last look: DRAFT/seen has the facts about each
// file, DRAFT/looked the last answer.
// Invariant: to look takes a small part of the time, however many files there are and however many gates look.

import { writeFileSync } from "node:fs";
import { readPlainFile } from "../process/plain-file.ts";
import { tryNote } from "./draft-use.ts";

export interface ComparedProject {
  /** The first ones. */
  readonly changed: readonly { readonly path: string; readonly status: "modified" | "deleted" }[];
  /** All of them. */
  readonly changedCount: number;
  /** Names that the draft did not find when it began. git may ignore them. The first ones. */
  readonly unknown: readonly { readonly path: string; readonly isDirectory: boolean }[];
  readonly tookMs: number;
}

/** Null if there is nothing to compare with, or the project is gone: then it has no last line. */
export function readCompareResult(printed: string): ComparedProject | null {
  const words = printed.split("\0");
  const end = /^changed (\d+) new \d+ took (\d+)\n$/.exec(words.pop() ?? "");
  if (end === null) return null;
  // A name that is not UTF-8 is not in a draft.
  const named = words.filter((word) => !word.includes("\ufffd")).map((word) => [word[0], word.slice(1)] as const);
  return {
    changed: named.flatMap(([kind = "", path]) =>
      "cd".includes(kind) ? [{ path, status: kind === "c" ? "modified" : "deleted" }] : [],
    ),
    changedCount: Number(end[1]),
    unknown: named.flatMap(([kind = "", path]) => ("nN".includes(kind) ? [{ path, isDirectory: kind === "N" }] : [])),
    tookMs: Number(end[2]) / 1000,
  };
}

/** A look that took a millisecond is good for this many. */
export const lookPause = 25;
const LOOKED_BYTES = 16 << 20;

interface Looked<T> {
  /** Of the repository. In another one, what was found does not count. */
  readonly state: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly tookMs: number;
  readonly found: T;
}

/** What was found at the last look, if that was not long ago, in the same state. Undefined if it is time to look. */
export function recentLook<T>(directory: string, state: string, nowMs: number): T | undefined {
  try {
    const text = readPlainFile(`${directory}/looked`, LOOKED_BYTES)?.toString("utf8");
    const last = JSON.parse(text ?? "{}") as Looked<T>;
    const isRecent = last.at <= nowMs && nowMs < last.at + lookPause * last.tookMs;
    return isRecent && last.state === state ? last.found : undefined;
  } catch {
    return undefined; // another gate is writing it
  }
}

export function rememberLook<T>(directory: string, looked: Looked<T>): void {
  tryNote(() => writeFileSync(`${directory}/looked`, JSON.stringify(looked), { mode: 0o600 }));
}
