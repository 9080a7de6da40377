// Where a landing puts its own files: in the deepest directory that exists and contains all that changes. The gate may be allowed to write
// only there, and not at the top of what was granted.

import { DirectoryHandle, splitPath } from "../../process/directory-handle.ts";

/** `paths`: relative to the directory. */
export function stagingDirectory(directory: string, paths: readonly string[]): string {
  let common = paths[0] === undefined ? "" : splitPath(paths[0])[0];
  for (const path of paths) while (common !== "" && !path.startsWith(`${common}/`)) [common] = splitPath(common);
  const handle = new DirectoryHandle(directory);
  try {
    while (common !== "" && !handle.isDirectory(common)) [common] = splitPath(common);
    return common;
  } finally {
    handle.close();
  }
}
