// A file of a change as a picture: its bytes, verified, and only as a kind that cannot hold a script.

import { objectHash } from "../git/object-hash.ts";
import { objectId } from "../git/publish/object.ts";
import type { DiffFile } from "../action/diff-file.ts";
import type { FileState, StagedStore } from "../git/staged.ts";
import { limits } from "../shared/limits.ts";
import type { SessionId } from "../shared/session-id.ts";

export const sides = ["before", "after"] as const;

export type Side = (typeof sides)[number];

interface FileOfSide {
  readonly path: string;
  readonly id: string;
  readonly size: number;
}

/** null: on this side there is no file. */
export function fileOfSide(file: DiffFile, side: Side): FileOfSide | null {
  const [path, id, size] =
    side === "before" ? [file.oldPath, file.oldId, file.oldBytes] : [file.path, file.newId, file.newBytes];
  return id === null ? null : { path, id, size };
}

/** By its name and size alone; what it is, its bytes say when it is fetched. */
export function mayBePicture(file: DiffFile): boolean {
  const modes = [file.oldMode, file.newMode].filter((mode) => mode !== null);
  return (
    file.isBinary &&
    modes.every((mode) => mode.startsWith("100")) &&
    [file.path, file.oldPath].every((path) => /\.(?:png|jpe?g|gif|webp|avif)$/i.test(path)) &&
    Math.max(file.oldBytes, file.newBytes) <= limits.pictureBytes
  );
}

/** SECURITY(T33): by the bytes, never by the name; no SVG, which can hold a script. */
export function rasterType(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  if (text.startsWith("\u0089PNG\r\n\u001a\n")) return "image/png";
  if (text.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(text)) return "image/gif";
  if (/^RIFF[^]{4}WEBP/.test(text)) return "image/webp";
  if (/^[^]{4}ftypavi[fs]/.test(text)) return "image/avif";
  return null;
}

/** Bytes that the session has staged or pulled at that path, if git would name them so. */
export async function bytesOfPush(
  session: SessionId,
  side: Side,
  { path, id, size }: FileOfSide,
  staged: Pick<StagedStore, "list" | "pulled" | "content">,
): Promise<Uint8Array | null> {
  const files = staged.list(session).flatMap((commit) => commit.files.filter((file) => file.path === path));
  const states: (FileState | null | undefined)[] = files.flatMap(({ before, after }) => [after, before]);
  if (side === "before") states.push(staged.pulled(session).get(path));
  const hashes = states.flatMap((state) => (state?.size === size ? [state.contentHash] : []));
  const format = objectHash(id.length === 64 ? "sha256" : "sha1");
  for (const hash of new Set(hashes)) {
    const bytes = staged.content(hash, session);
    // SECURITY(T29): what is shown is what would land, byte for byte.
    if ((await objectId(format, "blob", bytes)) === id) return bytes;
  }
  return null;
}
