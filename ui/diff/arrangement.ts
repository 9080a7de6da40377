// How the diff is laid out on this screen, and what changes with the layout.

import type { DiffMode } from "./rows.ts";

export interface Arrangement {
  readonly mode: DiffMode;
  readonly isNarrow: boolean;
  readonly isWrapped: boolean;
  /** The width of the view and of one character of code, in pixels. */
  readonly width: number;
  readonly cell: number;
}

/** True if notes about which part of a line was in view stay valid. */
export function isSameShape(a: Arrangement, b: Arrangement): boolean {
  return isSameHeight(a, b) && isSameWidth(a, b);
}

/** True if every row keeps its position and height. */
export function isSameHeight(a: Arrangement, b: Arrangement): boolean {
  const isSameWrap = a.isWrapped === b.isWrapped && (!b.isWrapped || isSameWidth(a, b));
  return isSameWrap && a.mode === b.mode && a.isNarrow === b.isNarrow;
}

function isSameWidth(a: Arrangement, b: Arrangement): boolean {
  return a.width === b.width && a.cell === b.cell;
}
