// What a reviewer sees of a session's work before its files, and of what would land in the person's files.
// Invariant: each line begins with a label of the gate.

import { sizeText } from "../../action/diff-facts.ts";
import type { HereLanding } from "../../runtime/begin-landing.ts";
import type { ListedSession } from "../../runtime/listed-session.ts";
import type { SeenChanges } from "../../runtime/session-changes.ts";
import type { SessionDiff } from "../../runtime/session-diff.ts";
import { displayText } from "../../shared/display.ts";
import { quoteName } from "../../shared/odd-name.ts";
import { localTime } from "../terminal/local-time.ts";
import { type Choice, choiceLines, frameLine, labelledLines } from "../terminal/question-view.ts";
import { wrapText } from "../terminal/table.ts";
import type { ViewStyle } from "../terminal/view-style.ts";
import { ChangeDialog } from "./review-changes.ts";
import { fileEntries } from "./review-files.ts";

const moving = [
  "n p, arrows: from file to file. d, Enter: its diff. q, Esc: back.",
  "In a diff: space b, PgDn PgUp: page; j k: line; g G: first, last; / looks for a text.",
];

export function sessionDialog({ row, made }: SeenChanges, { diff, warnings, bytesAfter }: SessionDiff): ChangeDialog {
  const hasCommits = (made?.count ?? 0) > 0;
  const hasProject = row.project !== null;
  return new ChangeDialog({
    choices: [],
    otherKeys: ` [l]and${hasCommits ? " [c]ommits" : ""}${hasProject ? " [h]ere" : ""} [x] discard`,
    entries: fileEntries([], diff, bytesAfter),
    head(total, viewStyle) {
      const line = (label: string, text: string) => labelledLines(label, text, viewStyle, "cyan");
      const title = `not landed: session ${displayText(row.session, { maxLength: 60 })}`;
      return [
        frameLine("top", title, viewStyle, "cyan"),
        ...line("agent", row.agent),
        ...line("project", row.project ?? "none: the workspace is in memory"),
        ...line(hasProject ? "begun" : "saved", localTime(row.begun, new Date())),
        ...(made?.newest ?? []).flatMap(({ id, message }) =>
          line("commit", `${id.slice(0, 12)} ${message.split("\n")[0] ?? ""}`),
        ),
        ...warningLines(warnings, viewStyle),
        ...line("size", sizeText(row.bytes)),
        ...line("files", total),
      ];
    },
    tail: (viewStyle) => [frameLine("bottom", "", viewStyle, "cyan")],
    help: (viewStyle) =>
      [
        ...moving,
        "l: land it on a branch, as one commit of yours.",
        ...(hasCommits ? ["c: land the commits made inside, one by one. What is not committed stays behind."] : []),
        ...(hasProject ? ["h: write it into the files of the project, without a commit."] : []),
        "What would land is shown first. x: discard it, after one more key.",
      ].flatMap((text) => wrapText(text, viewStyle.width)),
  });
}

const yesOrNo: readonly Choice[] = [
  {
    key: "o",
    name: "write it",
    offer: { decision: "allow", scope: "once", meaning: "the files of the project change as shown", rules: [] },
  },
  {
    key: "r",
    name: "leave it",
    offer: { decision: "deny", scope: "once", meaning: "nothing changes", rules: [] },
  },
];

export function hereDialog({ diff, pairs, plan, warnings }: HereLanding, { project }: ListedSession): ChangeDialog {
  const contents = new Map(pairs.map(({ path, after }) => [path, after?.content]));
  const { changes, left } = plan.merged;
  return new ChangeDialog({
    choices: yesOrNo,
    entries: fileEntries([], diff, ({ path }) => contents.get(path) ?? null),
    head(total, viewStyle) {
      const line = (label: string, text: string) => labelledLines(label, text, viewStyle, "yellow");
      const loud = (label: string, text: string) => labelledLines(label, text, viewStyle, "yellow", ["red", "bold"]);
      return [
        frameLine("top", "write into the files of the project, without a commit", viewStyle, "yellow"),
        ...line("project", project ?? ""),
        ...changes.flatMap(({ path, how }) => (how === "conflict" ? loud("CONFLICT", quoteName(path)) : [])),
        ...changes.flatMap(({ path, how }) => (how === "merged" ? line("merged", quoteName(path)) : [])),
        ...[...left].flatMap(([path, why]) => loud("LEFT", `${quoteName(path)}: ${why}`)),
        ...warningLines(warnings, viewStyle),
        ...line("files", total),
      ];
    },
    tail: (viewStyle) => [frameLine("bottom", "", viewStyle, "yellow"), ...choiceLines(yesOrNo, viewStyle)],
    help: (viewStyle) =>
      [...moving, "o, a: write it, after Enter. r: leave it."].flatMap((text) => wrapText(text, viewStyle.width)),
  });
}

function warningLines(warnings: readonly string[], viewStyle: ViewStyle): string[] {
  return warnings.flatMap((warning) => labelledLines("WARNING", warning, viewStyle, "yellow", ["yellow", "bold"]));
}
