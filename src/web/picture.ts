// A file of a change as a picture: its bytes, verified, and only as a kind that cannot hold a script.

import type { DiffFile } from "../action/diff-file.ts";
import { limits } from "../shared/limits.ts";
import { pictureType } from "../shared/picture-type.ts";

/** Its name and its first bytes say so, and it is not too long to be fetched. */
export function mayBePicture(file: DiffFile): boolean {
  return file.isPicture === true && Math.max(file.oldBytes, file.newBytes) <= limits.pictureBytes;
}

/** SECURITY(T33): by the bytes, never by the name; no SVG, which can hold a script. */
export function rasterType(bytes: Uint8Array): string | null {
  return pictureType(bytes);
}
