// Prepares a draft for the disk: converts it to JSON, redacts secrets, bounds its size. In that order, and only here.
// Invariant: the entry's line is at most `limits.auditEntryBytes` long.

import { utf8Length } from "../shared/bytes.ts";
import type { Hashes } from "../shared/hash.ts";
import type { Json } from "../shared/json.ts";
import { limits } from "../shared/limits.ts";
import { bound, cutString } from "./bound.ts";
import { type EntryContent, type EntryDraft, safeJson } from "./entry.ts";

export type { EntryContent } from "./entry.ts";
import { KnownSecrets } from "./known-secrets.ts";
import { redact } from "./redact.ts";
import { redactText } from "./redact-text.ts";
import { toJson } from "./to-json.ts";

/** The parts of an entry that may be long. */
interface RecordedTexts {
  readonly args: Json;
  readonly because: readonly string[] | null;
  readonly outcome: Json;
}

const labelBytes = 512;
const chainBytes = 512; // seq, time, prev, hash and the names of all fields

/** `known` holds what was redacted in other entries of the same call. */
export function contentOf(draft: EntryDraft, hashes: Hashes, known: KnownSecrets = new KnownSecrets()): EntryContent {
  const label = (text: unknown) => labelOf(text, hashes);
  const labels = {
    session: label(draft.session),
    agent: label(draft.agent),
    call_id: label(draft.call_id),
    tool: label(draft.tool),
    digest: label(draft.digest),
  };
  // Redacted as one value, because reasons and outcome repeat the request, and the context of a secret identifies it.
  const recorded: Json = {
    args: toJson(draft.args),
    because: draft.because?.map(String) ?? null,
    outcome: toJson(draft.outcome),
  };
  const isEnd = draft.event === "tool.call.finished" || draft.event === "tool.call.denied";
  // SECURITY(T42): no other step stands between the caller's text and the disk.
  const said = known.sweep(labels.call_id, recorded, redact(recorded), isEnd);
  const mostBytes = draft.event === "agent.said" ? limits.auditSaidBytes : limits.auditEntryBytes;
  const bytesLeft = mostBytes - chainBytes - utf8Length(safeJson(labels));
  const { args, because, outcome } = bound(said, bytesLeft, hashes) as unknown as RecordedTexts;
  const { session, agent, call_id, tool, digest } = labels;
  return {
    session,
    agent,
    call_id,
    event: draft.event,
    tool,
    args,
    digest,
    decision: draft.decision ?? null,
    because,
    outcome,
  };
}

// Labels are compared as database columns, so they must be well-formed text without NUL.
function labelOf(text: unknown, hashes: Hashes): string | null {
  if (text === null || text === undefined) return null;
  const shown = typeof text === "string" ? text : safeJson(toJson(text));
  return cutString(redactText(shown.toWellFormed().replaceAll("\0", "\u2400")), labelBytes, hashes);
}
