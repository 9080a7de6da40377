// The events in plain words, for the timeline, the filters and the charts.

import type { EntryEvent } from "../../src/audit/entry.ts";

/** The colour of the event. The label says the same. */
export type Tone = "plain" | "good" | "ask" | "bad" | "note";

interface EventWords {
  readonly label: string;
  readonly tone: Tone;
}

const eventWords: Readonly<Record<EntryEvent, EventWords>> = {
  "tool.call.received": { label: "Called", tone: "plain" },
  "tool.call.denied": { label: "Refused", tone: "bad" },
  "tool.call.dispatched": { label: "Started", tone: "good" },
  "tool.call.finished": { label: "Finished", tone: "plain" },
  "approval.requested": { label: "Asked you", tone: "ask" },
  "approval.answered": { label: "Answered", tone: "ask" },
  "approval.timeout": { label: "No answer", tone: "bad" },
  "commit.staged": { label: "Staged", tone: "note" },
  "commit.discarded": { label: "Discarded", tone: "note" },
  "commit.pushed": { label: "Pushed", tone: "note" },
  "files.pulled": { label: "Pulled", tone: "note" },
  "policy.changed": { label: "Rules changed", tone: "ask" },
  "network.opened": { label: "Host judged", tone: "note" },
  "network.request": { label: "Request with your key", tone: "note" },
  "network.used": { label: "Host used", tone: "note" },
  "agent.said": { label: "Agent says", tone: "plain" },
  "session.began": { label: "Draft began", tone: "note" },
  "session.landed": { label: "Session landed", tone: "note" },
  "session.discarded": { label: "Session discarded", tone: "note" },
  "session.restored": { label: "Session restored", tone: "note" },
  "device.paired": { label: "Device paired", tone: "ask" },
  "device.refused": { label: "Device refused", tone: "bad" },
  "device.revoked": { label: "Device revoked", tone: "note" },
  "audit.cut": { label: "Record cut", tone: "bad" },
};

/** An event that this page does not know is shown by its name. */
export function wordsOf(event: string): EventWords {
  return Object.hasOwn(eventWords, event)
    ? (eventWords[event as EntryEvent] as EventWords)
    : { label: event, tone: "plain" };
}

const refusalWords: Readonly<Record<string, string>> = {
  tool_not_found: "no such tool",
  permission_denied: "not permitted",
  fs_denied: "path not granted",
  net_denied: "network not granted",
  invalid_args: "wrong arguments",
  tool_failed: "failed",
  approval_denied: "a person said no",
  approval_timeout: "nobody answered",
  no_approver: "nobody to ask",
  changed: "changed meanwhile",
  conflict: "conflict",
  not_found: "not found",
  sandbox_unavailable: "no box",
  internal: "our own fault",
};

export function refusalText(slug: string): string {
  return Object.hasOwn(refusalWords, slug) ? (refusalWords[slug] as string) : slug;
}
