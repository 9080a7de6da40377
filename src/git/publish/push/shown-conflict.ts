// Both sides of a conflict, for the person who lands a session.
// Invariant: it has text of the target, which the agent may not be allowed to read. So it never goes into a Failure, a reply or the record,
// and only a gate that a person has opened asks for it.

import { mergeLines } from "../merge-lines.ts";
import { decodeText, encodeText, looksBinary, textEncoding } from "../text-content.ts";
import { byteText } from "../tree-entry.ts";

export interface ConflictFile {
  readonly path: string;
  readonly reason: string;
  /** The lines of the target after "-", those of the commit after "+". Empty if a side is not text. */
  readonly sides: string;
}

export interface ShownConflict {
  /** Its id and subject. */
  readonly commit: string;
  /** The first ones. */
  readonly files: readonly ConflictFile[];
}

const MOST_CHARACTERS = 4_000;

/** A side that does not exist is empty. */
export function conflictSides(before: Uint8Array, target: Uint8Array, commit: Uint8Array): string {
  const all = [before, target, commit] as const;
  if (all.some(looksBinary)) return "";
  const [base, ours, theirs] = all.map(byteText) as [string, string, string];
  const { sides } = mergeLines(base, ours, theirs, { ours: "target", theirs: "commit" });
  const text = sides
    .map((side) => `near line ${side.line}:\n${marked("-", side.ours)}${marked("+", side.theirs)}`)
    .join("");
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}\n(and more)\n`;
}

function marked(mark: string, lines: readonly string[]): string {
  return lines.map((line) => `${mark}${readable(line).replace(/\r?\n$/, "")}\n`).join("");
}

function readable(line: string): string {
  const bytes = encodeText(line, "latin1");
  return decodeText(bytes, textEncoding(bytes));
}
