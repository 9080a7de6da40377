// Remembers what init added to each file, so that undo restores the exact bytes. The text alone does not tell whether an
// empty map, a comma or the file itself existed before. A note holds only offsets, nothing of the file's content.
// Invariant: the offsets of a note are valid only for the text that it was made for. A file that changed since is parsed again.

import { hash } from "node:crypto";
import { z } from "zod";
import { joinPath } from "../shared/path.ts";
import { readAgentFile, writeAgentFile } from "./agent-files.ts";

const noteShape = z.strictObject({
  file: z.string(),
  /** The hash of the text that init wrote. */
  sha256: z.string(),
  /** The added parts, as offset and length. Null if there was no file. */
  added: z.array(z.tuple([z.number().int().min(0), z.number().int().min(1)])).nullable(),
  /** Directories that init created for it, the outermost first. */
  made: z.array(z.string()),
  /** The item that init added to a list. Unlike an entry, it does not show whether the person had written it before. */
  item: z.string().optional(),
});

export type InitNote = z.infer<typeof noteShape>;

export interface InitNotes {
  /** Undefined if there is no note for this text. */
  find(file: string, text: string): InitNote | undefined;
  /** Whether init added this item to the file, however the file was changed since. */
  hasAdded(file: string, item: string): boolean;
  /** Replaces the note of the file; null removes it. */
  set(file: string, note: InitNote | null): void;
}

export function openInitNotes(configDirectory: string): InitNotes {
  const path = joinPath(configDirectory, "init.json");
  const read = (): InitNote[] => {
    const opened = readAgentFile(path);
    try {
      return z.array(noteShape).parse(JSON.parse((opened.ok ? opened.file.text : null) ?? "[]"));
    } catch {
      return []; // then undo goes by the text alone
    }
  };
  return {
    find: (file, text) => read().find((note) => note.file === file && note.sha256 === textHash(text)),
    hasAdded: (file, item) => read().some((note) => note.file === file && note.item === item),
    set(file, note) {
      const opened = readAgentFile(path);
      if (!opened.ok) return;
      const notes = [...read().filter((one) => one.file !== file), ...(note === null ? [] : [note])];
      if (notes.length === 0 && opened.file.text === null) return;
      writeAgentFile(opened.file, notes.length === 0 ? null : `${JSON.stringify(notes, null, 2)}\n`);
    },
  };
}

/** Null if the additions cannot be determined. Then there is no note. */
export function noteOf(
  file: string,
  before: string | null,
  after: string,
  made: readonly string[],
  item?: string,
): InitNote | null {
  const added = before === null ? null : additions(before, after);
  if (before !== null && added === null) return null;
  return { file, sha256: textHash(after), added, made: [...made], ...(item === undefined ? {} : { item }) };
}

/** The text before the addition; null if there was no file. */
export function withoutAdded(text: string, { added }: InitNote): string | null {
  if (added === null) return null;
  let [before, from] = ["", 0];
  for (const [at, length] of added) {
    before += text.slice(from, at);
    from = at + length;
  }
  return before + text.slice(from);
}

/** The added parts: one, or two if a comma was needed after the last entry. */
function additions(before: string, after: string): [number, number][] | null {
  const first = commonPrefix(before, after);
  const more = after.length - before.length;
  for (const found of [[[first, more]], [[first, 1], second(before, after, first)]] as [number, number][][])
    if (found.every(([, length]) => length > 0) && removed(after, found) === before) return found;
  return null;
}

function second(before: string, after: string, first: number): [number, number] {
  const at = first + 1 + commonPrefix(before.slice(first), after.slice(first + 1));
  return [at, after.length - before.length - 1];
}

const removed = (text: string, added: [number, number][]) =>
  withoutAdded(text, { file: "", sha256: "", made: [], added });

function commonPrefix(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function textHash(text: string): string {
  return hash("sha256", text, "hex");
}
