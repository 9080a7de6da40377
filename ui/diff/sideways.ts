// Lines wider than their pane: which part of one is in view, measured where it is drawn, and the sign that it goes on.

/** In pixels from where the rows begin: the text of a row, and what of the row is in view. */
export interface Across {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

/** What the sign at the right edge stands over; diff.css says the same. */
const SIGN_WIDTH = 16;
const OVERLAP = 40;
/** What is less than this apart is in the same place: the browser rounds. */
export const NEAR = 2;

/** By line and piece, as `3:0`, those of a file that are not in view whole from left to right. */
export function widePieces(file: Element | null | undefined): Map<string, Across> {
  const wide = new Map<string, Across>();
  const panes = [...(file?.querySelectorAll(".diff-pane") ?? [])];
  for (const [row, across] of panes.flatMap((pane) => [...measureRows(pane)])) {
    const { line, piece } = row.dataset;
    if (across.end > across.to + NEAR || across.from > across.start + NEAR) wide.set(`${line}:${piece}`, across);
  }
  return wide;
}

/** Puts the sign where a line goes on beyond the right edge. */
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
    // The numbers stay at the left edge, over the text.
    const across = { start, end, from: scrollLeft + start, to: end > right + NEAR ? right - SIGN_WIDTH : right };
    yield [code.parentElement as HTMLElement, across];
  }
}

/** Moves a file's panes so that what is this far right of where the text begins comes next. */
export function moveAcross(file: Element | null, across: number): void {
  for (const pane of file?.querySelectorAll(".diff-pane") ?? []) pane.scrollLeft = Math.max(0, across - OVERLAP);
}
