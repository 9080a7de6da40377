// Which rows of a long list have to exist, when all are equally high and only some can be seen.
// Invariant: the answer is never longer than what is in view and the rows kept ready on both sides of it.

export interface WindowContext {
  readonly count: number;
  /** Pixels, more than 0. */
  readonly rowHeight: number;
  /** Where the view begins, in pixels from the top of the list; less than 0 while the list is still below it. */
  readonly viewTop: number;
  readonly viewHeight: number;
  /** Rows kept ready above and below the view. */
  readonly ready: number;
}

/** Rows `first` to `last`, `last` not included. */
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
