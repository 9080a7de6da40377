// Parses the JSON of a call as a person typed it. An error says where the text stops being JSON.

import { displayText } from "../../shared/display.ts";
import { limits } from "../../shared/limits.ts";
import { readInput } from "../terminal/read-input.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";

/** `-` reads standard input; nothing means no arguments. */
export async function readJsonArgument(json: string | undefined, { streams }: Terminal): Promise<unknown> {
  const text = json === "-" ? await readInput(streams.stdin, limits.callJsonBytes, "the JSON of a call") : json;
  return text === undefined ? {} : parseJsonArgument(text);
}

export function parseJsonArgument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(describeJsonError(text), hintFor(text));
  }
}

function describeJsonError(text: string): string {
  const { at, expected } = findOrGiveUp(text);
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  const column = at - before.lastIndexOf("\n");
  const start = Math.max(before.lastIndexOf("\n") + 1, at - 40);
  const end = text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at);
  // The caret counts columns of the escaped text: an escape is longer than the character it replaces.
  const shown = displayText(text.slice(start, Math.min(end, at + 40)));
  const caret = " ".repeat(displayText(text.slice(start, at)).length);
  return `the arguments are not JSON: line ${line}, column ${column}: expected ${expected}\n  ${shown}\n  ${caret}^`;
}

function hintFor(text: string): string {
  if (text.trim() === "") return "Leave the arguments out for none, or write '{}'.";
  return `Names and texts stand in double quotes, the whole in single ones: '{"argv":["/bin/ls","-l"]}'.`;
}

const token =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/uy;

type Want = "value" | "value or ]" | "name or }" | "name" | "colon" | "comma" | "end";

const wanted: Record<Want, string> = {
  value: "a value",
  "value or ]": "a value or ]",
  "name or }": "a name in double quotes, or }",
  name: "a name in double quotes",
  colon: "a colon",
  comma: "a comma, or the closing bracket",
  end: "nothing more",
};

/** The search can fail for a text of many megabytes. Then the message points at the beginning. */
function findOrGiveUp(text: string): { at: number; expected: string } {
  try {
    return findJsonError(text);
  } catch {
    return { at: 0, expected: "JSON" };
  }
}

/** The first position at which the text stops being a prefix of JSON. JSON.parse does not always report it. */
function findJsonError(text: string): { at: number; expected: string } {
  const open: string[] = [];
  let want: Want = "value";
  let at = 0;
  for (;;) {
    token.lastIndex = at;
    const match = token.exec(text);
    const offset = at + (/^[ \t\n\r]*/.exec(text.slice(at))?.[0].length ?? 0);
    const next: Want | null =
      match === null ? null : step(want, match[1] ?? (match[2] === undefined ? "v" : "s"), open);
    if (match === null || next === null) return { at: offset, expected: wanted[want] };
    want = next;
    at = token.lastIndex;
  }
}

function step(want: Want, kind: string, open: string[]): Want | null {
  const after = (): Want => (open.length === 0 ? "end" : "comma");
  const close = (bracket: string): Want | null => (open.pop() === bracket ? after() : null);
  if (kind === "]" && (want === "value or ]" || want === "comma")) return close("[");
  if (kind === "}" && (want === "name or }" || want === "comma")) return close("{");
  if (want === "name" || want === "name or }") return kind === "s" ? "colon" : null;
  if (want === "colon") return kind === ":" ? "value" : null;
  if (want === "comma") return kind !== "," ? null : open.at(-1) === "{" ? "name" : "value";
  if (want === "end") return null;
  if (kind === "{") return (open.push("{"), "name or }");
  if (kind === "[") return (open.push("["), "value or ]");
  return kind === "s" || kind === "v" ? after() : null;
}
