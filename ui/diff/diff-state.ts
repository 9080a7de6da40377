// The state of the diff view: the files, what is loaded, what is folded, and how it is shown.
// Invariant: the state reports every change once, after the change is complete.

import { encodingNotes } from "../../src/action/diff-facts.ts";
import type { FileHunks, FileView } from "../../src/web/api.ts";
import { type Arrangement, isSameHeight, isSameShape } from "./arrangement.ts";
import { gapAt, type Insertion, movedLine, partOf, type Way, withContext } from "./context.ts";
import { ContextLoader, type LoadContext } from "./context-loader.ts";
import { FileColours } from "./file-colours.ts";
import { type FileLines, fileLines, pieceCount } from "./file-lines.ts";
import { FoldedFiles } from "./folded-files.ts";
import { FileLoader, type FileState } from "./file-loader.ts";
import { Highlighter } from "./highlighter.ts";
import { languageOf } from "./language.ts";
import {
  FOOT_HEIGHT,
  GAP_HEIGHT,
  HEADER_HEIGHT,
  NARROW_HEADER_HEIGHT,
  NOTE_HEIGHT,
  PICTURE_HEIGHT,
  topsOf,
} from "./layout.ts";
import { RowTops } from "./row-tops.ts";
import { type DiffMode, expectedRows, makeRows, type PaneSide, type Rows, sidesOf } from "./rows.ts";
import { columnsBeside, WrappedLines } from "./wrapped-lines.ts";

/** Includes the additional rows of wrapped lines. A file that would exceed it is not wrapped. */
const MOST_WRAPPED_ROWS = 850_000;

export interface DiffStateOptions {
  readonly context?: LoadContext | undefined;
  /** Called before the change is reported. */
  readonly inserted?: (insertion: Insertion) => void;
}

export class DiffState {
  readonly files: readonly FileView[];
  readonly loader: FileLoader;
  /** Null if the lines that the hunks leave out cannot be loaded. */
  readonly context: ContextLoader | null;
  readonly #onChange: () => void;
  readonly #inserted: (insertion: Insertion) => void;
  readonly #highlighter = new Highlighter();
  readonly #folded: FoldedFiles;
  readonly #rows = new Map<number, { readonly mode: DiffMode; readonly rows: Rows }>();
  readonly #colours = new Map<number, FileColours>();
  readonly #pictures = new Set<number>();
  /** Long lines that are shown completely, as file and line. */
  readonly #whole = new Set<string>();
  readonly #versions = new Map<number, number>();
  #tops: Float64Array | null = null;
  readonly #wrapped = new Map<number, WrappedLines | null>();
  readonly #rowTops = new Map<number, RowTops>();
  #arrangement: Arrangement = { mode: "unified", isNarrow: false, isWrapped: false, width: 0, cell: 0 };
  #spareRows = MOST_WRAPPED_ROWS;
  #shape = 0;

  constructor(
    files: readonly FileView[],
    load: (n: number) => Promise<FileHunks>,
    onChange: () => void,
    { context, inserted }: DiffStateOptions = {},
  ) {
    this.files = files;
    this.#onChange = onChange;
    this.#inserted = inserted ?? (() => {});
    this.context = context === undefined ? null : new ContextLoader(context, (n) => this.#change(n, false));
    this.loader = new FileLoader(load, (n) => this.#change(n));
    this.#folded = new FoldedFiles(files);
  }

  stop(): void {
    this.#highlighter.stop();
  }

  get mode(): DiffMode {
    return this.#arrangement.mode;
  }

  get isWrapped(): boolean {
    return this.#arrangement.isWrapped;
  }

  /** A created or deleted file has no other side to show beside it. */
  modeOf(n: number): DiffMode {
    const { oldMode, newMode } = this.#file(n);
    return oldMode === null || newMode === null ? "unified" : this.mode;
  }

  sides(n: number): readonly PaneSide[] {
    return sidesOf(this.#file(n), this.mode);
  }

  /** Called during rendering, so it reports no change. */
  arrange(next: Arrangement): void {
    const now = this.#arrangement;
    this.#arrangement = next;
    if (!isSameShape(now, next)) this.#shape += 1;
    if (isSameHeight(now, next)) return;
    this.#tops = null;
    this.#rowTops.clear();
    this.#wrapped.clear();
    const open = this.files.filter((_, n) => !this.isFolded(n));
    this.#spareRows = MOST_WRAPPED_ROWS - open.reduce((sum, { lines }) => sum + lines, 0);
  }

  /** Increases when all rows may differ. Then it is no longer known which part of a line was in view. */
  get shape(): number {
    return this.#shape;
  }

  isFolded(n: number): boolean {
    return this.#folded.has(n);
  }

  get isAllFolded(): boolean {
    return this.#folded.isAll;
  }

  fold(n: number, isFolded = !this.#folded.has(n)): void {
    if (this.#folded.set(n, isFolded)) this.#change(n);
  }

  /** Notes that the picture that would land has been drawn. */
  pictureShown(n: number): void {
    if (this.#pictures.size < this.#pictures.add(n).size) this.#change(n, false);
  }

  isPictureShown(n: number): boolean {
    return this.#pictures.has(n);
  }

  foldAll(isFolded: boolean): void {
    this.#folded.setAll(isFolded);
    this.#change(null);
  }

  state(n: number): FileState {
    return this.loader.at(n);
  }

  lines(n: number): FileLines | null {
    return this.loader.lines(n);
  }

  /** Null while the lines of the file are not loaded. */
  rows(n: number): Rows | null {
    const lines = this.lines(n);
    if (lines === null) return null;
    const mode = this.modeOf(n);
    const known = this.#rows.get(n);
    if (known?.mode === mode) return known.rows;
    const rows = makeRows(lines, mode, (line) => this.shownPieces(n, line));
    this.#rows.set(n, { mode, rows });
    return rows;
  }

  /** The positions of the file's rows; an estimate while its lines are not loaded. */
  rowTops(n: number): RowTops {
    const [lines, rows] = [this.lines(n), this.rows(n)];
    if (lines === null || rows === null) return new RowTops(expectedRows(this.#file(n), this.modeOf(n)));
    const tops = this.#rowTops.get(n) ?? this.#wrap(n, lines)?.topsOf(rows) ?? new RowTops(rows.count);
    this.#rowTops.set(n, tops);
    return tops;
  }

  /** The column at which the lines are wrapped; null if they are not. */
  columns(n: number): number | null {
    const lines = this.lines(n);
    return lines === null ? null : (this.#wrap(n, lines)?.columns ?? null);
  }

  /** True if the wrapped file would be more than a browser can lay out. */
  isTooLongToWrap(n: number): boolean {
    return this.isWrapped && this.#wrapped.get(n) === null;
  }

  /** Takes the measured heights, in rows, of lines that were drawn. */
  measured(n: number, heights: Iterable<readonly [line: number, piece: number, height: number]>): void {
    const wrapped = this.#wrapped.get(n);
    let isOther = false;
    for (const one of heights) isOther = wrapped?.set(...one) === true || isOther;
    if (isOther) this.#change(n);
  }

  #wrap(n: number, lines: FileLines): WrappedLines | null {
    const { isWrapped, width, cell } = this.#arrangement;
    if (!isWrapped || cell === 0) return null;
    const known = this.#wrapped.get(n);
    if (known !== undefined) return known;
    const columns = columnsBeside(this.sides(n), lines.digits, width, cell);
    const wrapped = new WrappedLines(lines, columns, (line) => this.shownPieces(n, line));
    const isTooLong = wrapped.more > this.#spareRows;
    if (!isTooLong) this.#spareRows -= wrapped.more;
    this.#wrapped.set(n, isTooLong ? null : wrapped);
    return isTooLong ? null : wrapped;
  }

  /** Null if the file is shown without colours. */
  colours(n: number): FileColours | null {
    const lines = this.lines(n);
    const language = languageOf(this.#file(n).path);
    if (lines === null || language === null) return null;
    const known =
      this.#colours.get(n) ?? new FileColours(lines, language, this.#highlighter, () => this.#change(n, false));
    this.#colours.set(n, known);
    return known;
  }

  /** How many pieces of the line are shown. */
  shownPieces(n: number, line: number): number {
    const lines = this.lines(n);
    return lines !== null && this.#whole.has(`${n}:${line}`) ? pieceCount(lines, line) : 1;
  }

  /** Shows all pieces of a long line. Each piece has its own row, so the length does not matter. */
  showWhole(n: number, line: number): void {
    if (this.#whole.has(`${n}:${line}`)) return;
    this.#whole.add(`${n}:${line}`);
    this.#forgetRows(n);
    this.#change(n);
  }

  /** Shows more of the unchanged lines above a hunk or at the end of the file. */
  expand(n: number, hunk: number, way: Way): void {
    const lines = this.lines(n);
    const gap = lines === null ? null : gapAt(lines, hunk);
    if (lines === null || gap === null) return;
    const part = partOf(gap, way);
    this.context?.ask(n, part, (more) => {
      const insertion = { file: n, at: lines.hunkFrom[hunk] as number, count: more.length };
      this.#insert(fileLines(withContext(lines, part, more), lines.newLines), insertion);
    });
  }

  #insert(lines: FileLines, insertion: Insertion): void {
    const { file: n } = insertion;
    const colours = this.#colours.get(n);
    if (colours !== undefined) this.#colours.set(n, colours.withLines(lines, insertion));
    const whole = [...this.#whole].filter((key) => key.startsWith(`${n}:`));
    for (const key of whole) this.#whole.delete(key);
    for (const key of whole) this.#whole.add(`${n}:${movedLine(Number(key.slice(`${n}:`.length)), insertion)}`);
    this.#forgetRows(n);
    this.loader.replace(n, lines);
    this.#inserted(insertion);
    this.#change(n);
  }

  #forgetRows(n: number): void {
    this.#spareRows += this.#wrapped.get(n)?.more ?? 0;
    this.#wrapped.delete(n);
    this.#rows.delete(n);
  }

  /** Increases when the rows of the file must be drawn again. */
  version(n: number): number {
    return this.#versions.get(n) ?? 0;
  }

  get headerHeight(): number {
    return this.#arrangement.isNarrow ? NARROW_HEADER_HEIGHT : HEADER_HEIGHT;
  }

  /** The distance in pixels from the top of a file to its first row. */
  rowsStart(n: number): number {
    const { isPicture } = this.#file(n);
    return this.headerHeight + (isPicture ? PICTURE_HEIGHT : 0) + (this.hasNote(n) ? NOTE_HEIGHT : 0);
  }

  /** Whether a sentence is shown in place of the lines or about them. */
  hasNote(n: number): boolean {
    const file = this.#file(n);
    const isSaid = file.lines === 0 ? !file.isPicture : file.part !== undefined || encodingNotes(file).length > 0;
    return isSaid || this.state(n).is === "failed";
  }

  get tops(): Float64Array {
    this.#tops ??= topsOf(this.files.map((_, n) => this.#height(n)));
    return this.#tops;
  }

  #height(n: number): number {
    if (this.isFolded(n)) return this.headerHeight + GAP_HEIGHT;
    const rows = this.rowTops(n);
    return this.rowsStart(n) + rows.height + (rows.count === 0 ? 0 : FOOT_HEIGHT) + GAP_HEIGHT;
  }

  #file(n: number): FileView {
    return this.files[n] as FileView;
  }

  #change(n: number | null, isMoved = true): void {
    if (isMoved) this.#tops = null;
    if (isMoved && n !== null) this.#rowTops.delete(n);
    if (n !== null) this.#versions.set(n, this.version(n) + 1);
    this.#onChange();
  }
}
