// Puts one entry into a JSON file that a person or a program keeps, and takes it out again. Only the parser is a library's.
// Invariant: no other byte changes: comments, order, indentation, line ends. To take out also cuts one comma and the blanks around the
// entry. Each result is read back, and what cannot be done so is not done.

import { isDeepStrictEqual } from "node:util";
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

export type Inserted =
  | { readonly state: "added"; readonly text: string }
  /** An entry of that name is there. */
  | { readonly state: "present"; readonly value: unknown }
  | { readonly state: "impossible"; readonly reason: string };

export interface JsonEntry {
  /** The objects that lead to it, from the outermost. With an item, the last one leads to the list. */
  readonly path: readonly string[];
  /** Null for an item of a list. */
  readonly name: string | null;
  readonly value: unknown;
}

type Parsed = { readonly ok: true; readonly root: Node | null } | { readonly ok: false; readonly reason: string };

const mark = "\uFEFF";

/** `root` is null where nothing but blanks and comments are written. */
function parseJsonc(text: string): Parsed {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // the stack is full
    return { ok: false, reason: "it is nested too deeply" };
  }
  const [first] = errors;
  if (first === undefined) return { ok: true, root: root ?? null };
  const lines = text.slice(0, first.offset).split(/\r\n|\n|\r/);
  const [line, column] = [lines.length, (lines.at(-1)?.length ?? 0) + 1];
  return { ok: false, reason: `it is not JSON: line ${line}, column ${column}: ${printParseErrorCode(first.error)}` };
}

/** As the text says, also for a key such as `__proto__`. */
function valueOf({ type, children = [], value }: Node): unknown {
  if (type === "array") return children.map(valueOf);
  if (type === "object") return Object.fromEntries(children.map((one) => [keyOf(one), valueOf(memberValue(one))]));
  return value;
}

const keyOf = (member: Node): string => member.children?.[0]?.value as string;
const memberValue = (member: Node): Node => member.children?.[1] as Node;

export function insertJsonEntry(whole: string, entry: JsonEntry): Inserted {
  const bom = whole.startsWith(mark) ? mark : "";
  const text = whole.slice(bom.length);
  const added = (after: string): Inserted => ({ state: "added", text: bom + after });
  const parsed = parseJsonc(text);
  if (!parsed.ok) return { state: "impossible", reason: parsed.reason };
  const { root } = parsed;
  const form = { eol: /\r\n/.test(text) ? "\r\n" : "\n", unit: /^([ \t]+)["}]/m.exec(text)?.[1] ?? "  " };
  const keys = keysOf(entry);
  const wanted = entry.name === null ? [entry.value] : entry.value;
  if (root === null) {
    const gap = text === "" || text.endsWith("\n") ? "" : form.eol;
    return added(`${text}${gap}${render(nest(keys, wanted), "", form)}${form.eol}`);
  }
  let parent = root;
  for (const [depth, key] of keys.entries()) {
    const named = keys.slice(0, depth).join(".");
    if (parent.type !== "object")
      return { state: "impossible", reason: `${named === "" ? "the file" : named} is not an object` };
    const found = (parent.children ?? []).filter((member) => keyOf(member) === key);
    if (found.length > 1)
      return { state: "impossible", reason: `${[...keys.slice(0, depth), key].join(".")} is written twice` };
    const [member] = found;
    if (member === undefined) {
      const rest = nest(keys.slice(depth + 1), wanted);
      return checked(insertInto(text, parent, `${JSON.stringify(key)}: `, rest, form), root, entry, added);
    }
    parent = memberValue(member);
  }
  if (entry.name !== null) return { state: "present", value: valueOf(parent) };
  if (parent.type !== "array") return { state: "impossible", reason: `${keys.join(".")} is not a list` };
  if (indexOf(parent, entry.value) >= 0) return { state: "present", value: entry.value };
  return checked(insertInto(text, parent, "", entry.value, form), root, entry, added);
}

/** The entry's own value, wherever it is; undefined where it is not. */
export function jsonEntry(text: string, keys: readonly string[]): unknown {
  const parsed = parseJsonc(text.replace(mark, ""));
  let value: unknown = parsed.ok && parsed.root !== null ? valueOf(parsed.root) : undefined;
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** The text without the entry, however it is laid out now. Maps and lists around it stay, also if they are empty then. Null: it is not there, or cannot be cut out. */
export function withoutJsonEntry(whole: string, entry: JsonEntry): string | null {
  const bom = whole.startsWith(mark) ? mark : "";
  const text = whole.slice(bom.length);
  const parsed = parseJsonc(text);
  const root = parsed.ok ? parsed.root : null;
  let node = root;
  for (const key of keysOf(entry)) {
    const member = node?.type === "object" ? node.children?.find((one) => keyOf(one) === key) : undefined;
    node = member === undefined ? null : memberValue(member);
  }
  if (root === null || node === null) return null;
  const index = entry.name === null ? indexOf(node, entry.value) : null;
  const own = index === null ? node.parent : node.children?.[index];
  if (own === undefined) return null;
  const without = cutOut(text, own);
  const after = parseJsonc(without);
  const isRight = after.ok && after.root !== null && isDeepStrictEqual(valueOf(after.root), valueWithout(root, entry));
  return isRight ? bom + without : null;
}

/** The text without a member or an item, and without the comma that it needed. Comments beside it may be a person's, and stay. */
function cutOut(text: string, own: Node): string {
  const parent = own.parent as Node;
  const siblings = parent.children ?? [];
  const at = siblings.indexOf(own);
  const [prev, next] = [siblings[at - 1], siblings[at + 1]];
  let [start, end] = [own.offset, own.offset + own.length];
  const comma = commaIn(text, end, next?.offset ?? parent.offset + parent.length - 1);
  const isBeside = comma !== null && text.slice(end, comma).trim() === "";
  if (isBeside) end = comma + 1;
  const after = comma === null || isBeside ? null : comma;
  const before = comma === null && prev !== undefined ? commaIn(text, prev.offset + prev.length, start) : null;
  let begin = start;
  while (/[ \t]/.test(text[begin - 1] ?? "")) begin -= 1;
  const isFirstOnLine = text[begin - 1] === "\n";
  // First on its line, it leaves the indentation to what follows. Alone on its lines, it goes with them.
  if (isFirstOnLine || begin === start) end += /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  if (!isFirstOnLine) start = begin;
  else if (/^\r?\n/.test(text.slice(end))) start = begin - (text[begin - 2] === "\r" ? 2 : 1);
  const without = (from: number, to: number, comma: number | null): string =>
    comma === null ? text.slice(from, to) : text.slice(from, comma) + text.slice(comma + 1, to);
  return without(0, start, before) + without(end, text.length, after);
}

/** Where the first comma is that is no part of a comment. */
function commaIn(text: string, from: number, end: number): number | null {
  const scanner = createScanner(text);
  scanner.setPosition(from);
  for (scanner.scan(); scanner.getTokenOffset() < end; scanner.scan())
    if (text.slice(scanner.getTokenOffset(), scanner.getPosition()) === ",") return scanner.getTokenOffset();
  return null;
}

function valueWithout(root: Node, entry: JsonEntry): unknown {
  const value = valueOf(root);
  let parent = value as Record<string, unknown>;
  for (const key of entry.path) parent = parent[key] as Record<string, unknown>;
  if (entry.name !== null) delete parent[entry.name];
  else if (Array.isArray(parent))
    parent.splice(
      parent.findIndex((one) => isDeepStrictEqual(one, entry.value)),
      1,
    );
  return value;
}

function keysOf({ path, name }: JsonEntry): string[] {
  return name === null ? [...path] : [...path, name];
}

function indexOf({ type, children = [] }: Node, value: unknown): number {
  return type === "array" ? children.findIndex((one) => isDeepStrictEqual(valueOf(one), value)) : -1;
}

interface Form {
  readonly eol: string;
  readonly unit: string;
}

/** Appends to an object or a list. */
function insertInto(text: string, parent: Node, name: string, value: unknown, form: Form): string {
  const last = parent.children?.at(-1);
  const lastEnd = last === undefined ? parent.offset + 1 : last.offset + last.length;
  const end = parent.offset + parent.length;
  const { contentEnd, hasComma } = restOf(text, lastEnd, end - 1);
  const put = (member: string): string =>
    text.slice(0, lastEnd) +
    (last === undefined || hasComma ? "" : ",") +
    text.slice(lastEnd, contentEnd) +
    member +
    text.slice(contentEnd);
  // Where the file ends its lists with a comma, so does ours.
  const trailing = hasComma ? "," : "";
  const isOnOneLine = !text.slice(parent.offset, end).includes("\n");
  if (isOnOneLine && (last !== undefined || parent.type === "array"))
    return put(`${last === undefined ? "" : " "}${name}${inline(value)}${trailing}`);
  const own = indentAt(text, parent.offset);
  const indent = last === undefined ? own + form.unit : indentAt(text, last.offset);
  const closes = text.slice(contentEnd, end).includes("\n") ? "" : form.eol + own;
  return put(`${form.eol}${indent}${name}${render(value, indent, form)}${trailing}${closes}`);
}

/** Where the last comma or comment after a member ends, and whether there is a comma. `end` is where the brace or bracket is. */
function restOf(text: string, from: number, end: number): { readonly contentEnd: number; readonly hasComma: boolean } {
  const scanner = createScanner(text);
  let [contentEnd, hasComma] = [from, false];
  scanner.setPosition(from);
  for (scanner.scan(); scanner.getTokenOffset() < end; scanner.scan()) {
    const token = text.slice(scanner.getTokenOffset(), scanner.getPosition());
    hasComma ||= token === ",";
    if (token.trim() !== "") contentEnd = scanner.getPosition();
  }
  return { contentEnd, hasComma };
}

/** The blanks that its line begins with. */
function indentAt(text: string, offset: number): string {
  const line = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line, offset))?.[0] ?? "";
}

/** Read back: the same values as before, and the entry. */
function checked(text: string, was: Node, entry: JsonEntry, added: (text: string) => Inserted): Inserted {
  const parsed = parseJsonc(text);
  const wanted = valueOf(was) as Record<string, unknown>;
  let parent: unknown = wanted;
  const keys = keysOf(entry);
  for (const [depth, key] of keys.entries()) {
    const inside = parent as Record<string, unknown>;
    const isLast = depth === keys.length - 1;
    if (!Object.hasOwn(inside, key) && !isLast) inside[key] = {};
    if (isLast) inside[key] = entry.name === null ? [...((inside[key] as unknown[]) ?? []), entry.value] : entry.value;
    parent = inside[key];
  }
  const isRight = parsed.ok && parsed.root !== null && isDeepStrictEqual(valueOf(parsed.root), wanted);
  return isRight ? added(text) : { state: "impossible", reason: "its form is not one that we know" };
}

function nest(keys: readonly string[], value: unknown): unknown {
  return keys.reduceRight((inner, key) => ({ [key]: inner }), value);
}

/** Objects on lines of their own, lists on one. */
function render(value: unknown, indent: string, form: Form): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return inline(value);
  const inner = indent + form.unit;
  const members = Object.entries(value).map(
    ([key, one]) => `${inner}${JSON.stringify(key)}: ${render(one, inner, form)}`,
  );
  return `{${form.eol}${members.join(`,${form.eol}`)}${form.eol}${indent}}`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${inline(one)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** As it is pasted into an empty file. */
export function jsonSnippet(entry: JsonEntry): string {
  const value = entry.name === null ? [entry.value] : entry.value;
  return `${render(nest(keysOf(entry), value), "", { eol: "\n", unit: "  " })}\n`;
}
