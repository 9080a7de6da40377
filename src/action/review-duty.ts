// What a person has to have looked at before they say yes: one rule for the terminal and the page.
// Invariant: what is not on a screen was not looked at, whatever was said instead of it.

import { displayName } from "../shared/odd-name.ts";
import type { DiffFile } from "./diff-file.ts";

type Facts = Pick<DiffFile, "path" | "newMode" | "isBinary" | "isTooLarge" | "warned">;

export interface Reviewed {
  readonly file: Facts;
  readonly isSeen: boolean;
}

/**
 * SECURITY(T38): what matters and was not looked at. A yes waits for it, or for a person who says that they have not
 * looked. That is what a warning is about, and what would land and is not plain text that was compared.
 */
export function unseenThatMatters(reviewed: readonly Reviewed[]): readonly Facts[] {
  const files = reviewed.filter(({ file, isSeen }) => !isSeen && matters(file));
  // A file in parts is one file.
  return [...new Map(files.map(({ file }) => [file.path, file])).values()];
}

function matters({ newMode, isBinary, isTooLarge, warned = [] }: Facts): boolean {
  return warned.length > 0 || (newMode !== null && (isBinary || isTooLarge));
}

/** Content comes in by it: where no line of that is shown, what is said instead is not enough. */
export function landsContent({
  newMode,
  newBytes,
  oldId,
  newId,
}: Pick<DiffFile, "newMode" | "newBytes" | "oldId" | "newId">): boolean {
  return newMode !== null && newBytes > 0 && oldId !== newId;
}

const NAMED = 3;

/** `run.sh (it is a program and not text) and 2 more`: safe for a screen. */
export function nameUnseen(files: readonly Facts[]): string {
  const names = files.slice(0, NAMED).map((file) => {
    const why = file.warned?.[0] ?? (file.isBinary ? "not text" : "too large to be compared");
    return `${displayName(file.path)} (${why})`;
  });
  const rest = files.length - names.length;
  return `${names.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
