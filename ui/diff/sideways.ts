// Lines wider than their pane: measures which part of one is in view, and marks lines that continue.

/** In pixels from the left of the rows: `start` and `end` of the text, and the range of the row that is in view. */
export interface Across {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

/** The width that the sign at the right edge covers; diff.css has the same value. */
const SIGN_WIDTH = 16;
const OVERLAP = 40;
/** Smaller differences are rounding of the browser. */
export const NEAR = 2;

/** The pieces of a file that are not completely in view from left to right, by line and piece, such as `3:0`. */
export function widePieces(file: Element | null | undefined): Map<string, Across> {
  const wide = new Map<string, Across>();
  const panes = [...(file?.querySelectorAll(".diff-pane") ?? [])];
  for (const [row, across] of panes.flatMap((pane) => [...measureRows(pane)])) {
    const { line, piece } = row.dataset;
    if (across.end > across.to + NEAR || across.from > across.start + NEAR) wide.set(`${line}:${piece}`, across);
  }
  return wide;
}

/** Marks the lines that continue beyond the right edge. */
export function markWide(pane: Element): void {
  const on = new Set<Element>();
  for (const [row, { end, to }] of measureRows(pane)) if (end > to + NEAR) on.add(row);
  for (const row of pane.querySelectorAll("[data-goes-on]")) if (!on.has(row)) row.removeAttribute("data-goes-on");
  for (const row of on) row.setAttribute("data-goes-on", "");
}

function* measureRows(pane: Element): Generator<readonly [row: HTMLElement, across: Across]> {
  const { scrollLeft, clientWidth, scrollWidth } = pane;
  if (scrollWidth <= clientWidth) return;
  for (const code of pane.querySelectorAll<HTMLElement>("[data-line] > .diff-code")) {
    const start = code.offsetLeft;
    const end = start + code.offsetWidth;
    const right = scrollLeft + clientWidth;
    // The line numbers stay at the left edge and cover the text.
    const across = { start, end, from: scrollLeft + start, to: end > right + NEAR ? right - SIGN_WIDTH : right };
    yield [code.parentElement as HTMLElement, across];
  }
}

/** Scrolls a file's panes so that the text at `across` pixels comes into view. */
export function moveAcross(file: Element | null, across: number): void {
  for (const pane of file?.querySelectorAll(".diff-pane") ?? []) pane.scrollLeft = Math.max(0, across - OVERLAP);
}
