// The story of a call: its entries as chapters in the order of the walk: asked, decided, ran, result.
// Invariant: every entry of the call is in a chapter. A chapter says no more than its entry.

import type { Entry } from "../../src/audit/entry.ts";
import { callerOf } from "../../src/audit/entry-text.ts";
import type { Json } from "../../src/shared/json.ts";
import { refusalText, type Tone, wordsOf } from "./event-words.ts";
import { argumentFacts, endFacts, endText, type Fact, fieldsOf, fileItems, plain, startedFacts } from "./facts.ts";
import { spanText } from "./time-text.ts";

export interface Chapter {
  readonly key: string;
  readonly title: string;
  readonly tone: Tone;
  readonly entry: Entry;
  /** Time since the previous chapter; null for the first. */
  readonly afterMs: number | null;
  /** A complete text: the message of a refusal, or a person's reason. */
  readonly says: string | null;
  readonly hint: string | null;
  readonly because: readonly string[];
  readonly facts: readonly Fact[];
  /** The id of the question that the entry is about. */
  readonly question: string | null;
}

export interface Story {
  readonly tool: string | null;
  readonly agent: string | null;
  readonly session: string | null;
  readonly state: { readonly text: string; readonly tone: Tone };
  /** Time from the first entry to the last; null if the call has not ended. */
  readonly tookMs: number | null;
  readonly chapters: readonly Chapter[];
}

type Telling = Pick<Chapter, "title" | "tone"> &
  Partial<Pick<Chapter, "says" | "hint" | "because" | "facts" | "question">>;

export function storyOf(entries: readonly Entry[]): Story {
  const chapters: Chapter[] = [];
  let decided = "";
  for (const entry of entries) {
    const tellings = tell(entry, decided);
    if (entry.event === "tool.call.dispatched") decided = plain(entry.because);
    for (const [index, telling] of tellings.entries()) {
      const before = chapters.at(-1)?.entry;
      chapters.push({
        key: `${entry.seq}-${index}`,
        entry,
        afterMs: before === undefined || before === entry ? null : Date.parse(entry.time) - Date.parse(before.time),
        says: null,
        hint: null,
        because: [],
        facts: [],
        question: null,
        ...telling,
      });
    }
  }
  const [first] = entries;
  const last = entries.at(-1);
  const state = stateOf(entries);
  return {
    tool: first?.tool ?? null,
    agent: first?.agent ?? null,
    session: first?.session ?? null,
    state,
    tookMs:
      first === undefined || last === undefined || !entries.some(isEnd)
        ? null
        : Date.parse(last.time) - Date.parse(first.time),
    chapters,
  };
}

function tell(entry: Entry, decided: string): Telling[] {
  const outcome = fieldsOf(entry.outcome) ?? {};
  const because = entry.because ?? [];
  const question = typeof outcome["question"] === "string" ? outcome["question"] : null;
  switch (entry.event) {
    case "tool.call.received":
      return [
        {
          title: calledText(entry),
          tone: "plain",
          facts: argumentFacts(entry.args),
        },
      ];
    case "tool.call.dispatched": {
      const ran: Telling = {
        title: isProgram(entry.args) ? "It was started" : "The gate itself began it",
        tone: "plain",
        facts: startedFacts(entry.args),
      };
      return plain(entry.because) === decided ? [ran] : [allowed(because), ran];
    }
    case "approval.requested":
      return [
        {
          title: "A person was asked",
          tone: "ask",
          says: textOr(outcome["asked"]),
          because,
          question,
          facts: severity(outcome["severity"]),
        },
      ];
    case "approval.answered":
      return [{ ...answered(outcome), question }];
    case "approval.timeout":
      return [{ ...noAnswer(outcome), says: textOr(outcome["asked"]), question }];
    case "tool.call.denied":
      return [
        {
          title: `Refused: ${refusalText(plain(outcome["error"]))}`,
          tone: "bad",
          says: textOr(outcome["message"]),
          hint: textOr(outcome["hint"]),
          because,
          facts: argumentFacts(without(outcome, ["error", "message", "hint", "because"])),
        },
      ];
    case "tool.call.finished":
      return [finished(entry.outcome)];
    case "agent.said":
      return [said(entry.args)];
    case "policy.changed":
      return [
        {
          title: changeTitle(outcome),
          tone: "ask",
          facts: argumentFacts(without(outcome, ["question", "scope", "who"])),
        },
      ];
    case "commit.staged":
    case "commit.discarded":
    case "commit.pushed":
    case "files.pulled":
    case "network.opened":
    case "network.request":
    case "network.used":
    case "session.began":
    case "session.landed":
    case "session.discarded":
    case "session.restored":
    case "device.paired":
    case "device.refused":
    case "device.revoked":
    case "audit.cut":
    default: {
      const files = outcome["files"];
      const listed: Fact[] = Array.isArray(files)
        ? [{ kind: "list", name: "files", items: fileItems(files), isFolded: files.length > 20 }]
        : [];
      const rest = listed.length === 0 ? outcome : without(outcome, ["files"]);
      return [
        {
          title: `${wordsOf(entry.event).label}`,
          tone: wordsOf(entry.event).tone,
          because,
          facts: [...argumentFacts(entry.args), ...argumentFacts(rest), ...listed],
        },
      ];
    }
  }
}

function calledText(entry: Entry): string {
  const caller = callerOf(entry);
  const agent = entry.agent ?? "An agent";
  const what = `asked for ${entry.tool ?? "a tool"}`;
  return caller === null ? `${agent} ${what}` : `${caller} ${what}, in the session of ${agent}`;
}

/** A claim: nothing in it is what the gate knows. */
function said(args: Json): Telling {
  const { tool, input, ...others } = fieldsOf(args) ?? {};
  const title =
    tool === undefined ? "The agent said more than was written" : `The agent says that it uses ${plain(tool)}`;
  return { title, tone: "plain", facts: [...argumentFacts(input ?? null), ...argumentFacts(without(others, []))] };
}

function allowed(because: readonly string[]): Telling {
  const by = because.find((reason) => reason.startsWith("allowed by "))?.slice("allowed by ".length);
  return {
    title: by === undefined ? "Allowed by the rules" : `Allowed by ${by}`,
    tone: "good",
    because: because.filter((reason) => !reason.startsWith("allowed by ")),
  };
}

const scopeWords: Readonly<Record<string, string>> = {
  once: "this once",
  session: "for this session",
  project: "for this project",
  everywhere: "everywhere",
};

function noAnswer(outcome: Readonly<Record<string, Json>>): Telling {
  const why = textOr(outcome["withdrawn"]);
  return why === null
    ? { title: "Nobody answered in time", tone: "bad" }
    : { title: `The question was withdrawn: ${why}`, tone: "note" };
}

function answered(outcome: Readonly<Record<string, Json>>): Telling {
  const isYes = outcome["decision"] === "allow";
  const scope = plain(outcome["scope"]);
  const facts = argumentFacts(without(outcome, ["question", "who", "decision", "scope", "reason"]));
  return {
    title: `${plain(outcome["who"]) || "A person"} said ${isYes ? "yes" : "no"}, ${scopeWords[scope] ?? scope}`,
    tone: isYes ? "good" : "bad",
    says: textOr(outcome["reason"]),
    facts,
  };
}

function finished(outcome: Json): Telling {
  const fields = fieldsOf(outcome) ?? {};
  const facts = endFacts(outcome);
  const steps = fields["steps"];
  if (Array.isArray(steps)) {
    const failed = steps.filter((step: Json) => fieldsOf(step)?.["exit_code"] !== 0).length;
    const title =
      failed === 0
        ? `All ${steps.length} commands ended with exit 0`
        : `${failed} of ${steps.length} commands did not end with exit 0`;
    return { title, tone: failed === 0 ? "good" : "note", facts };
  }
  if (!("exit_code" in fields)) return { title: "Done", tone: "good", facts };
  const took = typeof fields["duration_s"] === "number" ? ` after ${spanText(fields["duration_s"] * 1000)}` : "";
  return {
    title: `Ended ${fields["exit_code"] === 0 ? "with " : ""}${endText(fields)}${took}`,
    tone: fields["exit_code"] === 0 ? "good" : "note",
    facts,
  };
}

function stateOf(entries: readonly Entry[]): Story["state"] {
  const end = entries.findLast(isEnd);
  if (end?.event === "tool.call.denied") return { text: "Refused", tone: "bad" };
  if (end !== undefined) {
    const { title, tone } = finished(end.outcome);
    return { text: title, tone };
  }
  if (entries.at(-1)?.event === "approval.requested") return { text: "Waits for an answer", tone: "ask" };
  if (entries.some(({ event }) => event === "tool.call.received"))
    return { text: "No end yet: it still runs, or was killed together with the gate", tone: "note" };
  return { text: wordsOf(entries[0]?.event ?? "").label, tone: "note" };
}

function isEnd({ event }: Entry): boolean {
  return event === "tool.call.finished" || event === "tool.call.denied";
}

function isProgram(args: Json): boolean {
  return fieldsOf(args)?.["argv"] !== undefined;
}

function severity(value: Json | undefined): Fact[] {
  return value === undefined ? [] : [{ kind: "field", name: "risk", text: plain(value) }];
}

function changeTitle(outcome: Readonly<Record<string, Json>>): string {
  const isAdded = outcome["removed"] === undefined;
  const scope = plain(outcome["scope"]);
  return `${isAdded ? "Remembered" : "Taken back"} ${scopeWords[scope] ?? scope}`;
}

function without(fields: Readonly<Record<string, Json>>, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !names.includes(name) && value !== null));
}

function textOr(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
