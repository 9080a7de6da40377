// Serves a file of a change as a picture: its verified bytes, and only a format that cannot contain a script.

import type { DiffFile } from "../action/diff-file.ts";
import { limits } from "../shared/limits.ts";
import { pictureType } from "../shared/picture-type.ts";

/** True if the name and the first bytes are those of a picture, and it is not too long to fetch. */
export function mayBePicture(file: DiffFile): boolean {
  return file.isPicture === true && Math.max(file.oldBytes, file.newBytes) <= limits.pictureBytes;
}

/** SECURITY(T33): the bytes decide the type, never the name. SVG is excluded, because it can contain a script. */
export function rasterType(bytes: Uint8Array): string | null {
  return pictureType(bytes);
}
