// The position of each file in a long page of files, and which files are in view.
// Invariant: files in view are found without checking every file.

/** In pixels; diff.css has the same values. */
export const ROW_HEIGHT = 20;
export const HEADER_HEIGHT = 40;
export const NARROW_HEADER_HEIGHT = 60;
export const NOTE_HEIGHT = 56;
export const PICTURE_HEIGHT = 360;
/** The horizontal scroll bar and the edge. They are below the rows, and stay in view over the last visible ones. */
export const FOOT_HEIGHT = 14;
export const GAP_HEIGHT = 14;

/** The top of each file, and the end of the last. */
export function topsOf(heights: readonly number[]): Float64Array {
  const tops = new Float64Array(heights.length + 1);
  for (const [at, height] of heights.entries()) tops[at + 1] = (tops[at] as number) + height;
  return tops;
}

/** The file at this position; the first or last if it is above or below all files. */
export function fileAt(tops: Float64Array, position: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] as number) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** `to` is exclusive. */
export type Span = readonly [from: number, to: number];
