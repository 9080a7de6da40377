// Describes an entry briefly. All of it may come from an agent, so all of it goes through the display functions.

import { displayCommand, displayText } from "../shared/display.ts";
import type { Json } from "../shared/json.ts";
import { type Entry, safeJson } from "./entry.ts";

export function shown(text: string | null): string {
  return text === null || text === "" ? "-" : displayText(text, { maxLength: 40 });
}

export function shortEvent(event: Entry["event"]): string {
  return event.replace(/^tool\.call\./, "");
}

/** A program as `/bin/ls -l`, a script as written, a file by its path, anything else as JSON. */
/** What an entry says happened. */
interface EventOutcome {
  readonly event: Entry["event"];
  readonly outcome: Entry["outcome"];
}

export function argsSummary({ args }: { readonly args: Entry["args"] }): string {
  const [argv, command, op, name, path] = ["argv", "command", "op", "name", "path"].map((key) => field(args, key));
  if (isWords(argv)) return displayCommand(argv);
  if (isWords(command)) return displayText(command.join("; "));
  for (const text of [command, field(args, "script"), field(args, "code")])
    if (typeof text === "string") return displayText(text.trim());
  if (typeof op === "string") return displayCommand(["git", op, ...gitWords(args)]);
  if (typeof path === "string") return displayText(typeof name === "string" ? `${name} ${path}` : path);
  return args === null ? "" : displayText(safeJson(args));
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

function gitWords(args: Json): string[] {
  const [flags, ref, path] = ["args", "ref", "path"].map((key) => field(args, key));
  return [
    ...(isWords(flags) ? flags : []),
    ...(typeof ref === "string" ? [ref] : []),
    ...(typeof path === "string" ? ["--", path] : []),
  ];
}

/** How the call ended, if the entry says so. */
export function outcomeSummary({ event, outcome }: EventOutcome): string | undefined {
  if (event === "tool.call.denied") return displayText(`${textOf(outcome, "error")}: ${textOf(outcome, "message")}`);
  if (event === "audit.cut") return displayText(textOf(outcome, "message"));
  if (event === "policy.changed") return displayText(changeText(outcome));
  if (event === "tool.call.finished") return displayText(endText(outcome));
  const said = otherTexts[event]?.(outcome);
  return said === undefined ? undefined : displayText(said);
}

const otherTexts: Partial<Record<Entry["event"], (outcome: Json) => string>> = {
  "approval.requested": (outcome) => `${askedText(outcome)} (${textOf(outcome, "severity")} risk)`,
  "approval.answered": (outcome) => answerText(outcome),
  "approval.timeout": (outcome) => `${noAnswerText(outcome)}: ${askedText(outcome)}`,
  "commit.staged": (outcome) =>
    `${textOf(outcome, "commit")}: ${countText(field(outcome, "file_count") ?? field(outcome, "files"))}`,
  "commit.discarded": (outcome) => textOf(outcome, "commit"),
  "commit.pushed": (outcome) =>
    `${textOf(outcome, "commit")} to ${textOf(outcome, "place")}, branch ${textOf(outcome, "branch")}`,
  "session.landed": (outcome) =>
    `${countText(field(outcome, "files"))} in ${textOf(outcome, "place")}, by ${textOf(outcome, "who")}`,
  "session.discarded": (outcome) => `${countText(field(outcome, "files"))}, by ${textOf(outcome, "who")}`,
  "session.restored": (outcome) => `${textOf(outcome, "draft")}, by ${textOf(outcome, "who")}`,
  "files.pulled": (outcome) => `${countText(field(outcome, "files"))} from ${textOf(outcome, "place")}`,
};

/** What a question was about. Entries of older versions have only the question's id. */
function askedText(outcome: Json): string {
  const asked = field(outcome, "asked");
  return typeof asked === "string" ? asked : `question ${textOf(outcome, "question")}`;
}

/** A question in the record: its subject and its severity. */
export function askedSummary({ event, outcome }: EventOutcome) {
  if (event !== "approval.requested") return null;
  return { asked: displayText(askedText(outcome)), severity: field(outcome, "severity") };
}

/** The beginning of the text for a withdrawn question: one whose answer nobody could use any more. */
export const withdrawnText = "withdrawn, because";

function noAnswerText(outcome: Json): string {
  const why = field(outcome, "withdrawn");
  return typeof why === "string" ? `${withdrawnText} ${why}` : "nobody answered in time";
}

function answerText(outcome: Json): string {
  const reason = field(outcome, "reason");
  const why = typeof reason === "string" && reason !== "" ? `: ${reason}` : "";
  return `${textOf(outcome, "decision")} ${textOf(outcome, "scope")}, by ${textOf(outcome, "who")}${why}`;
}

function countText(files: Json | undefined): string {
  const count = Array.isArray(files) ? files.length : Number(files);
  return count === 1 ? "1 file" : `${Number.isFinite(count) ? count : "?"} files`;
}

function endText(outcome: Json): string {
  const after = `after ${secondsText(Number(field(outcome, "duration_s")))}`;
  const steps = field(outcome, "steps");
  if (Array.isArray(steps)) return `${steps.length} programs ${after}`;
  if (field(outcome, "ok") === true) return "done";
  const signal = field(outcome, "signal");
  const how = typeof signal === "string" ? `ended by ${signal}` : `exit ${textOf(outcome, "exit_code")}`;
  const limit = field(outcome, "limit_hit");
  const more = [
    field(outcome, "timed_out") === true ? ", its time was up" : "",
    field(outcome, "cancelled") === true ? ", cancelled" : "",
    typeof limit === "string" ? `, limit: ${limit}` : "",
  ].join("");
  return `${how} ${after}${more}`;
}

function changeText(outcome: Json): string {
  const verb = field(outcome, "removed") === undefined ? "added" : "removed";
  const rules = field(outcome, verb);
  const said = Array.isArray(rules) && rules.length > 0 ? rules.join("; ") : textOf(outcome, "id");
  return `${verb}, ${textOf(outcome, "scope")}: ${said}`;
}

export function secondsText(seconds: number): string {
  if (!Number.isFinite(seconds)) return "?";
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;
}

export function field(value: Json, name: string): Json | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, Json>>)[name] : undefined;
}

function textOf(value: Json, name: string): string {
  const found = field(value, name);
  return found === undefined || found === null ? "?" : typeof found === "string" ? found : safeJson(found);
}
