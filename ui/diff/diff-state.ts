// What the diff view knows: which files there are, what of them has come, what is folded, how it is shown.
// Invariant: every change of it is told once, after it is complete.

import type { FileHunks, FileView } from "../../src/web/api.ts";
import { FileColours } from "./file-colours.ts";
import { type FileLines, LINE_CHARACTERS } from "./file-lines.ts";
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
  ROW_HEIGHT,
  topsOf,
} from "./layout.ts";
import { type DiffMode, expectedRows, makeRows, type Rows } from "./rows.ts";

/** More rows than a browser can lay out in one page: what comes after them begins folded. */
const MOST_ROWS = 600_000;
const MORE_FACTOR = 5;

export class DiffState {
  readonly files: readonly FileView[];
  readonly loader: FileLoader;
  readonly #told: () => void;
  readonly #highlighter = new Highlighter();
  readonly #folded = new Set<number>();
  readonly #rows = new Map<number, { readonly mode: DiffMode; readonly rows: Rows }>();
  readonly #colours = new Map<number, FileColours>();
  readonly #shownCharacters = new Map<string, number>();
  readonly #versions = new Map<number, number>();
  #tops: Float64Array | null = null;
  #mode: DiffMode = "unified";
  #isNarrow = false;

  constructor(files: readonly FileView[], load: (n: number) => Promise<FileHunks>, told: () => void) {
    this.files = files;
    this.#told = told;
    this.loader = new FileLoader(load, (n) => this.#change(n));
    let rows = 0;
    for (const [n, { lines }] of files.entries()) {
      rows += lines;
      if (rows > MOST_ROWS) this.#folded.add(n);
    }
  }

  stop(): void {
    this.#highlighter.stop();
  }

  get mode(): DiffMode {
    return this.#mode;
  }

  get isNarrow(): boolean {
    return this.#isNarrow;
  }

  /** What is created or deleted has no other side to stand beside it. */
  modeOf(n: number): DiffMode {
    const { oldMode, newMode } = this.#file(n);
    return oldMode === null || newMode === null ? "unified" : this.#mode;
  }

  /** Called while it is drawn, so nobody has to be told. */
  arrange(mode: DiffMode, isNarrow: boolean): void {
    if (mode === this.#mode && isNarrow === this.#isNarrow) return;
    this.#mode = mode;
    this.#isNarrow = isNarrow;
    this.#tops = null;
  }

  isFolded(n: number): boolean {
    return this.#folded.has(n);
  }

  get isAllFolded(): boolean {
    return this.#folded.size === this.files.length;
  }

  fold(n: number, isFolded = !this.#folded.has(n)): void {
    if (isFolded === this.#folded.has(n)) return;
    if (isFolded) this.#folded.add(n);
    else this.#folded.delete(n);
    this.#change(n);
  }

  foldAll(isFolded: boolean): void {
    this.#folded.clear();
    if (isFolded) for (const n of this.files.keys()) this.#folded.add(n);
    this.#change(null);
  }

  state(n: number): FileState {
    return this.loader.at(n);
  }

  lines(n: number): FileLines | null {
    return this.loader.lines(n);
  }

  /** Null: its lines have not come. */
  rows(n: number): Rows | null {
    const lines = this.lines(n);
    if (lines === null) return null;
    const mode = this.modeOf(n);
    const known = this.#rows.get(n);
    if (known?.mode === mode) return known.rows;
    const rows = makeRows(lines, mode);
    this.#rows.set(n, { mode, rows });
    return rows;
  }

  rowCount(n: number): number {
    return this.rows(n)?.count ?? expectedRows(this.#file(n), this.modeOf(n));
  }

  /** Null: shown without colours. */
  colours(n: number): FileColours | null {
    const lines = this.lines(n);
    const language = languageOf(this.#file(n).path);
    if (lines === null || language === null) return null;
    const known =
      this.#colours.get(n) ?? new FileColours(lines, language, this.#highlighter, () => this.#change(n, false));
    this.#colours.set(n, known);
    return known;
  }

  /** How much of a long line is shown. */
  shownCharacters(n: number, line: number): number {
    return this.#shownCharacters.get(`${n}:${line}`) ?? LINE_CHARACTERS;
  }

  showMore(n: number, line: number): void {
    this.#shownCharacters.set(`${n}:${line}`, this.shownCharacters(n, line) * MORE_FACTOR);
    this.#change(n, false);
  }

  /** Grows when the rows of a file have to be drawn again. */
  version(n: number): number {
    return this.#versions.get(n) ?? 0;
  }

  get headerHeight(): number {
    return this.#isNarrow ? NARROW_HEADER_HEIGHT : HEADER_HEIGHT;
  }

  /** From the top of a file to its first row. */
  rowsStart(n: number): number {
    const { isPicture } = this.#file(n);
    return this.headerHeight + (isPicture ? PICTURE_HEIGHT : 0) + (this.hasNote(n) ? NOTE_HEIGHT : 0);
  }

  /** A sentence instead of lines, or about them. */
  hasNote(n: number): boolean {
    const file = this.#file(n);
    return (file.lines === 0 && !file.isPicture) || file.encoding !== "utf-8" || this.state(n).is === "failed";
  }

  get tops(): Float64Array {
    this.#tops ??= topsOf(this.files.map((_, n) => this.#height(n)));
    return this.#tops;
  }

  #height(n: number): number {
    if (this.isFolded(n)) return this.headerHeight + GAP_HEIGHT;
    const rows = this.rowCount(n);
    return this.rowsStart(n) + rows * ROW_HEIGHT + (rows === 0 ? 0 : FOOT_HEIGHT) + GAP_HEIGHT;
  }

  #file(n: number): FileView {
    return this.files[n] as FileView;
  }

  #change(n: number | null, isMoved = true): void {
    if (isMoved) this.#tops = null;
    if (n !== null) this.#versions.set(n, this.version(n) + 1);
    this.#told();
  }
}
