// Computes what a set of changes does to each file. The terminal and the web page show the result, and diff-text.ts writes it as
// the text that `git apply` accepts. The result equals that of `git diff -M`, except for which equal lines are matched.

import type { DiffFile } from "../../action/diff-file.ts";
import { isPictureName, pictureType } from "../../shared/picture-type.ts";
import { fileParts } from "./file-parts.ts";
import { makeHunks } from "./hunk.ts";
import { diffLines, type LineChange, splitLines, type TextLines } from "./line-diff.ts";
import type { ObjectId } from "./object.ts";
import { findRenames } from "./rename.ts";
import { decodeSides, looksBinary } from "./text-content.ts";
import { entryKind } from "./tree-entry.ts";

export interface FileSide {
  readonly mode: string;
  readonly id: ObjectId;
  readonly content: Uint8Array;
  /** The size of a file that was not read because it is too large to show. `content` is then empty. */
  readonly unreadBytes?: number;
}

export function sideBytes(side: FileSide | null): number {
  return side?.unreadBytes ?? side?.content.length ?? 0;
}

/** One path before and after the change; null if there is no file. */
export interface FilePair {
  readonly path: string;
  readonly before: FileSide | null;
  readonly after: FileSide | null;
}

export interface DiffOptions {
  /** At least one. Without context, git loses the line feed of a line that becomes the last. */
  readonly contextLines?: number;
  readonly maxFileBytes?: number;
  readonly maxFileLines?: number;
  /** If false, a rename is shown as a deletion and a creation. */
  readonly renames?: boolean;
}

const CONTEXT_LINES = 3;
const FILE_BYTES = 32 * 1024 * 1024;
const FILE_LINES = 1_000_000;
// The question keeps lines of content that is not text only if it is short, because people rarely read it line by line.
const NOT_TEXT_BYTES = 256 * 1024;
const NOT_TEXT_TOTAL_BYTES = 4 * 1024 * 1024;

/** How many more bytes of content that is not text this diff may show as lines. */
interface NotTextBudget {
  bytes: number;
}

/** In git's order of paths, without unchanged files. A file that becomes a link is a deletion and a creation. */
export function diffFiles(pairs: readonly FilePair[], options: DiffOptions = {}): DiffFile[] {
  return inOrder([...fileDiffs(pairs, options)]);
}

/** The same, and awaits `nextTurn` after each file, so that a long diff does not keep others waiting. */
export async function diffFilesInTurns(
  pairs: readonly FilePair[],
  nextTurn: () => Promise<void>,
  options: DiffOptions = {},
): Promise<DiffFile[]> {
  const files: DiffFile[] = [];
  for (const file of fileDiffs(pairs, options)) {
    files.push(file);
    await nextTurn();
  }
  return inOrder(files);
}

// The sort is stable: a deletion and a creation at one path stay in this order.
function inOrder(files: DiffFile[]): DiffFile[] {
  return files.sort((one, other) => compareCodePoints(one.path, other.path));
}

function* fileDiffs(pairs: readonly FilePair[], options: DiffOptions): Generator<DiffFile> {
  const changes = pairs.filter(({ before, after }) => before?.id !== after?.id || before?.mode !== after?.mode);
  const renames = options.renames === false ? [] : findRenames(changes);
  const renamed = new Set(renames.flatMap(({ from, to }) => [from, to]));
  const steps = changes.filter((pair) => !renamed.has(pair)).flatMap(bySameKind);
  const budget: NotTextBudget = { bytes: NOT_TEXT_TOTAL_BYTES };
  for (const { path, before, after } of steps) yield diffFile(path, path, before, after, null, options, budget);
  for (const { from, to, similarity } of renames)
    yield diffFile(from.path, to.path, from.before, to.after, similarity, options, budget);
}

function bySameKind({ path, before, after }: FilePair): FilePair[] {
  if (before === null || after === null || entryKind(before.mode) === entryKind(after.mode))
    return [{ path, before, after }];
  return [
    { path, before, after: null },
    { path, before: null, after },
  ];
}

function diffFile(
  oldPath: string,
  path: string,
  before: FileSide | null,
  after: FileSide | null,
  similarity: number | null,
  options: DiffOptions,
  budget: NotTextBudget,
): DiffFile {
  const sides = [before, after].filter((side) => side !== null);
  const isBinary = sides.some((side) => looksBinary(side.content));
  const isPicture =
    isBinary &&
    isPictureName(oldPath) &&
    isPictureName(path) &&
    sides.every(({ mode, content }) => entryKind(mode) === "file" && pictureType(content) !== null);
  const isEqual = before?.id === after?.id;
  const body = isEqual ? noBody : diffContent(before, after, { isBinary, isPicture }, options, budget);
  return {
    operation: similarity !== null ? "rename" : before === null ? "create" : after === null ? "delete" : "update",
    path,
    oldPath,
    oldMode: before?.mode ?? null,
    oldId: before?.id ?? null,
    newMode: after?.mode ?? null,
    newId: after?.id ?? null,
    oldBytes: sideBytes(before),
    newBytes: sideBytes(after),
    similarity,
    isBinary,
    ...(isPicture ? { isPicture } : {}),
    ...body,
  };
}

type Body = Pick<DiffFile, "isTooLarge" | "encoding" | "oldEncoding" | "parts" | "hunks" | "added" | "removed">;

const noBody: Body = { isTooLarge: false, encoding: "utf-8", hunks: [], added: 0, removed: 0 };
const nothing = new Uint8Array(0);

function diffContent(
  before: FileSide | null,
  after: FileSide | null,
  { isBinary, isPicture }: { readonly isBinary: boolean; readonly isPicture: boolean },
  options: DiffOptions,
  budget: NotTextBudget,
): Body {
  const contents = [before?.content ?? nothing, after?.content ?? nothing] as const;
  const { maxFileBytes = FILE_BYTES, maxFileLines = FILE_LINES, contextLines = CONTEXT_LINES } = options;
  const bytes = contents[0].length + contents[1].length;
  const isUnread = before?.unreadBytes !== undefined || after?.unreadBytes !== undefined;
  const isTooLarge =
    isUnread ||
    contents.some((content) => content.length > maxFileBytes || lineCount(content) > maxFileLines) ||
    (isBinary && (bytes > NOT_TEXT_BYTES || bytes > budget.bytes));
  if (isTooLarge || isPicture) return inParts(contents[0], contents[1], isTooLarge && !isPicture);
  if (isBinary) budget.bytes -= bytes;
  const { encoding, oldEncoding, ...texts } = decodeSides(...contents);
  const old = splitLines(texts.old);
  const now = splitLines(texts.now);
  const changes = encoding === oldEncoding ? diffLines(old, now) : allLines(old, now);
  return {
    isTooLarge: false,
    encoding,
    ...(encoding === oldEncoding ? {} : { oldEncoding }),
    hunks: makeHunks(old, now, changes, Math.max(1, contextLines)),
    added: changes.reduce((sum, { newFrom, newTo }) => sum + newTo - newFrom, 0),
    removed: changes.reduce((sum, { oldFrom, oldTo }) => sum + oldTo - oldFrom, 0),
  };
}

/** SECURITY(T38): a file that is not compared is still shown, in parts: all of the content that would land. */
function inParts(before: Uint8Array, after: Uint8Array, isTooLarge: boolean): Body {
  const { lines, encoding } = fileParts(after);
  return {
    ...noBody,
    isTooLarge,
    encoding,
    ...(after.length === 0 ? {} : { parts: lines }),
    added: lines.reduce((sum, count) => sum + count, 0),
    removed: before.length === 0 ? 0 : lineCount(before) + (before.at(-1) === 0x0a ? 0 : 1),
  };
}

/** In another encoding, the same letters are other bytes, so every line counts as changed. */
function allLines(old: TextLines, now: TextLines): LineChange[] {
  const whole = { oldFrom: 0, oldTo: old.lines.length, newFrom: 0, newTo: now.lines.length };
  return whole.oldTo + whole.newTo === 0 ? [] : [whole];
}

function lineCount(content: Uint8Array): number {
  let count = 0;
  for (let at = content.indexOf(0x0a); at >= 0; at = content.indexOf(0x0a, at + 1)) count += 1;
  return count;
}

/** Orders as UTF-8 bytes do. A comparison of UTF-16 units would put characters beyond the first plane too early. */
export function compareCodePoints(one: string, other: string): number {
  const shortest = Math.min(one.length, other.length);
  let at = 0;
  while (at < shortest && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  if (at === shortest) return one.length - other.length;
  const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
  if (at > 0 && (isLow(one.charCodeAt(at)) || isLow(other.charCodeAt(at)))) at -= 1;
  return (one.codePointAt(at) as number) - (other.codePointAt(at) as number);
}
