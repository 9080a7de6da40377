// Computes which rows of a long list need elements, if all rows are equally high.
// Invariant: the result never contains more than the rows in view and `ready` rows on both sides.

export interface WindowContext {
  readonly count: number;
  /** Pixels, more than 0. */
  readonly rowHeight: number;
  /** The top of the view in pixels from the top of the list; negative while the list is below it. */
  readonly viewTop: number;
  readonly viewHeight: number;
  /** Rows to draw above and below the view. */
  readonly ready: number;
}

/** Rows `first` to `last`; `last` is exclusive. */
export interface RowWindow {
  readonly first: number;
  readonly last: number;
}

export function rowWindow({ count, rowHeight, viewTop, viewHeight, ready }: WindowContext): RowWindow {
  const first = Math.floor(viewTop / rowHeight) - ready;
  const last = Math.ceil((viewTop + Math.max(0, viewHeight)) / rowHeight) + ready;
  return { first: within(first, count), last: within(last, count) };
}

function within(index: number, count: number): number {
  return Math.min(Math.max(0, index), Math.max(0, count));
}
