// Formats a reply as plain text for a model, with everything that matters for the next step. The answer comes first. The format depends
// on the shape of the result, so that it works for custom tools too. An unknown shape becomes JSON.

import { limits } from "../shared/limits.ts";
import type { ExecutionResult } from "../tools/programs/execution-result.ts";
import type { Reply } from "./reply.ts";

type Fields = Readonly<Record<string, unknown>>;

export function replyText(reply: Reply): string {
  if (reply.ok) return resultText(reply.result);
  return lines([
    `${reply.error}: ${reply.message}`,
    reply.hint === undefined ? "" : `Hint: ${reply.hint}`,
    reply.because === undefined || reply.because.length === 0 ? "" : `Because: ${reply.because.join("; ")}`,
  ]);
}

/** Cuts a text to `limits.replyTextCharacters`: its beginning and its end. `elsewhere` says where the rest is. */
export function shortText(text: string, elsewhere: string): string {
  const most = limits.replyTextCharacters;
  if (text.length <= most) return text;
  const left = text.length - most;
  return `${text.slice(0, most / 2)}\n… ${left} characters left out here; ${elsewhere} …\n${text.slice(-most / 2)}`;
}

/** The content of a file stays without notes: they could be taken for a part of it. */
function resultText(result: Fields): string {
  const { content, encoding } = result;
  if (typeof content === "string" && encoding === "utf8") return contentText(content);
  const notes = ["workspace", "behind"].filter((name) => typeof result[name] === "string");
  const own = Object.fromEntries(Object.entries(result).filter(([name]) => !notes.includes(name)));
  return lines([ownText(own), ...notes.map((name) => String(result[name]))]);
}

function ownText(result: Fields): string {
  if (isExecution(result)) return executionText(result);
  const { results, diff, files, matches } = result;
  if (typeof result["success"] === "boolean" && isList(results)) return commandsText(result["success"], results);
  if (typeof diff === "string") return diffText(diff, result);
  if (isList(files) && "more" in result) return listText(files.map(fileLine), "(no files)", result);
  if (isList(matches) && "more" in result) return listText(matches.map(matchLine), "(no matches)", result);
  return gitText(result) ?? statusText(result) ?? (Object.keys(result).length === 0 ? "Done." : JSON.stringify(result));
}

/** Some model APIs refuse a text without visible characters. */
function contentText(content: string): string {
  if (content === "") return "(an empty file)";
  return content.trim() === "" ? `(only white space: ${JSON.stringify(content)})` : content;
}

/** Describes the results of git_stage, git_pull and git_push. */
function gitText(result: Fields): string | null {
  const { id, message, files, pulled, conflicts, commitSha, branch, target, leftOut } = result;
  if (typeof id === "string" && typeof message === "string" && isList(files)) {
    return lines([`Staged ${id}: ${stagedNames(result)}`, ...notesOf(result)]);
  }
  if (Array.isArray(pulled) && Array.isArray(conflicts))
    return lines([
      `Pulled at ${String(commitSha)}: ${pulled.length === 0 ? "nothing" : firstNames(pulled.map(String), result["more"])}`,
      conflicts.length === 0
        ? ""
        : `In the way: ${firstNames(
            conflicts.map((one) => JSON.stringify(one)),
            result["moreConflicts"],
          )}`,
      ...notesOf(result),
      isList(leftOut) && leftOut.length > 0
        ? `Left out: ${firstNames(leftOut.map(reasonText), result["moreLeftOut"], "; ")}`
        : "",
    ]);
  if (typeof commitSha === "string" && typeof branch === "string")
    return lines([
      `Pushed ${commitSha} to ${typeof target === "string" ? target : JSON.stringify(target)}, branch ${branch}${result["createdBranch"] === true ? ", which is new" : ""}`,
      ...notesOf(result),
    ]);
  return null;
}

/** The first names of a list, and how many there are in all. `more`: how many the list itself does not have. */
function firstNames(names: readonly string[], more: unknown, between = ", "): string {
  const count = names.length + numberOf(more);
  const shown = names.slice(0, limits.namedInText);
  return shown.length === count
    ? shown.join(between)
    : `${[...shown, "…"].join(between)} (${count} in all; these are the first ${shown.length})`;
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function reasonText({ path, reason }: Fields): string {
  return `${String(path)}: ${String(reason)}`;
}

function stagedNames({ files, moreFiles }: Fields): string {
  const named = isList(files)
    ? files.map(({ sandboxPath, operation }) => `${String(operation)} ${String(sandboxPath)}`)
    : [];
  return firstNames(named, moreFiles);
}

/** Describes the result of git_status. */
function statusText(result: Fields): string | null {
  const { staged, unstaged, more, moreStaged } = result;
  if (!isList(staged) || !isList(unstaged)) return null;
  const changed = unstaged.map(({ path, status }) => `${String(status)} ${String(path)}`);
  const commits = staged.map((commit) => {
    const [subject = ""] = String(commit["message"]).split("\n");
    return `Staged ${String(commit["id"])} (${subject}): ${stagedNames(commit)}`;
  });
  return lines([
    ...commits.slice(-limits.namedInText),
    commits.length > limits.namedInText
      ? `These are the newest of ${commits.length + numberOf(moreStaged)} staged commits.`
      : "",
    changed.length === 0
      ? isList(result["commits"])
        ? "Nothing else differs from the draft's first commit."
        : "Nothing else differs from what was pulled."
      : `Not staged: ${firstNames(changed, more)}`,
    madeText(result),
    inProjectText(result),
    ignoredText(result),
  ]);
}

/** Commits made in a draft. */
function madeText({ commits, moreCommits }: Fields): string {
  if (!isList(commits) || commits.length === 0) return "";
  const named = commits.map(({ id, message }) => `${String(id).slice(0, 12)} ${String(message)}`);
  return `Commits made here: ${named.join("; ")}${moreCommits === undefined ? "" : `; and ${numberOf(moreCommits)} older`}`;
}

/** What a person has changed in the project since the draft began. */
function inProjectText({ inProject, moreInProject }: Fields): string {
  if (!isList(inProject)) return "";
  const named = inProject.map(({ path, status }) => `${String(status)} ${String(path)}`);
  return `Changed in the project since this draft began: ${firstNames(named, moreInProject)}`;
}

function diffText(diff: string, result: Fields): string {
  const { more, leftOut, hint } = result;
  const names = Array.isArray(leftOut) ? leftOut.map(String) : [];
  return lines([
    diff === "" && more === undefined ? "(no differences)" : diff,
    more === undefined ? "" : `Left out: ${names.length === 0 ? `${numberOf(more)} files` : leftOutFiles(names, more)}`,
    typeof hint === "string" ? `Hint: ${hint}` : "",
    ignoredText(result),
  ]);
}

function leftOutFiles(names: readonly string[], more: unknown): string {
  return firstNames(names, numberOf(more) - names.length, "; ");
}

function ignoredText({ ignored }: Fields): string {
  return typeof ignored === "number" ? `Without ${ignored} that .gitignore names.` : "";
}

/** The notes say why, so they are not a list of names alone. */
function notesOf({ notes }: Fields): string[] {
  if (!Array.isArray(notes)) return [];
  const rest = notes.length - limits.namedInText;
  return [...notes.slice(0, limits.namedInText).map(String), ...(rest > 0 ? [`… and ${rest} more notes`] : [])];
}

/** A custom tool can have results with some of these fields. */
export function isExecution(result: Fields): result is Fields & ExecutionResult {
  const { stdout, stderr, artifacts, enforced } = result;
  if (typeof stdout !== "string" || typeof stderr !== "string" || !("exit_code" in result)) return false;
  return Array.isArray(artifacts) && typeof enforced === "object" && enforced !== null;
}

function executionText(result: ExecutionResult): string {
  const unmet = (result.requirements ?? []).filter(({ ok }) => !ok);
  return lines([
    endOf(result),
    result.stdout,
    result.stderr === "" ? "" : `stderr:\n${result.stderr}`,
    result.artifacts.length === 0
      ? ""
      : `Changed: ${firstNames(
          result.artifacts.map(({ path, operation }) => `${path} (${operation})`),
          result.more_artifacts,
        )}`,
    result.ignored === undefined ? "" : `Changed too, but named by .gitignore: ${result.ignored}`,
    ...notKeptLines(result),
    ...unmet.map(({ name, reason }) => `Not met: ${name}${reason === undefined ? "" : `: ${reason}`}`),
    ...(result.notes ?? []),
    result.hint === undefined ? "" : `Hint: ${result.hint}`,
  ]);
}

function notKeptLines({ not_kept: notKept = [], more_not_kept: more = 0 }: ExecutionResult): string[] {
  const shown = notKept.slice(0, limits.namedInText);
  const rest = notKept.length + more - shown.length;
  return [
    ...shown.map(({ path, reason }) => `Not kept: ${path}: ${reason}`),
    ...(rest > 0 ? [`Not kept: ${rest} more`] : []),
  ];
}

function endOf({ exit_code, signal, timed_out, limit_hit, duration_s }: ExecutionResult): string {
  const end = exit_code === null ? `ended by ${signal ?? "a signal"}` : `exit code ${exit_code}`;
  const why = timed_out ? ", its time was up" : limit_hit === null ? "" : `, limit hit: ${limit_hit}`;
  return `${end} after ${duration_s} s${why}`;
}

function commandsText(isSuccess: boolean, results: readonly Fields[]): string {
  const told = results.map((one) => {
    const said = isExecution(one)
      ? executionText(one)
      : lines([
          `${String(one["error"])}: ${String(one["message"])}`,
          "hint" in one ? `Hint: ${String(one["hint"])}` : "",
        ]);
    return `$ ${String(one["command"])}\n${said}`;
  });
  return lines([...told, isSuccess ? "" : "Not all of it was done."]);
}

function fileLine(file: Fields): string {
  const target = "target" in file ? ` -> ${String(file["target"])}` : "";
  return `${String(file["path"])}${target} (${String(file["size"])} bytes${file["executable"] === true ? ", executable" : ""})`;
}

function matchLine(match: Fields): string {
  return `${String(match["path"])}:${String(match["line"])}: ${String(match["text"])}`;
}

function listText(found: readonly string[], none: string, result: Fields): string {
  const { more, stopped } = result;
  const rest = more === true ? `There is more${typeof stopped === "string" ? ` (stopped by: ${stopped})` : ""}.` : "";
  return lines([found.length === 0 ? none : found.join("\n"), rest, ignoredText(result)]);
}

function isList(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null);
}

/** Joins the parts, without empty ones and without doubled line feeds. */
function lines(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== "")
    .map((part) => (part.endsWith("\n") ? part.slice(0, -1) : part))
    .join("\n");
}
