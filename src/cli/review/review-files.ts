// The files of a change in the review: what happens to each, and how much of it the reviewer has seen.
// Invariant: a file counts as seen only once every screen line of its diff was shown, from the first on.

import type { PushFile } from "../../action/action.ts";
import { commitText, exactSize, groupDigits, operationNames, sinceNames, sizeText } from "../../action/diff-facts.ts";
import type { DiffFile, DiffHunk } from "../../action/diff-file.ts";
import { nameUnseen, unseenThatMatters } from "../../action/review-duty.ts";
import { type FileParts, fileParts, partHunk } from "../../git/publish/file-parts.ts";
import { displayName, quoteName } from "../../shared/odd-name.ts";
import { splitColumns } from "../terminal/columns.ts";
import { type DiffRows, diffRows, factRows, type RowsPart } from "../terminal/diff-rows.ts";
import { type DiffPosition, isBefore } from "../terminal/diff-view.ts";
import type { ViewStyle } from "../terminal/view-style.ts";
import { safeForStyle } from "../terminal/question-view.ts";

export interface FileEntry {
  readonly operation: DiffFile["operation"];
  readonly path: string;
  readonly size: number;
  /** Null if no diff was kept, or if nothing differs. */
  readonly diff: DiffFile | null;
  /** The part of a file that has no hunks but content that would land. */
  readonly part?: RowsPart;
  /** The rows to show, computed on request. */
  rows(): DiffRows;
}

/** The new bytes of a file; null if they are not kept here. */
export type BytesAfter = (file: DiffFile) => Uint8Array | null;

const noBytes: BytesAfter = () => null;

/** Every file that the push names and every diff, each once. A move is one entry for both of its names. */
export function fileEntries(
  files: readonly PushFile[],
  diff?: readonly DiffFile[],
  bytesAfter: BytesAfter = noBytes,
): FileEntry[] {
  const parts = partSource(bytesAfter);
  return wholeEntries(files, diff).flatMap((entry): FileEntry[] =>
    entry.diff?.parts === undefined ? [entry] : partEntries(entry, entry.diff, entry.diff.parts, parts),
  );
}

type PartSource = (file: DiffFile, part: number) => DiffHunk | null;

/** Keeps the last requested file, because its parts are requested one after another. */
function partSource(bytesAfter: BytesAfter): PartSource {
  let last: { readonly file: DiffFile; readonly bytes: Uint8Array | null; readonly parts: FileParts | null } | null;
  return (file, part) => {
    if (last?.file !== file) {
      const bytes = bytesAfter(file);
      last = { file, bytes, parts: bytes === null ? null : fileParts(bytes, file.encoding) };
    }
    return last.bytes === null || last.parts === null ? null : partHunk(last.bytes, last.parts, part);
  };
}

function partEntries(whole: FileEntry, diff: DiffFile, parts: readonly number[], source: PartSource): FileEntry[] {
  return parts.map((lines, at): FileEntry => {
    const part = { at, of: parts.length };
    const counts = { added: lines, removed: at === 0 ? diff.removed : 0 };
    return {
      ...whole,
      diff: { ...diff, ...counts },
      part,
      rows() {
        const hunk = source(diff, at);
        return diffRows({ ...diff, ...counts, hunks: hunk === null ? [] : [hunk] }, part);
      },
    };
  });
}

function wholeEntries(files: readonly PushFile[], diff: readonly DiffFile[] | undefined): FileEntry[] {
  const sizes = new Map(files.map(({ path, size }) => [path, size]));
  const shown = new Set(diff?.flatMap(({ path, oldPath }) => [path, oldPath]));
  const withDiff = (diff ?? []).map((file): FileEntry => {
    const isGone = file.newMode === null;
    // The push names each file once, with what it becomes in the end; a series may change it several times.
    const size = isGone ? file.oldBytes : ((file.commit === undefined ? sizes.get(file.path) : null) ?? file.newBytes);
    return { operation: file.operation, path: file.path, size, diff: file, rows: () => diffRows(file) };
  });
  const rest = files
    .filter(({ path }) => !shown.has(path))
    .map((file): FileEntry => ({ ...file, diff: null, rows: () => withoutDiff(file, diff !== undefined) }));
  return [...withDiff, ...rest];
}

const signs = { create: "+", update: "M", delete: "-", rename: "R" } as const;

/** `+ report.md (1.2 KB, +45 -0)`. A name that could be misread is quoted. */
export function entryText({ operation, path, size, diff, part }: FileEntry): string {
  const from = diff !== null && diff.oldPath !== diff.path ? ` from ${quoteName(diff.oldPath)}` : "";
  const hasLines =
    diff !== null && (part !== undefined || diff.hunks.length > 0 || !(diff.isBinary || diff.isTooLarge));
  const lines = hasLines ? `+${groupDigits(diff.added)} -${groupDigits(diff.removed)}` : null;
  const kind = diff === null ? "no diff" : diff.isBinary ? "not text" : diff.isTooLarge ? "too large to compare" : null;
  const of = part === undefined ? null : `part ${groupDigits(part.at + 1)} of ${groupDigits(part.of)}`;
  const isOther = diff !== null && diff.oldMode !== null && diff.newMode !== null && diff.oldMode !== diff.newMode;
  const mode = isOther ? `mode ${diff.oldMode ?? ""} to ${diff.newMode ?? ""}` : newKind(diff);
  const commit = diff?.commit === undefined ? null : commitText(diff.commit);
  const since = diff?.since === undefined ? null : sinceNames[diff.since];
  const facts = [commit, since, of, sizeText(size), lines, kind, mode].filter((fact) => fact !== null);
  return `${signs[operation]} ${quoteName(path)}${from} (${facts.join(", ")})`;
}

function newKind(diff: DiffFile | null): string | null {
  if (diff === null || diff.oldMode !== null) return null;
  return { "100755": "executable", "120000": "symbolic link", "160000": "submodule" }[diff.newMode ?? ""] ?? null;
}

export function totalText(entries: readonly FileEntry[]): string {
  const sum = (of: (entry: FileEntry) => number) => entries.reduce((total, entry) => total + of(entry), 0);
  const [added, removed] = [sum(({ diff }) => diff?.added ?? 0), sum(({ diff }) => diff?.removed ?? 0)];
  const bytes = sum(({ operation, size, part }) => (operation === "delete" || (part?.at ?? 0) > 0 ? 0 : size));
  const files = entries.filter(({ part }) => (part?.at ?? 0) === 0).length;
  return `${groupDigits(files)}, ${exactSize(bytes)}, lines +${groupDigits(added)} -${groupDigits(removed)}`;
}

/** How much of each file the reviewer has seen. */
export class FilesSeen {
  readonly entries: readonly FileEntry[];
  readonly #rows = new Map<number, DiffRows>();
  readonly #seen = new Map<number, { readonly end: DiffPosition; readonly width: number }>();
  readonly #all = new Set<number>();

  constructor(entries: readonly FileEntry[]) {
    this.entries = entries;
  }

  rows(at: number): DiffRows {
    const rows = this.#rows.get(at) ?? (this.entries[at] as FileEntry).rows();
    // For a file in parts, only the rows of one part are kept.
    if ((this.entries[at] as FileEntry).part !== undefined) this.#forgetParts();
    this.#rows.set(at, rows);
    return rows;
  }

  #forgetParts(): void {
    for (const at of this.#rows.keys()) if (this.entries[at]?.part !== undefined) this.#rows.delete(at);
  }

  /** Notes that the lines from `from` up to, but not including, `to` were on a screen of this width. */
  note(at: number, from: DiffPosition, to: DiffPosition, width: number): void {
    const seen = this.#seen.get(at) ?? { end: { row: 0, piece: 0 }, width };
    // At another width a row is wrapped differently, so a partly seen row has to be seen again.
    const before = seen.width === width ? seen.end : { row: seen.end.row, piece: 0 };
    // SECURITY(T38): if the middle of a long row was not on the screen, the row does not count as seen.
    if (isBefore(before, from)) return;
    this.#seen.set(at, { end: isBefore(before, to) ? to : before, width });
    const { count, isWhole } = this.rows(at);
    // SECURITY(T38): content that is not among the rows does not count as seen.
    if (isWhole && to.row >= count) this.#all.add(at);
  }

  state(at: number): "none" | "part" | "all" {
    if (this.#all.has(at)) return "all";
    return this.#seen.has(at) ? "part" : "none";
  }

  /** `3 of 5 files not looked at`, with the names of important ones; null if the reviewer has seen all. */
  problem(): string | null {
    const states = this.entries.map((_, at) => this.state(at));
    const [none, part] = (["none", "part"] as const).map((state) => states.filter((one) => one === state).length);
    const word = this.entries.some((entry) => entry.part !== undefined) ? "files and parts of files" : "files";
    const files = states.length === 1 ? "1 file" : `${groupDigits(states.length)} ${word}`;
    const grave = unseenThatMatters(
      this.entries.flatMap(({ diff }, at) => (diff === null ? [] : [{ file: diff, isSeen: states[at] === "all" }])),
    );
    const named = grave.length === 0 ? "" : `, ${nameUnseen(grave)} among them`;
    if (none !== 0)
      return `${groupDigits(none ?? 0)} of ${files} not looked at${part === 0 ? "" : `, ${part} in part`}${named}`;
    return part === 0 ? null : `${groupDigits(part ?? 0)} of ${files} looked at in part${named}`;
  }

  /** The next file that is not completely seen, after this one and then from the first on. */
  next(at: number): number | null {
    const order = this.entries.map((_, index) => (at + 1 + index) % this.entries.length);
    return order.find((index) => this.state(index) !== "all") ?? null;
  }
}

function withoutDiff({ operation, path, size }: PushFile, isSame: boolean): DiffRows {
  return factRows(
    [
      { kind: "fact", label: operationNames[operation], text: displayName(path) },
      { kind: "fact", label: "size", text: exactSize(size) },
      { kind: "fact", label: "", text: "There is no diff of it here." },
    ],
    isSame || operation === "delete",
  );
}

export interface EntryLine {
  readonly entry: number;
  readonly isFirst: boolean;
  readonly text: string;
}

const BOX_COLUMNS = 7; // bar, mark, `[x] `, and one blank

/** The names of all files, wrapped to the screen's width. */
export function entryLines(entries: readonly FileEntry[], viewStyle: ViewStyle): EntryLine[] {
  const rows = viewStyle.width - BOX_COLUMNS;
  return entries.flatMap((entry, at) => {
    const text = safeForStyle(entryText(entry), viewStyle);
    const pieces = text.length <= rows && /^[ -~]*$/.test(text) ? [text] : splitColumns(text, rows);
    return pieces.map((piece, index) => ({ entry: at, isFirst: index === 0, text: piece }));
  });
}

export function drawEntryLine(line: EntryLine, isSelected: boolean, files: FilesSeen, viewStyle: ViewStyle): string {
  const [bar, goesOn, chosen] = viewStyle.isUnicode ? ["│", "↪", "→"] : ["|", ">", "*"];
  if (!line.isFirst) return `${viewStyle.paint(`${bar}${goesOn}`, "dim")}     ${line.text}`;
  const box = { none: "[ ]", part: "[~]", all: "[x]" }[files.state(line.entry)];
  const operation = files.entries[line.entry]?.operation ?? "update";
  const style = ({ create: "green", update: "yellow", delete: "red", rename: "cyan" } as const)[operation];
  const text = viewStyle.paint(line.text, style, ...(isSelected ? (["bold"] as const) : []));
  return `${viewStyle.paint(bar, "dim")}${isSelected ? chosen : " "}${box} ${text}`;
}
