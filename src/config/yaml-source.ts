// Parses YAML into a value, and maps each part of the value back to its line and column.

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
import { configBounds } from "./config-bounds.ts";
import { type ConfigError, fileError } from "./config-error.ts";
import type { FieldPath, ParseResult, Source } from "./source.ts";

export function parseYamlSource(file: string | null, text: string): ParseResult {
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
