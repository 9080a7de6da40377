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

/** What an entry says happened. */
interface EventOutcome {
  readonly event: Entry["event"];
  readonly outcome: Entry["outcome"];
}

/** The reason of a call that a person made in the name of a session begins with it. */
export const calledByPrefix = "called by ";

/** The person who made the call in the name of its session; null if the agent made it. */
export function callerOf({ because }: { readonly because?: Entry["because"] }): string | null {
  const said = because?.find((reason) => reason.startsWith(calledByPrefix));
  return said === undefined ? null : said.slice(calledByPrefix.length);
}

interface EventArguments {
  readonly event?: Entry["event"];
  readonly args: Entry["args"];
  readonly because?: Entry["because"];
}

/** A program as `/bin/ls -l`, a script as written, a file by its path, anything else as JSON; and a person who called. */
export function argsSummary({ event, args, because = null }: EventArguments): string {
  if (event === "agent.said") return saidSummary(args);
  if (event === "network.request") return requestSummary(args);
  const caller = callerOf({ because });
  return caller === null ? argsText(args) : `${displayText(`${calledByPrefix}${caller}`)}: ${argsText(args)}`;
}

function argsText(args: Entry["args"]): string {
  const [argv, command, op, name, path] = ["argv", "command", "op", "name", "path"].map((key) => field(args, key));
  if (isWords(argv)) return commandText(argv);
  if (isWords(command)) return displayText(command.join("; "));
  for (const text of [command, field(args, "script"), field(args, "code")])
    if (typeof text === "string") return displayText(text.trim());
  if (typeof op === "string") return displayCommand(["git", op, ...gitWords(args)]);
  if (typeof path === "string") return displayText(typeof name === "string" ? `${name} ${path}` : path);
  return args === null ? "" : displayText(safeJson(args));
}

/** SECURITY(T75): marked as the agent's word, whatever it says. */
function saidSummary(args: Json): string {
  const dropped = field(args, "dropped");
  if (typeof dropped === "number") return `the agent says too much: ${dropped} so far are not written`;
  return `the agent says: ${displayText(textOf(args, "tool"), { maxLength: 60 })} ${argsText(field(args, "input") ?? null)}`;
}

function requestSummary(args: Json): string {
  const dropped = field(args, "dropped");
  if (typeof dropped === "number") return `too many requests: ${dropped} so far are not written`;
  return displayText(`${textOf(args, "method")} ${textOf(args, "host")}${textOf(args, "path")}`);
}

// Settings of a git that the gate starts. With these values none of them can name a program of an agent.
const plainSetting =
  /^(?:[a-z]+(?:\.[a-z0-9]+)+=(?:false|true|\/dev\/null)?|core\.(?:pager=cat|checkStat=minimal)|diff\.submodule=short|log\.diffMerges=separate|protocol\.allow=never|safe\.bareRepository=explicit|column\.ui=never|user\.(?:name=Sallyport|email=sallyport@localhost))$/i;

/**
 * A git that the gate starts has some thirty options before its subcommand, which are the same each time and hide the rest of the line.
 * The entry itself has all of them. A sign stands for them; as an argument the sign has quotes.
 * An agent can begin its own git in the same way, so the sign stands for nothing that could start a program.
 */
function commandText(argv: readonly string[]): string {
  const [git = "", pager] = argv;
  if (!/^(?:.*\/)?git$/.test(git) || pager !== "--no-pager" || !argv.includes("core.fsmonitor=false"))
    return displayCommand(argv);
  let at = 2;
  for (;;) {
    if (argv[at] === "-c" && plainSetting.test(argv[at + 1] ?? "")) at += 2;
    else if (/^--(?:bare$|git-dir=|work-tree=)/.test(argv[at] ?? "")) at += 1;
    else return `${displayCommand([git])} … ${displayCommand(argv.slice(at))}`;
  }
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
  "network.request": (outcome) =>
    field(outcome, "bytes_out") === undefined
      ? ""
      : `${field(outcome, "status") === null ? "no answer" : textOf(outcome, "status")}, ${textOf(outcome, "bytes_out")} bytes out, ${textOf(outcome, "bytes_in")} in`,
  "network.used": usedText,
  "session.began": (outcome) => `${textOf(outcome, "draft")} of ${textOf(outcome, "project")}`,
  "session.landed": landedText,
  "session.discarded": (outcome) => `${countText(field(outcome, "files"))}, by ${textOf(outcome, "who")}`,
  "session.restored": (outcome) => `${textOf(outcome, "draft")}, by ${textOf(outcome, "who")}`,
  "device.paired": (outcome) => `${textOf(outcome, "name")}, by ${textOf(outcome, "who")}`,
  "device.refused": (outcome) => `${textOf(outcome, "name")}: ${textOf(outcome, "why")}`,
  "device.revoked": (outcome) => `${textOf(outcome, "name")}, by ${textOf(outcome, "who")}`,
  "files.pulled": (outcome) => `${countText(field(outcome, "files"))} from ${textOf(outcome, "place")}`,
};

/** `2 connections, 1 requests, 20 bytes out, 30 in; 1 refused: TLS names no host`. */
function usedText(outcome: Json): string {
  const some = (name: string, words: string): string =>
    field(outcome, name) === undefined ? "" : `, ${textOf(outcome, name)} ${words}`;
  const bytes = `${textOf(outcome, "bytes_out")} bytes out, ${textOf(outcome, "bytes_in")} in${some("bytes_kept", "that the gate had kept")}`;
  const refused = field(outcome, "refused") === undefined ? "" : `${textOf(outcome, "refused")} refused: `;
  const why = field(outcome, "why") === undefined ? "" : `; ${refused}${textOf(outcome, "why")}`;
  return `${textOf(outcome, "connections")} connections${some("requests", "requests")}, ${bytes}${why}`;
}

/** `3 files in /project, branch fix as 0123456789ab, by ann`. */
function landedText(outcome: Json): string {
  const [branch, commit] = ["branch", "commit"].map((name) => field(outcome, name));
  const where = typeof branch === "string" ? `, branch ${branch}` : "";
  const as = typeof commit === "string" ? ` as ${commit.slice(0, 12)}` : "";
  return `${countText(field(outcome, "files"))} in ${textOf(outcome, "place")}${where}${as}, by ${textOf(outcome, "who")}`;
}

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
