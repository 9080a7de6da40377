// What came of a call, from its entries: for a person who said yes to it.
// Invariant: the text is safe to display, and says only what the record says.

import type { Entry } from "./entry.ts";
import { field, outcomeSummary } from "./entry-text.ts";
import { displayText } from "../shared/display.ts";

export interface CallEnd {
  /** True if it did what it was for: it landed, pulled, or its programs ended with exit code 0. */
  readonly isGood: boolean;
  /** One sentence. */
  readonly text: string;
  /** Where the commit can be seen, at a host that is known to show commits there. */
  readonly link: string | null;
}

/** Null while the call has not ended. `entries`: all of the call, in order. */
export function callEndOf(entries: readonly Entry[]): CallEnd | null {
  const last = (event: Entry["event"]) => entries.findLast((entry) => entry.event === event);
  const denied = last("tool.call.denied");
  if (denied !== undefined) return bad(`It failed: ${textIn(denied, "message") || "the record does not say why"}`);
  const finished = last("tool.call.finished");
  if (finished === undefined) return null;
  const pushed = last("commit.pushed");
  if (pushed !== undefined) return landed(pushed);
  const pulled = last("files.pulled");
  if (pulled !== undefined) return good(`It pulled ${outcomeSummary(pulled) ?? "files"}.`);
  const summary = outcomeSummary(finished) ?? "";
  if (field(finished.outcome, "ok") === true) return good("It is done.");
  const steps = field(finished.outcome, "steps");
  const codes = (Array.isArray(steps) ? steps : [finished.outcome]).map((step) => field(step, "exit_code"));
  const failing = codes.find((code) => typeof code === "number" && code !== 0);
  const which = Array.isArray(steps) && typeof failing === "number" ? `, one of them with exit code ${failing}` : "";
  const text = `It ran: ${summary}${which}.`;
  return codes.every((code) => code === 0) ? good(text) : bad(text);
}

function landed(pushed: Entry): CallEnd {
  const [branch, place, sha] = ["branch", "place", "sha"].map((name) => textIn(pushed, name)) as [
    string,
    string,
    string,
  ];
  const commits = field(pushed.outcome, "commits");
  const what = Array.isArray(commits) && commits.length > 1 ? `${commits.length} commits landed` : "It landed";
  return {
    isGood: true,
    text: `${what} on branch ${branch} of ${place} as ${sha.slice(0, 12)}.`,
    link: commitLink(place, sha),
  };
}

/** An agent may choose the place, so that only addresses of one well-known form become links. */
function commitLink(place: string, sha: string): string | null {
  const repository = /^(https:\/\/github\.com\/[\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(place)?.[1];
  return repository === undefined || !/^[0-9a-f]{40}$/.test(sha) ? null : `${repository}/commit/${sha}`;
}

function textIn({ outcome }: Entry, name: string): string {
  const text = field(outcome, name);
  return typeof text === "string" ? displayText(text, { maxLength: 400 }) : "";
}

const good = (text: string): CallEnd => ({ isGood: true, text, link: null });
const bad = (text: string): CallEnd => ({ isGood: false, text, link: null });
