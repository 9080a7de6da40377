// An entry in few words. All of it came from an agent in some way, so all of it goes through the display functions.

import { type Entry, safeJson } from "../audit/entry.ts";
import { displayCommand, displayText } from "../shared/display.ts";
import type { Json } from "../shared/json.ts";

export function shown(text: string | null): string {
  return text === null || text === "" ? "-" : displayText(text, { maxLength: 40 });
}

export function shortEvent(event: Entry["event"]): string {
  return event.replace(/^tool\.call\./, "");
}

/** `/bin/ls -l` for a program, the JSON for everything else. */
export function argsSummary({ args }: Pick<Entry, "args">): string {
  const argv = field(args, "argv");
  if (Array.isArray(argv) && argv.every((word) => typeof word === "string")) return displayCommand(argv);
  return args === null ? "" : displayText(safeJson(args));
}

/** How it ended, where the entry says that. */
export function outcomeSummary({ event, outcome }: Pick<Entry, "event" | "outcome">): string | undefined {
  if (event === "tool.call.denied") return displayText(`${textOf(outcome, "error")}: ${textOf(outcome, "message")}`);
  if (event === "audit.cut") return displayText(textOf(outcome, "message"));
  if (event === "policy.changed") return displayText(changeText(outcome));
  if (event !== "tool.call.finished") return undefined;
  const signal = field(outcome, "signal");
  const how = typeof signal === "string" ? `ended by ${signal}` : `exit ${textOf(outcome, "exit_code")}`;
  const limit = field(outcome, "limit_hit");
  const more = [
    field(outcome, "timed_out") === true ? ", its time was up" : "",
    field(outcome, "cancelled") === true ? ", cancelled" : "",
    typeof limit === "string" ? `, limit: ${limit}` : "",
  ].join("");
  return displayText(`${how} after ${secondsText(Number(field(outcome, "duration_s")))}${more}`);
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
