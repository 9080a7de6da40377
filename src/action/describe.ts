// Makes the one text of an action that the terminal, the page and MCP show.
// Invariant: the text is complete, and every piece from outside passed through the display functions.

import { displayCommand, displayText } from "../shared/display.ts";
import { displayName } from "../shared/odd-name.ts";
import type { Action, LateFile, PushAction, PushBase, PushCommit, Step, View, ViewFile } from "./action.ts";
import type { Effect } from "./effect.ts";
import { scriptOf } from "./title.ts";

/** Longer than any question may be, so an action that is cut here is never asked about. */
const whole = (text: string) => displayText(text, { maxLength: 100_000 });

export function describeAction(action: Action): string {
  return [describeCaller(action), ...describeScripts(action), ...describeDetails(action)].join("\n");
}

export function describeCaller({ tool, agent }: Action): string {
  return `${whole(tool)} for ${whole(agent)}`;
}

/** The scripts that interpreters run, each line behind a bar. They come first, because they matter most. */
export function describeScripts({ steps }: Action): string[] {
  return steps.flatMap((step) => {
    const script = scriptOf(step);
    if (script === null) return [];
    const shown = displayText(script.replace(/\n$/, ""), { multiline: true, maxLength: 100_000 });
    return shown.split("\n").map((line) => `  | ${line}`);
  });
}

/** The other fields, each as a label and a value. */
export function describeDetails(action: Action): string[] {
  const lines: (readonly [label: string, text: string])[] = [
    ...action.steps.flatMap(describeStep),
    ...(action.push === undefined ? describeOperation(action.operation) : describePush(action.push)),
    ...action.effects.flatMap(describeInside),
    ...action.contents.map(({ path, sha256 }): [string, string] => ["content", `${whole(path)} sha256 ${sha256}`]),
    // What a program would see and use. An action that starts none has no box.
    ...(action.steps.length === 0 ? [] : [...describeView(action.view), describeLimits(action.limits)]),
    ...(action.keepsPartial === true
      ? [["lands", "what it wrote so far, if it does not end by itself"] as [string, string]]
      : []),
  ];
  return lines.map(([label, text]) => detailLine(label, text));
}

export function detailLine(label: string, text: string): string {
  return `  ${label.padEnd(10)} ${text}`;
}

function describeLimits({ memoryMb, fsizeMb, nofile, nproc, cpuS }: Action["limits"]): [string, string] {
  const cpu = cpuS === null ? "" : `, ${cpuS} s of processor time`;
  return ["limits", `${memoryMb} MB, ${nproc} processes, ${nofile} open files, ${fsizeMb} MB a file${cpu}`];
}

const marks = { create: "+", update: "M", delete: "-" };

const FILES_NAMED = 30;

/** Everything about the push except the diff, which has its own view. */
function describePush(push: PushAction): [string, string][] {
  const more = push.files.length - FILES_NAMED;
  return [
    ["push to", whole(push.place)],
    [
      "branch",
      `${whole(push.branch)}${push.isNewBranch ? ", which is NEW" : ""}${push.isProtected ? ", which is PROTECTED" : ""}`,
    ],
    ...describeBase(push.newOn),
    ["commit", `${push.oldCommit ?? "nothing"} → ${push.commit}`],
    ...(push.commits === undefined ? describeMessage(push.message) : describeSeries(push.commits)),
    ["author", whole(push.author)],
    // One warning for each kind, whatever the number of files. None is left out.
    ...push.warnings.map((warning): [string, string] => ["WARNING", whole(warning)]),
    ...push.files
      .slice(0, FILES_NAMED)
      .map(({ path, operation, size }): [string, string] => [
        "file",
        `${marks[operation]} ${displayName(path)} (${size} bytes)`,
      ]),
    ...(more > 0 ? [["file", `… and ${more} more, in the diff`] as [string, string]] : []),
  ];
}

const COMMITS_NAMED = 30;
const SUBJECT_CHARACTERS = 100;
const SERIES_CHARACTERS = 2_000;

/** Every commit with its id and its message, or what fits a screen of them. The review shows all of them whole. */
function describeSeries(commits: readonly PushCommit[]): [string, string][] {
  const isShort = commits.reduce((sum, { message }) => sum + message.length, 0) <= SERIES_CHARACTERS;
  const subject = (message: string) => displayText(message.split("\n", 1)[0] ?? "", { maxLength: SUBJECT_CHARACTERS });
  const lines = commits
    .slice(0, COMMITS_NAMED)
    .flatMap(({ commit, message }, at): [string, string][] => [
      ["series", `${at + 1} of ${commits.length}: ${commit}`],
      ...(isShort ? describeMessage(message) : [["message", `| ${subject(message)}`] as [string, string]]),
    ]);
  const more = commits.length - COMMITS_NAMED;
  if (more > 0) lines.push(["series", `… and ${more} more, in the diff`]);
  if (!isShort) lines.push(["series", "CUT HERE: only the first line of each message is shown"]);
  return lines;
}

function describeBase(base: PushBase | undefined): [string, string][] {
  if (base === undefined) return [];
  const { subjects = [], count = 0 } = base.along ?? {};
  return [
    ["built on", `${base.branch === null ? "what is checked out" : whole(base.branch)}, ${base.commit}`],
    ...(base.along === null ? [] : [["along", alongText(base.along)] as [string, string]]),
    ...subjects.map((subject): [string, string] => ["", `| ${displayText(subject, { maxLength: 200 })}`]),
    ...(count > subjects.length ? [["", `… and ${count - subjects.length} more`] as [string, string]] : []),
  ];
}

/** As in "2 commits that develop has not". */
export function alongText({ count, isMore, missingFrom }: NonNullable<PushBase["along"]>): string {
  return `${count}${isMore ? " or more" : ""} ${count === 1 ? "commit" : "commits"} that ${whole(missingFrom)} has not`;
}

const MESSAGE_CHARACTERS = 4_000;

/** As much of the message as fits a screen. A line that no message can imitate says what was left out. */
function describeMessage(message: string): [string, string][] {
  const text = message.replace(/\n$/, "");
  const shown = displayText(text, { multiline: true, maxLength: MESSAGE_CHARACTERS });
  const isCut = displayText(text, { multiline: true, maxLength: text.length * 16 }) !== shown;
  const size = [...text].length;
  return [
    ...shown.split("\n").map((line): [string, string] => ["message", `| ${line}`]),
    ...(isCut ? [["message", `CUT HERE: it has ${size} characters, all of which land`] as [string, string]] : []),
  ];
}

function describeOperation(operation: Action["operation"]): [string, string][] {
  if (operation === null) return [];
  const details = Object.entries(operation.details).map(([name, value]) => `${name} ${String(value)}`);
  return [
    ["does", whole([`${operation.name} ${operation.path}`, ...details].join(", "))],
    ...(operation.late ?? []).flatMap(describeLate),
  ];
}

/** The whole file, each line behind a bar. */
function describeLate({ path, operation, mode, text }: LateFile): [string, string][] {
  const lines = text === null ? [] : displayText(text, { multiline: true, maxLength: 100_000 }).split("\n");
  const kind = mode === null ? "" : mode === "link" ? " (a link)" : ` (mode ${mode})`;
  return [
    ["lands", `${marks[operation]} ${displayName(path)}${kind}`],
    ...lines.map((line): [string, string] => ["", `| ${line}`]),
  ];
}

/** The programs that a started program would start itself, as far as the reader could determine them. */
function describeInside(effect: Effect): [string, string][] {
  if (effect.kind !== "run" || effect.at !== "inside") return [];
  return [["inside", effect.argv.map((word) => (word === null ? "…" : displayCommand([word]))).join(" ")]];
}

function describeStep(step: Step): [string, string][] {
  const script = scriptOf(step);
  return [
    ["run", displayCommand(step.argv)],
    ...(step.program === step.argv[0] ? [] : [["program", whole(step.program)] as [string, string]]),
    ["in", whole(step.cwd)],
    ...(step.stdin === null ? [] : [["stdin", whole(step.stdin)] as [string, string]]),
    ["with", displayCommand(step.environment.map(([name, value]) => `${name}=${value}`))],
    ...step.files.map((file) => describeFile(file, script)),
    ["at most", `${step.timeoutMs / 1000} s, ${step.stdoutBytes} bytes of output, ${step.stderrBytes} of errors`],
  ];
}

function describeFile(file: ViewFile, script: string | null): [string, string] {
  const path = whole(file.path);
  if ("source" in file) return ["may see", `${whole(file.source)} at ${path}`];
  return file.content === script
    ? ["script", `${path} is the text above`]
    : ["instead of", `${path}: ${whole(file.content)}`];
}

function workspaceText(workspace: View["workspace"]): string {
  if (workspace.kind === "directory") return whole(workspace.path);
  if (workspace.kind === "draft") return `the session's layer over ${whole(workspace.path)}`;
  return workspace.kind === "scratch" ? "empty, gone after the call" : "the session's files, in memory";
}

function networkText(network: View["network"]): string {
  if (network === "none") return "none";
  if (network === "host") return "the whole network of this machine";
  const granted = "what net_grants and rules allow; you are asked about any other host";
  return network.hosts.length === 0 ? granted : `${network.hosts.map(whole).join(", ")}; ${granted}`;
}

function describeView({ paths, workspace, mounts = [], opens = [], network }: View): [string, string][] {
  return [
    ...paths.map(({ path, mode, hide }): [string, string] => [
      mode === "rw" ? "may change" : "may see",
      `${whole(path)}${hide.length === 0 ? "" : ` without ${whole(hide.join(", "))}`}`,
    ]),
    ["workspace", workspaceText(workspace)],
    ...opens.map((path): [string, string] => ["may change", `${whole(path)}, which others execute later`]),
    ...mounts.map(({ source, target }): [string, string] => ["may see", `${whole(source)} at ${whole(target)}`]),
    ["network", networkText(network)],
  ];
}
