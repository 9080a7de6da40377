// An entry is one event in the record: its fields as they appear on the wire, and the one line that it is printed as.
// Invariant: a line holds one entry, is safe in any terminal, and JSON.parse returns exactly that entry.

import type { Json } from "../shared/json.ts";

export const entryEvents = [
  "tool.call.received",
  "tool.call.denied",
  "tool.call.dispatched",
  "tool.call.finished",
  "approval.requested",
  "approval.answered",
  "approval.timeout",
  "commit.staged",
  "commit.discarded",
  "commit.pushed",
  "files.pulled",
  "policy.changed",
  "network.opened",
  "network.request",
  "network.used",
  "agent.said",
  "session.began",
  "session.landed",
  "session.discarded",
  "session.restored",
  "device.paired",
  "device.refused",
  "device.revoked",
  "audit.cut", // written by the record itself, when it finds that its end is gone
] as const;

export type EntryEvent = (typeof entryEvents)[number];

export type EntryDecision = "allow" | "ask" | "deny";

/** What happened: an entry before the record gives it a number, a time and its link of the chain. */
export interface EntryContent {
  readonly session: string | null;
  readonly agent: string | null;
  readonly call_id: string | null;
  readonly event: EntryEvent;
  readonly tool: string | null;
  readonly args: Json;
  readonly digest: string | null;
  readonly decision: EntryDecision | null;
  readonly because: readonly string[] | null;
  readonly outcome: Json;
}

/** An entry before it is sealed. */
export interface UnsealedEntry extends EntryContent {
  readonly seq: number;
  readonly time: string;
  readonly prev: string;
}

export interface Entry extends UnsealedEntry {
  readonly hash: string;
}

/** The short fields of an entry, by which entries are listed and counted. */
export interface EntryLabels {
  readonly seq: number;
  readonly time: string;
  readonly session: string | null;
  readonly agent: string | null;
  readonly call_id: string | null;
  readonly event: EntryEvent;
  readonly tool: string | null;
  readonly decision: EntryDecision | null;
}

/** What a caller supplies. The record alone sets number, time and chain. */
export interface EntryDraft {
  readonly event: Exclude<EntryEvent, "audit.cut">;
  readonly session?: string | null | undefined;
  readonly agent?: string | null | undefined;
  readonly call_id?: string | null | undefined;
  readonly tool?: string | null | undefined;
  readonly args?: unknown;
  readonly digest?: string | null | undefined;
  readonly decision?: EntryDecision | null | undefined;
  readonly because?: readonly string[] | null | undefined;
  readonly outcome?: unknown;
}

// Characters that can move a cursor, end a line, or hide or reorder text: control and format characters (bidi among them), line and
// paragraph separators, and invisible ones. JSON.stringify itself escapes C0 and lone surrogates.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const plain = /^[\x20-\x7e]*$/;

/** JSON text without a character that a terminal or a line reader would act on. */
export function safeJson(value: Json): string {
  const text = JSON.stringify(value);
  return plain.test(text) ? text : text.replace(unsafe, escapeUnits);
}

export function entryLine(entry: Entry): string {
  const { seq, time, session, agent, call_id, event, tool, args, digest, decision, because, outcome, prev, hash } =
    entry;
  return safeJson({
    seq,
    time,
    session,
    agent,
    call_id,
    event,
    tool,
    args,
    digest,
    decision,
    because,
    outcome,
    prev,
    hash,
  });
}

function escapeUnits(text: string): string {
  let escaped = "";
  for (let index = 0; index < text.length; index += 1) {
    escaped += `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return escaped;
}
