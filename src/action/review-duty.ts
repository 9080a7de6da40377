// What a reviewer must have seen before a yes counts: one rule for the terminal and the page.
// Invariant: only what was on the screen counts as seen, whatever a summary said.

import { displayName } from "../shared/odd-name.ts";
import type { DiffFileFacts } from "./diff-file.ts";

export interface Reviewed {
  readonly file: DiffFileFacts;
  readonly isSeen: boolean;
}

/**
 * SECURITY(T38): important parts that the reviewer has not seen. A yes waits until they are seen, or until the reviewer confirms
 * that they did not look. Important is what a warning names, and content that lands without being compared as plain text.
 */
export function unseenThatMatters(reviewed: readonly Reviewed[]): readonly DiffFileFacts[] {
  const files = reviewed.filter(({ file, isSeen }) => !isSeen && matters(file));
  // A file that is shown in parts counts once.
  return [...new Map(files.map(({ file }) => [`${file.commit?.number ?? 0} ${file.path}`, file])).values()];
}

function matters({ newMode, isBinary, isTooLarge, warned = [] }: DiffFileFacts): boolean {
  return warned.length > 0 || (newMode !== null && (isBinary || isTooLarge));
}

/** True if the file brings in content. If no line of that content is shown, a summary is not enough. */
export function landsContent({ newMode, newBytes, oldId, newId }: DiffFileFacts): boolean {
  return newMode !== null && newBytes > 0 && oldId !== newId;
}

const NAMED = 3;

/** `run.sh (it is a program and not text) and 2 more`: safe for a screen. */
export function nameUnseen(files: readonly DiffFileFacts[]): string {
  const names = files.slice(0, NAMED).map((file) => {
    const why = file.warned?.[0] ?? (file.isBinary ? "not text" : "too large to be compared");
    return `${displayName(file.path)} (${why})`;
  });
  const rest = files.length - names.length;
  return `${names.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
