// What a reviewer sees of a push before its files: its target, its message, and who asks. Also for a staged commit that nobody
// has asked to push.
// Invariant: each line begins with a label of the gate or, in the message, with the gate's bar. Cut text is counted.

import type { PushAction, PushBase } from "../../action/action.ts";
import { alongText } from "../../action/describe.ts";
import { groupDigits } from "../../action/diff-facts.ts";
import { describeEffect } from "../../action/effect.ts";
import type { Question } from "../../approval/approver.ts";
import { askedFindings } from "../../approval/offer.ts";
import { claimNotes } from "../../approval/question.ts";
import type { StagedCommitView } from "../../runtime/staged-commits.ts";
import { displayText } from "../../shared/display.ts";
import { cutCharacters } from "../terminal/diff-line.ts";
import { localTime } from "../terminal/local-time.ts";
import type { ViewStyle } from "../terminal/view-style.ts";
import {
  choiceLines,
  dataLines,
  frameLine,
  labelledLines,
  pushChoicesOf,
  severityStyle,
} from "../terminal/question-view.ts";
import { drawEntryLine, entryLines, fileEntries, FilesSeen, totalText } from "./review-files.ts";
import { keyLines, pushKeys } from "./review-keys.ts";
import { wrapText } from "../terminal/table.ts";
import type { Style } from "../terminal/terminal.ts";

const MESSAGE_CHARACTERS = 20_000;

export function pushHead(question: Question, push: PushAction, total: string, viewStyle: ViewStyle): string[] {
  const { severity, id, action } = question;
  const style = severityStyle[severity];
  const line = (label: string, text: string) => labelledLines(label, text, viewStyle, style);
  const loud = (text: string) => labelledLines("", text, viewStyle, style, ["red", "bold"]);
  const asked = askedFindings(question.verdict).map(({ effect, because }) => `${describeEffect(effect)}: ${because}`);
  const title = `sallyport asks: push (${severity} risk)  ${displayText(id, { maxLength: 60 })}`;
  return [
    frameLine("top", title, viewStyle, style),
    ...line("target", push.place),
    ...line("branch", push.branch),
    ...(push.isProtected ? loud("PROTECTED BRANCH") : []),
    ...(push.isNewBranch ? loud("NEW BRANCH") : []),
    ...(push.newOn === undefined ? [] : baseLines(push.newOn, viewStyle, style)),
    ...line("commit", `${shortId(push.oldCommit)} ${viewStyle.isUnicode ? "→" : "->"} ${shortId(push.commit)}`),
    ...line("author", push.author),
    ...(push.commits ?? [push]).flatMap(({ commit, message }, at, { length }) => [
      ...(length === 1 ? [] : line("series", `${at + 1} of ${length}: ${shortId(commit)}`)),
      ...messageLines(message, viewStyle, style),
    ]),
    ...push.warnings.flatMap((warning) => labelledLines("WARNING", warning, viewStyle, style, ["yellow", "bold"])),
    ...[...new Set(asked)].flatMap((text) => line("asked", text)),
    ...line("by", `${action.tool} for ${action.agent}, session ${question.session}`),
    ...claimNotes(question.claimedBy).flatMap((text) => line("note", text)),
    ...line("project", question.project),
    ...line("files", total),
  ];
}

function baseLines({ branch, commit, along }: PushBase, viewStyle: ViewStyle, style: Style): string[] {
  const line = (label: string, text: string) => labelledLines(label, text, viewStyle, style);
  const subjects = along?.subjects ?? [];
  const rest = (along?.count ?? 0) - subjects.length;
  return [
    ...line("built on", `${branch ?? "what is checked out"}, ${shortId(commit)}`),
    ...(along === null ? [] : labelledLines("along", alongText(along), viewStyle, style, ["yellow", "bold"])),
    ...subjects.flatMap((subject) => line("", `${viewStyle.isUnicode ? "╎" : ":"} ${subject}`)),
    ...(rest > 0 ? line("", `${groupDigits(rest)} more of them: not shown`) : []),
  ];
}

export function stagedHead(commit: StagedCommitView, total: string, viewStyle: ViewStyle): string[] {
  const line = (label: string, text: string) => labelledLines(label, text, viewStyle, "cyan");
  return [
    frameLine("top", `staged: not asked about yet  ${displayText(commit.id, { maxLength: 60 })}`, viewStyle, "cyan"),
    ...messageLines(commit.message, viewStyle, "cyan"),
    ...line("", "(what lands also names the agent, in a trailer)"),
    ...line("session", commit.session),
    ...line("staged", localTime(new Date(commit.createdAt).toISOString(), new Date())),
    ...line("files", total),
  ];
}

/** The lines below the files. */
export function changeTail(question: Question | null, viewStyle: ViewStyle): string[] {
  const style = question === null ? "cyan" : severityStyle[question.severity];
  return [
    frameLine("bottom", "", viewStyle, style),
    ...(question === null ? [] : choiceLines(pushChoicesOf(question), viewStyle)),
  ];
}

/** Everything except the diffs, for a screen that is only printed. */
export function pushLines(question: Question, push: PushAction, viewStyle: ViewStyle): string[] {
  const entries = fileEntries(push.files, question.diff);
  const files = new FilesSeen(entries);
  return [
    ...pushHead(question, push, totalText(entries), viewStyle),
    ...entryLines(entries, viewStyle).map((line) => drawEntryLine(line, false, files, viewStyle)),
    ...changeTail(question, viewStyle),
  ];
}

function messageLines(message: string, viewStyle: ViewStyle, style: Style): string[] {
  const { shown: beginning, rest } = cutCharacters(message, MESSAGE_CHARACTERS);
  const bar = viewStyle.isUnicode ? "╎" : ":";
  const shown = displayText(beginning.replace(/\n$/, ""), { multiline: true, maxLength: 400_000 });
  return [
    ...labelledLines("message", "", viewStyle, style),
    ...dataLines(
      shown.split("\n").map((text) => (text === "" ? `  ${bar}` : `  ${bar} ${text}`)),
      viewStyle,
      style,
    ),
    ...(rest === 0 ? [] : labelledLines("", `${groupDigits(rest)} more characters of it: not shown`, viewStyle, style)),
  ];
}

function shortId(id: string | null): string {
  return id === null ? "nothing" : id.slice(0, 12);
}

export function changesHelp(question: Question | null, viewStyle: ViewStyle): string[] {
  const answers = question === null ? [] : pushChoicesOf(question).map(({ key, name }) => `  ${key}  ${name}`);
  const rows = pushKeys.filter(({ isAnswer = false }) => question !== null || !isAnswer);
  const notes = [
    "[ ] not looked at, [~] in part, [x] looked at from the first row to the last.",
    question === null ? "Nobody has asked to push it yet." : "Answers:",
  ];
  const lines = notes.flatMap((text) => wrapText(text, viewStyle.width));
  return [...keyLines(rows, viewStyle.width), ...lines, ...answers];
}
