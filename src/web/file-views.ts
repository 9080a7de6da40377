// The files of a change as a page lists them. A file that has no hunks but parts (see file-parts.ts) is listed part by part,
// so that the page fetches each part and counts it as seen separately.

import type { DiffFile, DiffHunk } from "../action/diff-file.ts";
import { type FileParts, fileParts, partHunk } from "../git/publish/file-parts.ts";
import { fileOfSide } from "../runtime/pushed-bytes.ts";
import type { FileView } from "./api.ts";
import type { ReviewedChange } from "./change-routes.ts";
import { mayBePicture } from "./picture.ts";

export interface ListedFile {
  readonly file: DiffFile;
  /** Null for the whole file. */
  readonly part: number | null;
}

export function listedFiles(files: readonly DiffFile[]): readonly ListedFile[] {
  return files.flatMap((file): ListedFile[] =>
    file.parts === undefined || mayBePicture(file)
      ? [{ file, part: null }]
      : file.parts.map((_, part) => ({ file, part })),
  );
}

export function fileViews(files: readonly DiffFile[]): readonly FileView[] {
  return listedFiles(files).map(viewOf);
}

function viewOf({ file, part }: ListedFile): FileView {
  const { hunks, parts, ...rest } = file;
  const isPicture = mayBePicture(file);
  if (part === null) return { ...rest, isPicture, lines: hunks.reduce((sum, { lines }) => sum + lines.length, 0) };
  const lines = parts?.[part] ?? 0;
  return {
    ...rest,
    isPicture,
    lines,
    added: lines,
    removed: part === 0 ? rest.removed : 0,
    part: { at: part, of: parts?.length ?? 1 },
  };
}

interface Divided {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly parts: FileParts;
}

/** The file that was requested last: a page requests its parts one after another. */
const divided = new WeakMap<ReviewedChange, Divided>();

/** Null if the bytes are no longer kept. */
export async function partOf(change: ReviewedChange, file: DiffFile, part: number): Promise<DiffHunk | null> {
  const after = fileOfSide(file, "after");
  if (after === null) return null;
  const known = divided.get(change);
  if (known?.id === after.id) return partHunk(known.bytes, known.parts, part);
  const bytes = await Promise.resolve(change.bytes("after", after)).catch(() => null);
  if (bytes === null) return null;
  const parts = fileParts(bytes, file.encoding);
  divided.set(change, { id: after.id, bytes, parts });
  return partHunk(bytes, parts, part);
}
