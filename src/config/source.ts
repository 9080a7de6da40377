// Parses a file into a value, and maps each part of the value back to its line and column.

import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from "yaml";
import { type ConfigError, fileError } from "./config-error.ts";
import { configBounds } from "./schema.ts";

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

export function parseSource(file: string | null, text: string): ParseResult {
  const lines = text.split(/\r?\n/);
  const counter = new LineCounter();
  const errorAtOffset = (offset: number, message: string, hint: string): ConfigError => {
    const { line, col } = counter.linePos(Math.min(offset, text.length));
    return { file, line, column: col, message, hint, source: lines[line - 1] ?? null };
  };
  // logLevel "error", because "silent" would drop a second document without an error.
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: "error" });
  const problem = document.errors[0] ?? document.warnings[0];
  // Only the first error is reported, because the others usually follow from it.
  if (problem !== undefined)
    return { ok: false, errors: [errorAtOffset(problem.pos[0], ...describeYamlProblem(problem))] };
  if (document.contents === null) {
    return {
      ok: false,
      errors: [
        fileError(
          file,
          "the file is empty",
          'Begin with "version: 1", or remove the file to get the built-in defaults.',
        ),
      ],
    };
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: configBounds.aliasCount });
  } catch (error) {
    const bomb = error instanceof Error && error.message.startsWith("Excessive alias");
    if (!bomb) return { ok: false, errors: [lostAlias(document, errorAtOffset)] };
    const message = "aliases stand for more than a configuration can need";
    return { ok: false, errors: [fileError(file, message, "Write the values out instead of using & and *.")] };
  }
  const errorAt: Source["errorAt"] = (path, message, hint, at = "value") =>
    errorAtOffset(offsetOf(document, path, at), message, hint);
  return { ok: true, source: { file, value, errorAt } };
}

/** In `[git, push, **]` YAML reads the star as the beginning of an alias. */
function lostAlias(
  document: Document,
  errorAtOffset: (offset: number, message: string, hint: string) => ConfigError,
): ConfigError {
  let offset = 0;
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return undefined;
      offset = startOf(alias) ?? 0;
      return visit.BREAK;
    },
  });
  return errorAtOffset(
    offset,
    "an alias names an anchor that is not there",
    'Put it in quotes if you mean the text: "*".',
  );
}

/** Explains the parser's error codes: what is wrong, and what would pass. */
const yamlProblems: Partial<Record<YAMLError["code"], readonly [message: string, hint: string]>> = {
  DUPLICATE_KEY: ["this key is written twice", "Keep one of the two."],
  TAB_AS_INDENT: ["a tab is used as indentation", "Use spaces."],
  MULTIPLE_DOCS: ["a second document begins here", "Keep one document, without a second ---."],
  TAG_RESOLVE_FAILED: ["tags (!name) are not known here", "Write the plain value."],
  RESOURCE_EXHAUSTION: ["this is nested too deeply", "A configuration has five levels."],
};

function describeYamlProblem({ code, message }: YAMLError): readonly [message: string, hint: string] {
  const hint =
    code === "BAD_SCALAR_START"
      ? "Put the value in quotes."
      : "Check brackets, quotes and indentation here and in the line above.";
  return yamlProblems[code] ?? [`not valid YAML: ${message}`, hint];
}

function offsetOf(document: Document, path: FieldPath, at: "key" | "value"): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [index, part] of path.entries()) {
    const collection = isAlias(node) ? node.resolve(document) : node;
    let next: unknown;
    if (isMap(collection)) {
      const pair = collection.items.find(({ key }) => keyText(key) === String(part));
      const isLast = index === path.length - 1;
      next = pair === undefined ? undefined : isLast && at === "key" ? pair.key : (pair.value ?? pair.key);
    } else if (isSeq(collection)) {
      next = collection.items[Number(part)];
    }
    if (next === undefined || next === null) return offset;
    node = next;
    offset = startOf(node) ?? offset;
  }
  return offset;
}

/** Converts a key to a property name as the parser does. */
function keyText(key: unknown): string | undefined {
  const value: unknown = isScalar(key) ? key.value : undefined;
  if (value === null) return "";
  return typeof value === "string" ? value : typeof value === "object" ? undefined : JSON.stringify(value);
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null)?.range?.[0];
}
