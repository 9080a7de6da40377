// Adds grants to the text of a configuration, and leaves every other character as it is.

import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type YAMLSeq } from "yaml";
import { displayText } from "../shared/display.ts";

export interface AddedGrant {
  readonly path: string;
  readonly hide: readonly string[];
}

/** The grant as a line of the configuration has it, with mode `r`. */
export function grantText({ path, hide }: AddedGrant): string {
  const hidden = hide.length === 0 ? "" : `, hide: [${hide.map((glob) => JSON.stringify(glob)).join(", ")}]`;
  return `{ path: ${plainText(path)}, mode: r${hidden} }`;
}

function plainText(path: string): string {
  return /^\/[\w./@+~-]+$/.test(path) ? path : displayText(JSON.stringify(path));
}

export type AddedText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

/** What is added to a list, as it is written between brackets, and as a line of its own after the dash. */
interface AddedItem {
  readonly flow: string;
  readonly line: string;
}

/** Fails if the agent's `fs_grants` is not a list that can be extended as text; then a person has to do it. */
export function addGrants(text: string, agent: string, grants: readonly AddedGrant[]): AddedText {
  const items = grants.map((grant): AddedItem => {
    const { path, hide } = grant;
    const flow = JSON.stringify({ path, mode: "r", ...(hide.length === 0 ? {} : { hide }) });
    return { flow, line: grantText(grant) };
  });
  return addItems(text, agent, "fs_grants", items);
}

/** The same for `net_grants`, which is made if the agent has none. `hosts` are names of sets, or hosts as plain words. */
export function addHosts(text: string, agent: string, hosts: readonly string[]): AddedText {
  const items = hosts.map((host): AddedItem => ({ flow: JSON.stringify(host), line: host }));
  const document = parseDocument(text);
  const own: unknown = document.errors.length > 0 ? undefined : document.getIn(["agents", agent], true);
  if (!isMap(own) || own.has("net_grants")) return addItems(text, agent, "net_grants", items);
  const [first] = own.items;
  const start = own.flow === true || !isNode(first?.key) ? -1 : (first.key.range?.[0] ?? -1);
  const indent = /(?<=^|\n) *$/.exec(text.slice(0, Math.max(start, 0)))?.[0];
  if (start < 0 || indent === undefined)
    return { ok: false, reason: `agents.${agent} has no net_grants, and cannot be extended line by line` };
  const list = `net_grants: [${items.map(({ flow }) => flow).join(", ")}]\n`;
  return { ok: true, text: `${text.slice(0, start)}${list}${indent}${text.slice(start)}` };
}

function addItems(
  text: string,
  agent: string,
  field: "fs_grants" | "net_grants",
  items: readonly AddedItem[],
): AddedText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const at = ["agents", agent, field];
  const list: unknown = document.errors.length > 0 ? undefined : document.getIn(at, true);
  if (!isSeq(list) || !Array.isArray(list.range)) return { ok: false, reason: `${at.join(".")} is not a list there` };
  const changed = list.flow === true ? inFlow(text, list, items) : inBlock(text, list, lines, items);
  return changed !== null && countOf(changed, at) === list.items.length + items.length
    ? { ok: true, text: changed }
    : { ok: false, reason: `its ${field} cannot be extended line by line` };
}

/** `[a, b]` */
function inFlow(text: string, { range, items }: YAMLSeq, added: readonly AddedItem[]): string | null {
  const [, end] = range as [number, number, number];
  if (text[end - 1] !== "]") return null;
  const before = text.slice(0, end - 1).trimEnd();
  const separator = items.length === 0 || before.endsWith(",") ? "" : ", ";
  return `${before}${separator}${added.map(({ flow }) => flow).join(", ")}${text.slice(before.length)}`;
}

/** One item a line, as deep as the last one, and right after it. */
function inBlock(text: string, { items }: YAMLSeq, lines: LineCounter, added: readonly AddedItem[]): string | null {
  const last = items.at(-1);
  const range = isMap(last) || isScalar(last) ? last.range : null;
  if (range === null || range === undefined) return null;
  const start = lines.lineStarts[lines.linePos(range[0]).line - 1] as number;
  const indent = /^( *)- /.exec(text.slice(start))?.[1];
  if (indent === undefined) return null;
  const newline = text.indexOf("\n", Math.max(range[0], range[1] - 1));
  const end = newline < 0 ? text.length : newline + 1;
  const before = text.slice(0, end);
  const more = added.map(({ line }) => `${indent}- ${line}\n`).join("");
  return `${before}${before.endsWith("\n") ? "" : "\n"}${more}${text.slice(end)}`;
}

function countOf(text: string, at: readonly string[]): number {
  const document = parseDocument(text);
  const list: unknown = document.errors.length > 0 ? null : document.getIn(at, true);
  return isSeq(list) ? list.items.length : -1;
}
