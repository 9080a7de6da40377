// Sorts the content of an entry into facts that the page can show: a command line, a text, a field, a list.
// Invariant: nothing is left out; content without a form of its own is shown as JSON. Texts are as the record stores them: not
// yet safe to display.

import { safeJson } from "../../src/audit/entry.ts";
import type { Json } from "../../src/shared/json.ts";
import { bytesText, spanText } from "./time-text.ts";

export type Fact =
  | { readonly kind: "command"; readonly name: string; readonly argv: readonly string[] }
  | { readonly kind: "block"; readonly name: string; readonly text: string }
  | { readonly kind: "field"; readonly name: string; readonly text: string }
  | { readonly kind: "list"; readonly name: string; readonly items: readonly string[]; readonly isFolded: boolean };

type Fields = Readonly<Record<string, Json>>;

const blocks = new Set(["script", "code", "content", "stdin", "old_text", "new_text", "message", "command"]);
const LONG = 100;

/** The arguments as the agent sent them, with their original names. */
export function argumentFacts(args: Json): Fact[] {
  if (args === null) return [];
  const fields = fieldsOf(args);
  if (fields === null) return [{ kind: "block", name: "arguments", text: jsonText(args) }];
  return Object.entries(fields).flatMap(([name, value]) => factOf(name, value));
}

function factOf(name: string, value: Json): Fact[] {
  if (name === "argv" && isWords(value)) return [{ kind: "command", name, argv: value }];
  if (typeof value === "string")
    return [{ kind: blocks.has(name) || isLong(value) ? "block" : "field", name, text: value }];
  if (isWords(value) && value.length > 0) return [{ kind: "list", name, items: value, isFolded: value.length > 20 }];
  const text = jsonText(value);
  return [{ kind: isLong(text) ? "block" : "field", name, text }];
}

/** What was started: a program, or an operation of the gate. */
export function startedFacts(args: Json): Fact[] {
  const fields = fieldsOf(args);
  if (fields === null) return argumentFacts(args);
  const { argv, program, cwd, env, timeout_s, ...others } = fields;
  if (!isWords(argv ?? null)) return operationFacts(fields);
  const words = argv as readonly string[];
  const variables = Object.entries(fieldsOf(env ?? null) ?? {}).map(([name, value]) => `${name}=${plain(value)}`);
  return [
    { kind: "command", name: "command", argv: words },
    ...(program === undefined || program === words[0] ? [] : field("program", plain(program))),
    ...(cwd === undefined ? [] : field("in", plain(cwd))),
    ...(timeout_s === undefined ? [] : field("time-out", spanText(Number(timeout_s) * 1000))),
    ...(variables.length === 0
      ? []
      : [{ kind: "list" as const, name: "environment", items: variables, isFolded: true }]),
    ...argumentFacts(others),
  ];
}

function operationFacts({ name, path, mode, details, ...others }: Fields): Fact[] {
  return [
    ...(name === undefined ? [] : field("does", plain(name))),
    ...(path === undefined ? [] : field(mode === "rw" ? "changes" : "reads", plain(path))),
    ...argumentFacts(details ?? null).filter((fact) => fact.kind !== "field" || fact.text !== "null"),
    ...argumentFacts(others),
  ];
}

/** How the call ended. A call of several commands has the facts of each. */
export function endFacts(outcome: Json): Fact[] {
  const fields = fieldsOf(outcome);
  if (fields === null) return argumentFacts(outcome);
  if (Array.isArray(fields["steps"]))
    return (fields["steps"] as readonly Json[]).flatMap((step, index) =>
      [...howFacts(fieldsOf(step) ?? {}), ...stepFacts(fieldsOf(step) ?? {})].map((fact) => ({
        ...fact,
        name: `${index + 1}. ${fact.name}`,
      })),
    );
  return "ok" in fields && Object.keys(fields).length === 1 ? [] : stepFacts(fields);
}

function howFacts(step: Fields): Fact[] {
  const { duration_s } = step;
  return field(
    "ended",
    `${endText(step)}${typeof duration_s === "number" ? ` after ${spanText(duration_s * 1000)}` : ""}`,
  );
}

const inTitle = ["exit_code", "signal", "duration_s", "timed_out", "cancelled", "limit_hit"];

/** Everything except how the command ended and how long it took: with one command, the title of the chapter says that. */
function stepFacts(step: Fields): Fact[] {
  const { artifacts, artifact_count, stdout_bytes, stderr_bytes, stdout_truncated, stderr_truncated, ...rest } = step;
  const others = Object.fromEntries(Object.entries(rest).filter(([name]) => !inTitle.includes(name)));
  const facts: Fact[] = [
    ...(typeof stdout_bytes === "number" ? field("output", printed(stdout_bytes, stdout_truncated)) : []),
    ...(typeof stderr_bytes === "number" && stderr_bytes > 0
      ? field("errors", printed(stderr_bytes, stderr_truncated))
      : []),
  ];
  const files = Array.isArray(artifacts) ? (artifacts as readonly Json[]) : [];
  if (files.length > 0)
    facts.push({ kind: "list", name: "changed", items: fileItems(files, artifact_count), isFolded: files.length > 20 });
  return [...facts, ...argumentFacts(others)];
}

/** `exit 2`, `ended by SIGKILL, its time was up`. */
export function endText({ exit_code, signal, timed_out, cancelled, limit_hit }: Fields): string {
  const how =
    typeof signal === "string"
      ? `by ${signal}`
      : exit_code === null || exit_code === undefined
        ? "without an exit code"
        : `exit ${plain(exit_code)}`;
  return [
    how,
    timed_out === true ? "its time was up" : "",
    cancelled === true ? "cancelled" : "",
    typeof limit_hit === "string" ? `limit reached: ${limit_hit}` : "",
  ]
    .filter((part) => part !== "")
    .join(", ");
}

function printed(bytes: number, isCut: Json | undefined): string {
  return bytes === 0 ? "nothing" : `${bytesText(bytes)}${isCut === true ? ", cut for the agent" : ""}`;
}

/** `create /workspace/a.txt, 5 bytes`, for lists of files in each format of the record. */
export function fileItems(files: readonly Json[], count?: Json): string[] {
  const items = files.map((file) => {
    const { path, sandboxPath, operation, size } = fieldsOf(file) ?? {};
    const name = path ?? sandboxPath;
    if (name === undefined) return plain(file);
    const does = operation === undefined ? "" : `${plain(operation)} `;
    return `${does}${plain(name)}${typeof size === "number" ? `, ${bytesText(size)}` : ""}`;
  });
  if (typeof count === "number" && count > files.length) items.push(`and ${count - files.length} more`);
  return items;
}

export function fieldsOf(value: Json): Fields | null {
  return value === null || typeof value !== "object" || Array.isArray(value) ? null : (value as Fields);
}

/** Returns text unchanged and everything else as JSON. */
export function plain(value: Json | undefined): string {
  return typeof value === "string" ? value : value === undefined ? "" : safeJson(value);
}

function field(name: string, text: string): Fact[] {
  return [{ kind: "field", name, text }];
}

function jsonText(value: Json): string {
  const text = safeJson(value);
  return isLong(text) ? JSON.stringify(value, null, 2) : text;
}

function isLong(text: string): boolean {
  return text.length > LONG || text.includes("\n");
}

function isWords(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}
