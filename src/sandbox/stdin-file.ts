// A program's standard input: nothing, or a text that was given whole. A file that has no name any more, so
// that `/dev/stdin` can be opened again and nobody has to write while the program reads.

import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, rmSync, writeSync } from "node:fs";

export function openStdin(text: string | null, directory: string): number {
  if (text === null) return openSync("/dev/null", constants.O_RDONLY);
  const path = `${directory}/stdin-${process.pid}-${randomBytes(8).toString("hex")}`;
  const writer = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    const reader = openSync(path, constants.O_RDONLY);
    const bytes = Buffer.from(text, "utf8");
    for (let done = 0; done < bytes.length; ) done += writeSync(writer, bytes, done);
    return reader;
  } finally {
    closeSync(writer);
    rmSync(path);
  }
}
