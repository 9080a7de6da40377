// Adds grants to the text of a configuration, and leaves every other character as it is.

import { isMap, isSeq, LineCounter, parseDocument, type YAMLSeq } from "yaml";
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

/** Fails if the agent's `fs_grants` is not a list that can be extended as text; then a person has to do it. */
export function addGrants(text: string, agent: string, grants: readonly AddedGrant[]): AddedText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const list: unknown = document.errors.length > 0 ? undefined : document.getIn(["agents", agent, "fs_grants"], true);
  if (!isSeq(list) || !Array.isArray(list.range))
    return { ok: false, reason: `agents.${agent}.fs_grants is not a list there` };
  const changed = list.flow === true ? inFlow(text, list, grants) : inBlock(text, list, lines, grants);
  if (changed === null) return { ok: false, reason: "its fs_grants cannot be extended line by line" };
  return countOf(changed, agent) === list.items.length + grants.length
    ? { ok: true, text: changed }
    : { ok: false, reason: "its fs_grants cannot be extended line by line" };
}

/** `[a, b]` */
function inFlow(text: string, { range, items }: YAMLSeq, grants: readonly AddedGrant[]): string | null {
  const [, end] = range as [number, number, number];
  if (text[end - 1] !== "]") return null;
  const added = grants
    .map(({ path, hide }) => JSON.stringify({ path, mode: "r", ...(hide.length === 0 ? {} : { hide }) }))
    .join(", ");
  const before = text.slice(0, end - 1).trimEnd();
  const separator = items.length === 0 || before.endsWith(",") ? "" : ", ";
  return `${before}${separator}${added}${text.slice(before.length)}`;
}

/** One item a line, as deep as the last one, and right after it. */
function inBlock(text: string, { items }: YAMLSeq, lines: LineCounter, grants: readonly AddedGrant[]): string | null {
  const last = items.at(-1);
  const range = isMap(last) ? last.range : null;
  if (range === null || range === undefined) return null;
  const start = lines.lineStarts[lines.linePos(range[0]).line - 1] as number;
  const indent = /^( *)- /.exec(text.slice(start))?.[1];
  if (indent === undefined) return null;
  const newline = text.indexOf("\n", Math.max(range[0], range[1] - 1));
  const end = newline < 0 ? text.length : newline + 1;
  const before = text.slice(0, end);
  const added = grants.map((grant) => `${indent}- ${grantText(grant)}\n`).join("");
  return `${before}${before.endsWith("\n") ? "" : "\n"}${added}${text.slice(end)}`;
}

function countOf(text: string, agent: string): number {
  const document = parseDocument(text);
  const list: unknown = document.errors.length > 0 ? null : document.getIn(["agents", agent, "fs_grants"], true);
  return isSeq(list) ? list.items.length : -1;
}
