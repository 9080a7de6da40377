// A text for a box to read: a program's standard input, or its environment. A file that has no name any more, so that
// `/dev/stdin` can be opened again, and nobody has to write while somebody reads.

import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, rmSync, writeSync } from "node:fs";

export function openText(text: string, directory: string): number {
  const path = `${directory}/text-${randomBytes(8).toString("hex")}`;
  const writer = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    const reader = openSync(path, constants.O_RDONLY);
    const bytes = Buffer.from(text, "utf8");
    for (let done = 0; done < bytes.length;) done += writeSync(writer, bytes, done);
    return reader;
  } finally {
    closeSync(writer);
    rmSync(path);
  }
}
