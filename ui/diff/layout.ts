// Where each file stands in a long page of files, and which of them can be seen.
// Invariant: what is in view is found without looking at every file.

/** In pixels; style.css of the diff says the same. */
export const ROW_HEIGHT = 20;
export const HEADER_HEIGHT = 40;
export const NARROW_HEADER_HEIGHT = 60;
export const NOTE_HEIGHT = 56;
export const PICTURE_HEIGHT = 360;
/** Below the rows, and in view over the last of them: the bar that moves them sideways, and the edge. */
export const FOOT_HEIGHT = 14;
export const GAP_HEIGHT = 14;

/** The top of each file, and the end of the last. */
export function topsOf(heights: readonly number[]): Float64Array {
  const tops = new Float64Array(heights.length + 1);
  for (const [at, height] of heights.entries()) tops[at + 1] = (tops[at] as number) + height;
  return tops;
}

/** The file at this place; the first or last where it is above or below all. */
export function fileAt(tops: Float64Array, place: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] as number) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** From, and up to but not with. */
export type Span = readonly [from: number, to: number];
