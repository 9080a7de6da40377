// Searches the lines of files in small steps, so that the page stays responsive.

import type { FileLines } from "./file-lines.ts";
import { hitsOf, shownLine } from "./line-spans.ts";

export interface FoundLine {
  readonly file: number;
  readonly line: number;
}

const SLICE_LINES = 5_000;

/** Lines that contain the query, as stored or as shown. Lower-case letters also match upper case. */
export function* findLines(file: FileLines, query: string): Generator<number | null> {
  for (const [at, { text }] of file.lines.entries()) {
    if (at > 0 && at % SLICE_LINES === 0) yield null;
    if (isIn(text, query)) yield at;
  }
}

const LONGEST = 20_000;

function isIn(text: string, query: string): boolean {
  if (hitsOf(text, query).length > 0) return true;
  if (/^[ -~]*$/.test(text) || text.length > LONGEST) return false;
  return hitsOf(shownLine(text), query).length > 0;
}

/** The piece of the line in which the first match begins. */
export function pieceOfHit(file: FileLines | null, line: number, query: string): number {
  const cuts = file?.cuts.get(line) ?? [];
  const at = cuts.length === 0 || query === "" ? 0 : (hitsOf(file?.lines[line]?.text ?? "", query)[0]?.[0] ?? 0);
  return cuts.filter((cut) => cut <= at).length;
}
