// Opens a text for a box to read: a program's standard input, or its environment. The text is an unlinked file, so that a program can
// reopen `/dev/stdin`, and the gate need not write while the program reads.

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
