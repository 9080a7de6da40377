// Writes a diff whole, as one patch that `git apply` takes: files that are not text as git's binary patches.

import { deflateSync } from "node:zlib";
import type { DiffFile } from "../action/diff-file.ts";
import { type FilePair, diffFiles, type FileSide } from "./publish/diff.ts";
import { diffHeader, renderDiff } from "./publish/diff-text.ts";

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const LINE_BYTES = 52;

/** The ids of the sides are those of git's blobs, and all of them were read. */
export function patchText(pairs: readonly FilePair[]): Uint8Array {
  const sides = new Map(pairs.flatMap(({ before, after }) => [before, after].map((side) => [side?.id, side] as const)));
  const contentOf = (id: string | null) => (id === null ? null : (sides.get(id) ?? null));
  // A binary patch of a file that was moved would need both of its names.
  const files = diffFiles(pairs, { renames: false });
  const parts = files.map((file) =>
    file.isBinary || file.isTooLarge
      ? binaryPatch(file, contentOf(file.oldId), contentOf(file.newId))
      : renderDiff([file]),
  );
  return Buffer.concat(parts);
}

function binaryPatch(file: DiffFile, before: FileSide | null, after: FileSide | null): Uint8Array {
  const head = diffHeader({ ...file, isBinary: false, isTooLarge: false, hunks: [] });
  if (file.oldId === file.newId) return Buffer.from(head);
  return Buffer.from(`${head}GIT binary patch\n${literal(after)}\n${literal(before)}\n`);
}

function literal(side: FileSide | null): string {
  const content = side?.content ?? new Uint8Array(0);
  return `literal ${content.length}\n${base85Lines(deflateSync(content))}`;
}

/** As git encodes it: a letter for the length of each line, then five letters for each four bytes. */
function base85Lines(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += LINE_BYTES) {
    const line = bytes.subarray(at, at + LINE_BYTES);
    const length = line.length <= 26 ? 64 + line.length : 96 + line.length - 26;
    text += `${String.fromCharCode(length)}${base85(line)}\n`;
  }
  return text;
}

function base85(line: Uint8Array): string {
  let text = "";
  for (let at = 0; at < line.length; at += 4) {
    let value = 0;
    for (let byte = 0; byte < 4; byte += 1) value = value * 256 + (line[at + byte] ?? 0);
    let group = "";
    for (let digit = 0; digit < 5; digit += 1) {
      group = (LETTERS[value % 85] as string) + group;
      value = Math.floor(value / 85);
    }
    text += group;
  }
  return text;
}
