// Reports once for each file that all of it has been on the screen: every line to its end. A file that shows a note instead of
// lines counts once the note was on the screen, if no content would land.
// Invariant: text that is cut off, beyond the right edge, or skipped by a jump does not count as seen.

import { landsContent } from "../../src/action/review-duty.ts";
import type { FileView } from "../../src/web/api.ts";
import { Covered } from "./covered.ts";
import type { Insertion } from "./context.ts";
import type { DiffState } from "./diff-state.ts";
import { type FileLines, lineOfPiece, pieceCount } from "./file-lines.ts";
import { fileAt, FOOT_HEIGHT, ROW_HEIGHT } from "./layout.ts";
import type { ReadingPlace } from "./reading-place.ts";
import { SeenPieces } from "./seen-pieces.ts";
import { type Across, NEAR } from "./sideways.ts";

/** Why a line that was on the screen does not count as seen: the rest of it is not shown, or is further to the right. */
export interface Unseen {
  readonly line: number;
  readonly is: "cut" | "wide";
}

/** A position that was not on the screen. `across` is how far to the right it is, in pixels of its pane. */
export interface UnseenPlace extends ReadingPlace {
  readonly across: number;
}

interface FileSeen {
  readonly pieces: SeenPieces;
  /** For pieces higher or wider than the screen: the rows and the pixels that were in view. */
  readonly down: Map<number, Covered>;
  readonly across: Map<number, { readonly covered: Covered; readonly start: number }>;
}

export class SeenFiles {
  readonly #state: DiffState;
  readonly #onSeen: (n: number) => void;
  readonly #files = new Map<number, FileSeen>();
  readonly #reported = new Set<number>();
  readonly #why = new Map<number, Unseen>();
  #shape = 0;

  constructor(state: DiffState, onSeen: (n: number) => void) {
    this.#state = state;
    this.#onSeen = onSeen;
  }

  /** The number of files that are not completely seen. */
  get left(): number {
    return this.#state.files.length - this.#reported.size;
  }

  why(n: number): Unseen | null {
    return this.#why.get(n) ?? null;
  }

  /**
   * Notes that the range from `top` to `bottom` is on the screen, in pixels from the top of the first file. `wide` returns
   * the pieces of a file that are not in view from left to right (see sideways.ts). Returns whether the notes about a file
   * changed.
   */
  look(top: number, bottom: number, wide: (n: number) => ReadonlyMap<string, Across>): boolean {
    const { tops, files, shape } = this.#state;
    if (files.length === 0 || bottom <= top) return false;
    if (shape !== this.#shape) for (const seen of this.#files.values()) forgetParts(seen);
    this.#shape = shape;
    let isOther = false;
    const last = fileAt(tops, bottom);
    for (let n = fileAt(tops, top); n <= last; n += 1) {
      if (this.#reported.has(n) || this.#state.isFolded(n)) continue;
      const isSeen = this.#isSeen(n, top, bottom, wide);
      const [before, now] = [this.why(n), isSeen ? null : this.#reason(n)];
      if (now === null) this.#why.delete(n);
      else this.#why.set(n, now);
      isOther ||= isSeen || before?.line !== now?.line || before?.is !== now?.is;
      if (!isSeen) continue;
      this.#reported.add(n);
      this.#onSeen(n);
    }
    return isOther;
  }

  /** Called after the lines were inserted into the file. */
  insert({ file: n, at, count }: Insertion): void {
    const [seen, lines] = [this.#files.get(n), this.#state.lines(n)];
    if (seen === undefined || lines === null) return;
    const from = lines.pieceFrom[at] as number;
    seen.pieces.insert(from, (lines.pieceFrom[at + count] as number) - from);
    forgetParts(seen);
    this.#why.delete(n);
  }

  /** The next position that was not on the screen, in this file or after it, then from the first file on. Null if all was seen. */
  next(from: number): UnseenPlace | null {
    const { files } = this.#state;
    for (let step = 0; step < files.length; step += 1) {
      const n = (from + step) % files.length;
      if (!this.#reported.has(n)) return this.#placeIn(n);
    }
    return null;
  }

  #placeIn(n: number): UnseenPlace {
    const [seen, lines] = [this.#files.get(n), this.#state.lines(n)];
    const left = seen?.pieces.firstLeft ?? -1;
    if (seen === undefined || lines === null || left < 0) return { file: n, line: null, below: 0, across: 0 };
    const line = lineOfPiece(lines, left);
    const down = seen.down.get(left)?.upTo(0) ?? 0;
    const across = seen.across.get(left);
    return {
      file: n,
      line,
      piece: left - (lines.pieceFrom[line] as number),
      below: down * ROW_HEIGHT - this.#state.headerHeight,
      across: across === undefined ? 0 : across.covered.upTo(across.start) - across.start,
    };
  }

  #isSeen(n: number, top: number, bottom: number, wide: (n: number) => ReadonlyMap<string, Across>): boolean {
    const state = this.#state;
    const start = (state.tops[n] as number) + state.rowsStart(n);
    const file = state.files[n] as FileView;
    if (file.lines === 0) {
      // SECURITY(T38): a note in place of content that would land does not count as seen, nor does a picture that was not drawn.
      const isAll = !landsContent(file) || (file.isPicture && state.isPictureShown(n));
      return isAll && start <= bottom && start > top;
    }
    const [rows, lines] = [state.rows(n), state.lines(n)];
    if (rows === null || lines === null) return false;
    const seen = this.#files.get(n) ?? newSeen(lines);
    this.#files.set(n, seen);
    // The file's header covers the first rows in view, and the horizontal scroll bar covers the last.
    const from = top + state.headerHeight - start;
    const to = bottom - (state.columns(n) === null ? FOOT_HEIGHT : 0) - start;
    const rowTops = state.rowTops(n);
    const wideHere = wide(n);
    const [first, end] = rowTops.between(from, to);
    for (let row = first; row < end; row += 1) {
      const rowTop = rowTops.top(row);
      const piece = rows.piece[row] as number;
      for (const line of new Set([rows.left[row] as number, rows.right[row] as number])) {
        const id = line < 0 ? -1 : (lines.pieceFrom[line] as number) + piece;
        if (id < 0 || seen.pieces.has(id)) continue;
        const isDown = lookDown(seen, id, rowTops.heightOf(row), from - rowTop, to - rowTop);
        const isAcross = isDown !== "not" && lookAcross(seen, id, wideHere.get(`${line}:${piece}`));
        if (isDown === "all" && isAcross) seen.pieces.mark(id);
      }
    }
    return seen.pieces.isAll;
  }

  /** The first line that was partly on the screen and whose rest will not appear by scrolling down. */
  #reason(n: number): Unseen | null {
    const [seen, lines] = [this.#files.get(n), this.#state.lines(n)];
    if (seen === undefined || lines === null) return null;
    let line = Number.POSITIVE_INFINITY;
    let is: Unseen["is"] = "cut";
    for (const at of lines.cuts.keys()) {
      const last = this.#state.shownPieces(n, at) - 1;
      if (last >= pieceCount(lines, at) - 1 || !seen.pieces.has((lines.pieceFrom[at] as number) + last)) continue;
      line = at;
      break;
    }
    for (const piece of seen.across.keys()) {
      const at = lineOfPiece(lines, piece);
      if (at < line) [line, is] = [at, "wide"];
    }
    return line < lines.lines.length ? { line, is } : null;
  }
}

function newSeen({ pieceFrom }: FileLines): FileSeen {
  return { pieces: new SeenPieces(pieceFrom.at(-1) as number), down: new Map(), across: new Map() };
}

function forgetParts({ down, across }: FileSeen): void {
  down.clear();
  across.clear();
}

/** How much of the piece was in view from top to bottom. Half of a row counts as seen. */
function lookDown(seen: FileSeen, id: number, height: number, from: number, to: number): "all" | "part" | "not" {
  const count = height / ROW_HEIGHT;
  const first = Math.max(0, Math.ceil(from / ROW_HEIGHT - 0.5));
  const end = Math.min(count, Math.floor(to / ROW_HEIGHT + 0.5));
  if (end <= first) return "not";
  if (first === 0 && end === count) return "all";
  const covered = seen.down.get(id) ?? new Covered();
  seen.down.set(id, covered);
  covered.add(first, end);
  return covered.upTo(0) >= count ? "all" : "part";
}

function lookAcross(seen: FileSeen, id: number, across: Across | undefined): boolean {
  const known = seen.across.get(id);
  if (across === undefined) {
    seen.across.delete(id);
    return true;
  }
  const { covered } = known ?? { covered: new Covered() };
  covered.add(across.from - NEAR, across.to);
  const isAll = covered.upTo(across.start) >= across.end - NEAR;
  if (isAll) seen.across.delete(id);
  else seen.across.set(id, { covered, start: across.start });
  return isAll;
}
