// Facts about a changed file beside its lines: its size, its kind, what happens to it.

import type { DiffCommit, DiffFileFacts, TextEncoding } from "./diff-file.ts";

export const operationNames = { create: "new", update: "changed", delete: "deleted", rename: "moved" } as const;

export function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `812 B`, `1.2 KB`, `3.4 MB`. */
export function sizeText(bytes: number): string {
  const units = ["B", "KB", "MB", "GB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return unit === 0 ? `${bytes} B` : `${value.toFixed(1)} ${units[unit] as string}`;
}

export function exactSize(bytes: number): string {
  return bytes === 1 ? "1 byte" : `${groupDigits(bytes)} bytes`;
}

export function sizeChange({ oldMode, newMode, oldBytes, newBytes }: DiffFileFacts): string {
  if (oldMode === null || oldBytes === newBytes) return exactSize(newMode === null ? oldBytes : newBytes);
  return newMode === null ? exactSize(oldBytes) : `${exactSize(newBytes)}; was ${exactSize(oldBytes)}`;
}

export function modeText(mode: string): string {
  const names: Readonly<Record<string, string>> = {
    "100644": "a file",
    "100755": "an executable file",
    "120000": "a symbolic link: its one line is where it leads",
    "160000": "a submodule",
  };
  return `${names[mode] ?? "of an unknown kind"} (${mode})`;
}

const encodingNames: Readonly<Record<TextEncoding, string>> = {
  "utf-8": "UTF-8",
  latin1: "not UTF-8",
  "utf-16le": "UTF-16, little endian",
  "utf-16be": "UTF-16, big endian",
};

/** Says how lines are shown that are not plain UTF-8 text; empty for plain text. */
export function encodingNotes({ encoding, oldEncoding, isBinary }: DiffFileFacts): string[] {
  return [
    ...(encoding === "latin1" ? ["not UTF-8: shown byte by byte, as Latin-1"] : []),
    ...(encoding === "utf-16le" || encoding === "utf-16be" ? [`${encodingNames[encoding]}: shown decoded`] : []),
    ...(encoding === "utf-8" && isBinary ? ["not text: bytes like NUL are shown by their numbers, \\x00"] : []),
    ...(oldEncoding === undefined ? [] : [`it was ${encodingNames[oldEncoding]}: every line is another one`]),
  ];
}

/** `commit 2 of 3`. */
export function commitText({ number, of }: DiffCommit): string {
  return `commit ${groupDigits(number)} of ${groupDigits(of)}`;
}

/** What became of a file since a person answered about the last push of the same work. */
export const sinceNames = { same: "as in the last push", changed: "new since the last push" } as const;

/** `2 of 17: the new content, compared with nothing`. */
export function partText({ at, of }: { readonly at: number; readonly of: number }): string {
  return `${groupDigits(at + 1)} of ${groupDigits(of)}: the new content, compared with nothing`;
}
