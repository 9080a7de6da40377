// How the diff is laid out on this screen, and what of it changes when that does.

import type { DiffMode } from "./rows.ts";

export interface Arrangement {
  readonly mode: DiffMode;
  readonly isNarrow: boolean;
  readonly isWrapped: boolean;
  /** Of the view, and of one character of code, in pixels. */
  readonly width: number;
  readonly cell: number;
}

/** What was in view of a line still says something. */
export function isSameShape(a: Arrangement, b: Arrangement): boolean {
  return isSameHeight(a, b) && isSameWidth(a, b);
}

/** Every row is where it was, and as high. */
export function isSameHeight(a: Arrangement, b: Arrangement): boolean {
  const isSameWrap = a.isWrapped === b.isWrapped && (!b.isWrapped || isSameWidth(a, b));
  return isSameWrap && a.mode === b.mode && a.isNarrow === b.isNarrow;
}

function isSameWidth(a: Arrangement, b: Arrangement): boolean {
  return a.width === b.width && a.cell === b.cell;
}
