// Compares two sequences of numbers by Myers' algorithm in linear space. The result is minimal if they differ a little. If a box
// (a pair of ranges) differs too much, the search stops early and takes the furthest point it reached. That result is coarser
// but still correct, and the cost grows with the length, not with its square.

export interface SequenceDiff {
  /** 1 for each element of the old sequence that was removed. */
  readonly removed: Uint8Array;
  /** 1 for each element of the new sequence that was added. */
  readonly added: Uint8Array;
}

type Box = readonly [oldFrom: number, oldTo: number, newFrom: number, newTo: number];

const STEPS_TOTAL = 40_000_000;
const DEPTH_MIN = 24;
const DEPTH_MAX = 1_024;

/** Each element is a number from 0 up to but not including `kinds`. Equal numbers are equal elements. */
export function diffSequences(old: Int32Array, now: Int32Array, kinds: number): SequenceDiff {
  const removed = new Uint8Array(old.length);
  const added = new Uint8Array(now.length);
  // An element that only one side has is changed in any case. Without such elements the rest is often short, and often equal.
  const keptOld = keepShared(old, now, kinds, removed);
  const keptNew = keepShared(now, old, kinds, added);
  const left = Int32Array.from(keptOld, (index) => old[index] as number);
  const right = Int32Array.from(keptNew, (index) => now[index] as number);
  new Search(left, right).run(
    (index) => (removed[keptOld[index] as number] = 1),
    (index) => (added[keptNew[index] as number] = 1),
  );
  return { removed, added };
}

function keepShared(side: Int32Array, other: Int32Array, kinds: number, changed: Uint8Array): Int32Array {
  const isInOther = new Uint8Array(kinds);
  for (const element of other) isInOther[element] = 1;
  const kept = new Int32Array(side.length);
  let count = 0;
  side.forEach((element, index) => {
    if (isInOther[element] === 1) kept[count++] = index;
    else changed[index] = 1;
  });
  return kept.subarray(0, count);
}

class Search {
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  // For each diagonal (left minus right), the furthest index on the left that was reached from the start and from the end.
  readonly #forward: Int32Array;
  readonly #backward: Int32Array;
  readonly #origin: number;
  readonly #depth: number;

  constructor(left: Int32Array, right: Int32Array) {
    this.#left = left;
    this.#right = right;
    const size = left.length + right.length;
    this.#forward = new Int32Array(size + 5);
    this.#backward = new Int32Array(size + 5);
    this.#origin = right.length + 2;
    this.#depth = Math.max(DEPTH_MIN, Math.min(DEPTH_MAX, Math.floor(STEPS_TOTAL / (size + 1))));
  }

  run(remove: (index: number) => void, add: (index: number) => void): void {
    const boxes: Box[] = [[0, this.#left.length, 0, this.#right.length]];
    for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
      const [a, b, c, d] = this.#trim(box);
      if (a === b) for (let index = c; index < d; index += 1) add(index);
      else if (c === d) for (let index = a; index < b; index += 1) remove(index);
      else {
        const [x, y] = this.#split(a, b, c, d);
        boxes.push([x, b, y, d], [a, x, c, y]);
      }
    }
  }

  #trim([oldFrom, oldTo, newFrom, newTo]: Box): Box {
    let [a, b, c, d] = [oldFrom, oldTo, newFrom, newTo];
    while (a < b && c < d && this.#left[a] === this.#right[c]) {
      a += 1;
      c += 1;
    }
    while (a < b && c < d && this.#left[b - 1] === this.#right[d - 1]) {
      b -= 1;
      d -= 1;
    }
    return [a, b, c, d];
  }

  /**
   * A point on a shortest path through the box, or on a good path if the depth limit is reached. Never a corner that leaves the
   * whole box.
   */
  #split(a: number, b: number, c: number, d: number): readonly [number, number] {
    const left = this.#left;
    const right = this.#right;
    const forward = this.#forward;
    const backward = this.#backward;
    const origin = this.#origin;
    const lowest = a - d;
    const highest = b - c;
    const start = a - c;
    const end = b - d;
    const isOdd = ((start - end) & 1) !== 0;
    let [fMin, fMax, bMin, bMax] = [start, start, end, end];
    forward[origin + start] = a;
    backward[origin + end] = b;
    for (let depth = 1; ; depth += 1) {
      // One more step from the start. A diagonal outside the box gets a value that no neighbour prefers.
      if (fMin > lowest) forward[origin + --fMin - 1] = -1;
      else fMin += 1;
      if (fMax < highest) forward[origin + ++fMax + 1] = -1;
      else fMax -= 1;
      for (let k = fMax; k >= fMin; k -= 2) {
        const below = forward[origin + k - 1] as number;
        const above = forward[origin + k + 1] as number;
        let x = below >= above ? below + 1 : above;
        while (x < b && x - k < d && left[x] === right[x - k]) x += 1;
        forward[origin + k] = x;
        if (isOdd && bMin <= k && k <= bMax && (backward[origin + k] as number) <= x) return [x, x - k];
      }
      if (bMin > lowest) backward[origin + --bMin - 1] = b + 1;
      else bMin += 1;
      if (bMax < highest) backward[origin + ++bMax + 1] = b + 1;
      else bMax -= 1;
      for (let k = bMax; k >= bMin; k -= 2) {
        const below = backward[origin + k - 1] as number;
        const above = backward[origin + k + 1] as number;
        let x = below < above ? below : above - 1;
        while (x > a && x - k > c && left[x - 1] === right[x - k - 1]) x -= 1;
        backward[origin + k] = x;
        if (!isOdd && fMin <= k && k <= fMax && x <= (forward[origin + k] as number)) return [x, x - k];
      }
      if (depth >= this.#depth) return this.#furthest([a, b, c, d], [fMin, fMax, bMin, bMax]);
    }
  }

  #furthest([a, b, c, d]: Box, [fMin, fMax, bMin, bMax]: Box): readonly [number, number] {
    let best: readonly [number, number] = [a, c];
    let most = -1;
    for (let k = fMax; k >= fMin; k -= 2) {
      const x = Math.min(this.#forward[this.#origin + k] as number, b, d + k);
      if (x < a || x - k < c) continue;
      if (x - a + (x - k - c) > most) {
        most = x - a + (x - k - c);
        best = [x, x - k];
      }
    }
    for (let k = bMax; k >= bMin; k -= 2) {
      const x = Math.max(this.#backward[this.#origin + k] as number, a, c + k);
      if (x > b || x - k > d) continue;
      if (b - x + (d - (x - k)) > most) {
        most = b - x + (d - (x - k));
        best = [x, x - k];
      }
    }
    const isCorner = (best[0] === a && best[1] === c) || (best[0] === b && best[1] === d);
    return isCorner ? [b, c] : best;
  }
}
