// Puts one entry into a JSON file that a person or a program keeps, and takes it out again.
// Invariant: every other byte stays: comments, order, indentation, line ends. What cannot be done so is not done.

import { isDeepStrictEqual } from "node:util";
import { type JsoncMember, type JsoncNode, parseJsonc } from "./jsonc-tree.ts";

export type Inserted =
  | { readonly state: "added"; readonly text: string }
  /** An entry of that name is there. */
  | { readonly state: "present"; readonly value: unknown }
  | { readonly state: "impossible"; readonly reason: string };

export interface JsonEntry {
  /** The objects that lead to it, from the outermost. */
  readonly path: readonly string[];
  readonly name: string;
  readonly value: unknown;
}

interface Edit {
  readonly at: number;
  readonly text: string;
}

export function insertJsonEntry(text: string, entry: JsonEntry): Inserted {
  const parsed = parseJsonc(text);
  if (!parsed.ok)
    return {
      state: "impossible",
      reason: `it is not JSON: line ${parsed.line}, column ${parsed.column}: ${parsed.reason}`,
    };
  const { root } = parsed;
  const eol = /\r\n/.test(text) ? "\r\n" : "\n";
  const unit = /^([ \t]+)["}]/m.exec(text)?.[1] ?? "  ";
  const keys = [...entry.path, entry.name];
  if (root === null) {
    const gap = text === "" || /[\n\uFEFF]$/.test(text) ? "" : eol;
    return { state: "added", text: `${text}${gap}${render(nest(keys, entry.value), "", unit, eol)}${eol}` };
  }
  let parent = root;
  for (const [depth, key] of keys.entries()) {
    const named = keys.slice(0, depth).join(".");
    if (parent.members === null)
      return { state: "impossible", reason: `${named === "" ? "the file" : named} is not an object` };
    const found = parent.members.filter((member) => member.key === key);
    if (found.length > 1)
      return { state: "impossible", reason: `${[...keys.slice(0, depth), key].join(".")} is written twice` };
    const [member] = found;
    if (member === undefined) {
      const edits = insertMember(text, parent, key, nest(keys.slice(depth + 1), entry.value), unit, eol);
      return checked(text, apply(text, edits), root.value, keys, entry.value);
    }
    if (depth === keys.length - 1) return { state: "present", value: member.node.value };
    parent = member.node;
  }
  return { state: "impossible", reason: "it names nothing" };
}

/** The entry's own value, wherever it is; undefined where it is not. */
export function jsonEntry(text: string, keys: readonly string[]): unknown {
  const parsed = parseJsonc(text);
  let value: unknown = parsed.ok ? parsed.root?.value : undefined;
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** The text before the entry was added: the one that gives this text when it is added. Null: there is no such text. */
export function withoutJsonEntry(text: string, entry: JsonEntry): string | null {
  const parsed = parseJsonc(text);
  if (!parsed.ok || parsed.root === null) return null;
  const trail: { parent: JsoncNode; member: JsoncMember }[] = [];
  let parent = parsed.root;
  for (const key of [...entry.path, entry.name]) {
    const member = parent.members?.find((one) => one.key === key);
    if (member === undefined) return null;
    trail.push({ parent, member });
    parent = member.node;
  }
  const bom = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  // The most that may have been ours first: the file, then the maps around the entry.
  const candidates = [bom, ...trail.flatMap(({ parent: object, member }) => withoutMember(text, object, member))];
  return (
    candidates.find((before) => {
      const again = insertJsonEntry(before, entry);
      return again.state === "added" && again.text === text;
    }) ?? null
  );
}

function withoutMember(text: string, parent: JsoncNode, member: JsoncMember): string[] {
  const previous = parent.members?.at((parent.members?.indexOf(member) ?? 0) - 1);
  const before = previous === member ? null : (previous ?? null);
  const closing = `${/\r\n/.test(text) ? "\r\n" : "\n"}${indentAt(text, parent.start)}`;
  const own = member.comma === null ? member.node.end : member.comma + 1;
  const ends = text.startsWith(closing, own) ? [own, own + closing.length] : [own];
  return ends.flatMap((end) => {
    const head = text.slice(0, member.before);
    const tail = text.slice(end);
    const comma = before?.comma ?? null;
    const withoutComma = comma === null ? head : head.slice(0, comma) + head.slice(comma + 1);
    return [withoutComma + tail, head + tail];
  });
}

function insertMember(text: string, parent: JsoncNode, key: string, value: unknown, unit: string, eol: string): Edit[] {
  const last = parent.members?.at(-1);
  const comma = last === undefined || last.comma !== null ? [] : [{ at: last.node.end, text: "," }];
  // Where the file ends its lists with a comma, so does ours.
  const trailing = last !== undefined && last.comma !== null ? "," : "";
  const isInline = last !== undefined && !text.slice(parent.start, parent.end).includes("\n");
  if (isInline)
    return [...comma, { at: parent.contentEnd, text: ` ${JSON.stringify(key)}: ${inline(value)}${trailing}` }];
  const own = indentAt(text, parent.start);
  const indent = last === undefined ? own + unit : indentAt(text, last.keyStart);
  const closes = text.slice(parent.contentEnd, parent.end).includes("\n") ? "" : eol + own;
  const member = `${eol}${indent}${JSON.stringify(key)}: ${render(value, indent, unit, eol)}${trailing}${closes}`;
  return [...comma, { at: parent.contentEnd, text: member }];
}

/** The blanks that its line begins with. */
function indentAt(text: string, offset: number): string {
  const line = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line, offset))?.[0] ?? "";
}

function apply(text: string, edits: readonly Edit[]): string {
  let [result, from] = ["", 0];
  for (const edit of edits) {
    result += text.slice(from, edit.at) + edit.text;
    from = edit.at;
  }
  return result + text.slice(from);
}

/** Read back: the same values as before, and the entry. */
function checked(before: string, text: string, was: unknown, keys: readonly string[], value: unknown): Inserted {
  const parsed = parseJsonc(text);
  const wanted = structuredClone(was) as Record<string, unknown>;
  let parent = wanted;
  for (const key of keys.slice(0, -1)) {
    if (!Object.hasOwn(parent, key)) parent[key] = {};
    parent = parent[key] as Record<string, unknown>;
  }
  parent[keys.at(-1) as string] = value;
  const isRight = parsed.ok && isDeepStrictEqual(parsed.root?.value, wanted) && text.length > before.length;
  return isRight ? { state: "added", text } : { state: "impossible", reason: "its form is not one that we know" };
}

function nest(keys: readonly string[], value: unknown): unknown {
  return keys.reduceRight((inner, key) => ({ [key]: inner }), value);
}

/** Objects on lines of their own, lists on one. */
function render(value: unknown, indent: string, unit: string, eol: string): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return inline(value);
  const inner = indent + unit;
  const members = Object.entries(value).map(
    ([key, one]) => `${inner}${JSON.stringify(key)}: ${render(one, inner, unit, eol)}`,
  );
  return `{${eol}${members.join(`,${eol}`)}${eol}${indent}}`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${inline(one)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** As it is pasted into an empty file. */
export function jsonSnippet({ path, name, value }: JsonEntry): string {
  return `${render(nest([...path, name], value), "", "  ", "\n")}\n`;
}
