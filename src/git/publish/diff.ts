// What a set of changes does to each file, as a value: the terminal and the web page show it, and diff-text.ts writes it
// as the text that `git apply` takes. The same as `git diff -M` says, but for where equal lines are matched.

import type { DiffFile } from "../../action/diff-file.ts";
import { makeHunks } from "./hunk.ts";
import { diffLines, splitLines } from "./line-diff.ts";
import type { ObjectId } from "./object.ts";
import { findRenames } from "./rename.ts";
import { decodeTexts, looksBinary } from "./text-content.ts";
import { entryKind } from "./tree-entry.ts";

export interface FileSide {
  readonly mode: string;
  readonly id: ObjectId;
  readonly content: Uint8Array;
  /** It has so many bytes and was not read: it is too large to be shown, and `content` is empty. */
  readonly unreadBytes?: number;
}

export function sideBytes(side: FileSide | null): number {
  return side?.unreadBytes ?? side?.content.length ?? 0;
}

/** One path before and after; null where there is no file. */
export interface FilePair {
  readonly path: string;
  readonly before: FileSide | null;
  readonly after: FileSide | null;
}

export interface DiffOptions {
  /** At least one: without any, git loses the line feed of a line that becomes the last. */
  readonly contextLines?: number;
  readonly maxFileBytes?: number;
  readonly maxFileLines?: number;
  /** False: a rename is shown as a deletion and a creation. */
  readonly renames?: boolean;
}

const CONTEXT_LINES = 3;
const FILE_BYTES = 32 * 1024 * 1024;
const FILE_LINES = 1_000_000;

/** In git's order of paths; what stays the same is left out. A file that becomes a link is a deletion and a creation. */
export function diffFiles(pairs: readonly FilePair[], options: DiffOptions = {}): DiffFile[] {
  const changes = pairs.filter(({ before, after }) => before?.id !== after?.id || before?.mode !== after?.mode);
  const renames = options.renames === false ? [] : findRenames(changes);
  const renamed = new Set(renames.flatMap(({ from, to }) => [from, to]));
  const steps = changes.filter((pair) => !renamed.has(pair)).flatMap(bySameKind);
  const files = [
    ...steps.map(({ path, before, after }) => diffFile(path, path, before, after, null, options)),
    ...renames.map(({ from, to, similarity }) =>
      diffFile(from.path, to.path, from.before, to.after, similarity, options),
    ),
  ];
  // The sort is stable: a deletion and a creation at one path stay in this order.
  return files.sort((one, other) => compareCodePoints(one.path, other.path));
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
): DiffFile {
  const sides = [before, after].filter((side) => side !== null);
  const isBinary = sides.some((side) => looksBinary(side.content));
  const isEqual = before?.id === after?.id;
  const isUnread = sides.some((side) => side.unreadBytes !== undefined);
  const body =
    isBinary || isEqual ? noBody : isUnread ? { ...noBody, isTooLarge: true } : diffContent(before, after, options);
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
    ...body,
  };
}

type Body = Pick<DiffFile, "isTooLarge" | "encoding" | "hunks" | "added" | "removed">;

const noBody: Body = { isTooLarge: false, encoding: "utf-8", hunks: [], added: 0, removed: 0 };
const nothing = new Uint8Array(0);

function diffContent(before: FileSide | null, after: FileSide | null, options: DiffOptions): Body {
  const contents = [before?.content ?? nothing, after?.content ?? nothing];
  const { maxFileBytes = FILE_BYTES, maxFileLines = FILE_LINES, contextLines = CONTEXT_LINES } = options;
  if (contents.some((content) => content.length > maxFileBytes || lineCount(content) > maxFileLines))
    return { ...noBody, isTooLarge: true };
  const { texts, encoding } = decodeTexts(contents);
  const old = splitLines(texts[0] as string);
  const now = splitLines(texts[1] as string);
  const changes = diffLines(old, now);
  return {
    isTooLarge: false,
    encoding,
    hunks: makeHunks(old, now, changes, Math.max(1, contextLines)),
    added: changes.reduce((sum, { newFrom, newTo }) => sum + newTo - newFrom, 0),
    removed: changes.reduce((sum, { oldFrom, oldTo }) => sum + oldTo - oldFrom, 0),
  };
}

function lineCount(content: Uint8Array): number {
  let count = 0;
  for (let at = content.indexOf(0x0a); at >= 0; at = content.indexOf(0x0a, at + 1)) count += 1;
  return count;
}

// As the bytes of UTF-8 are ordered; UTF-16 would put what lies beyond its first plane too early.
function compareCodePoints(one: string, other: string): number {
  const shortest = Math.min(one.length, other.length);
  let at = 0;
  while (at < shortest && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  if (at === shortest) return one.length - other.length;
  const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
  if (at > 0 && (isLow(one.charCodeAt(at)) || isLow(other.charCodeAt(at)))) at -= 1;
  return (one.codePointAt(at) as number) - (other.codePointAt(at) as number);
}
