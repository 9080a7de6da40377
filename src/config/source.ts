// Reads the text of a file of the configuration, and says what comes of parsing it.

import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { configBounds } from "./config-bounds.ts";
import { type ConfigError, fileError } from "./config-error.ts";

export type FieldPath = readonly (string | number)[];

export interface Source {
  readonly file: string | null;
  readonly value: unknown;
  /** An error at the value of `path` (at the key, for an unknown key), or at the nearest parent. */
  errorAt(path: FieldPath, message: string, hint: string, at?: "key" | "value"): ConfigError;
}

export type ReadResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: boolean; readonly error: ConfigError };

/** Only regular files are read: a named pipe would block for ever, and a directory is not text. */
export function readConfigFile(file: string): ReadResult {
  const no = (message: string, hint: string, missing = false): ReadResult => ({
    ok: false,
    missing,
    error: fileError(file, message, hint),
  });
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    if (code === "ENOENT" || code === "ENOTDIR")
      return no("there is no such file", "Check the name after --config or in $SALLYPORT_CONFIG.", true);
    if (code === "EACCES")
      return no("the file cannot be read: no permission", "Make it readable for the user who runs sallyport.");
    return no(`the file cannot be read (${code})`, "It must be a regular file.");
  }
  try {
    const status = fstatSync(descriptor);
    if (status.isDirectory()) return no("this is a directory, not a file", "Name the file in it, such as config.yaml.");
    if (!status.isFile())
      return no("this is not a regular file", "Pipes and devices are not read; write the configuration to a file.");
    const bytes = readAtMost(descriptor, configBounds.fileBytes + 1);
    if (bytes.length > configBounds.fileBytes)
      return no("the file is larger than 1 MiB", "A configuration is a page of text; is this the right file?");
    return decode(file, bytes);
  } finally {
    closeSync(descriptor);
  }
}

function readAtMost(descriptor: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  for (let read = -1; read !== 0 && filled < length; filled += read)
    read = readSync(descriptor, buffer, filled, length - filled, null);
  return buffer.subarray(0, filled);
}

function decode(file: string, bytes: Buffer): ReadResult {
  if (isUtf8(bytes)) return { ok: true, text: new TextDecoder().decode(bytes) };
  let line = 1;
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1 && isUtf8(bytes.subarray(start, end)); end = bytes.indexOf(10, start)) {
    start = end + 1;
    line += 1;
  }
  const error = { ...fileError(file, "the file is not UTF-8 text", "Save it as UTF-8."), line, column: 1 };
  return { ok: false, missing: false, error };
}

export type ParseResult =
  | { readonly ok: true; readonly source: Source }
  | { readonly ok: false; readonly errors: readonly ConfigError[] };
