// The screens of `review` as lines: the list of waiting questions, one question with its answers, and help.
// Invariant: no line is wider than the screen. Text that is cut in the list is complete in the question.

import type { Question } from "../../approval/approver.ts";
import type { AlikeQuestions } from "../../approval/queue-list.ts";
import { questionTitle, wantsOf } from "../../approval/question.ts";
import type { QueuedQuestion } from "../../approval/shared-store.ts";
import type { SessionChanges } from "../../runtime/session-changes.ts";
import type { StagedCommitView } from "../../runtime/staged-commits.ts";
import { displayText } from "../../shared/display.ts";
import { cutColumns, padColumns } from "../terminal/columns.ts";
import type { ViewStyle } from "../terminal/view-style.ts";
import { choicesOf, questionLines, safeForStyle, severityStyle } from "../terminal/question-view.ts";
import { countText, type ListChoice, noneText } from "./review-choice.ts";
import { keyLines, listKeys, questionKeys } from "./review-keys.ts";
import { stagedRowText } from "./review-staged.ts";
import { unlandedRowText } from "./review-unlanded-row.ts";
import { ageText } from "../terminal/age-text.ts";
import { wrapText } from "../terminal/table.ts";

export interface ListState {
  /** Those of the questions that fit the filters. */
  readonly groups: readonly AlikeQuestions[];
  /** How many questions wait in all. */
  readonly waiting: number;
  readonly choice: ListChoice;
  /** Shown below the questions. */
  readonly staged: readonly StagedCommitView[];
  /** Sessions with work that has not landed, below those. */
  readonly unlanded: readonly SessionChanges[];
  readonly selected: string | null;
  readonly status: string;
  readonly now: number;
}

/** As many lines as the screen has, including the selected one. */
export function listScreen(
  { groups, waiting, choice, staged, unlanded, selected, status, now }: ListState,
  viewStyle: ViewStyle,
): string[] {
  // The result of an answer is never cut.
  const lines = wrapText(safeForStyle(status, viewStyle), viewStyle.width);
  const messages = lines.length === 0 ? [""] : lines.slice(0, Math.max(1, viewStyle.height - 4));
  const height = viewStyle.height - 2 - messages.length;
  const all = [
    ...groups.flatMap(groupRows),
    ...staged.map((commit) => ({ id: commit.id, style: "cyan" as const, commit })),
    ...unlanded.map((session) => ({ id: session.draft, style: "cyan" as const, session })),
  ];
  const cut = (text: string) => cutColumns(safeForStyle(text, viewStyle), viewStyle.width, viewStyle.isUnicode);
  const at = Math.max(
    0,
    all.findIndex(({ id }) => id === selected),
  );
  const first = Math.max(0, Math.min(at - Math.floor(height / 2), all.length - height));
  const rows = all.slice(first, first + height).map((item) => {
    const isSelected = item.id === selected;
    if (item.id === null) return viewStyle.paint(cut(`  ${item.heading}`), "dim");
    const row =
      "queued" in item
        ? `${item.indent}${rowText(item.queued, now, viewStyle.width < NARROW)}`
        : "commit" in item
          ? stagedRowText(item.commit, now)
          : unlandedRowText(item.session, now);
    const line = cut(`${isSelected ? ">" : " "} ${row}`);
    return isSelected ? viewStyle.paint(line, "bold", item.style) : line;
  });
  const count = countText(groups.flatMap(({ items }) => items).length, waiting, choice);
  const also = [
    ...(staged.length === 0 ? [] : [`, ${staged.length} staged`]),
    ...(unlanded.length === 0 ? [] : [`, ${unlanded.length} not landed`]),
  ].join("");
  return fitted(
    [
      viewStyle.paint(cut(`Review: ${count}${also}`), "bold"),
      ...(all.length === 0 ? noneText(waiting, viewStyle.width) : rows),
    ],
    [...messages, all.length === 0 && waiting === 0 ? "[q]uit  [?]help" : keysText],
    viewStyle,
  );
}

const keysText = "[Enter] open [t]ogether [f]ilter [?]help [q]uit";

/** Questions that are alike stand below what all of them ask for. A question that is alone stands for itself. */
function groupRows({ items }: AlikeQuestions) {
  const isGroup = items.length > 1;
  const rows = items.map((queued) => ({
    id: queued.question.id,
    style: severityStyle[queued.question.severity],
    indent: isGroup ? "  " : "",
    queued,
  }));
  const [first] = items;
  if (!isGroup || first === undefined) return rows;
  const wants = displayText(wantsOf(first.question.verdict), { maxLength: 300 });
  return [{ id: null, heading: `${items.length} ask for the same, [t]: ${wants}` }, ...rows];
}

/** A screen of fewer columns has no room for what the open question says anyway: the id, and that the risk is low. */
const NARROW = 72;

/** What is asked comes first: the screen cuts the end. `waits`: a call waits for the answer right now. */
export function rowText({ question, isAwaited }: QueuedQuestion, now: number, isNarrow = false): string {
  const { id, severity, askedAt, action, claimedBy, project } = question;
  const what = displayText(questionTitle(question), { maxLength: 300 });
  const session = question.sessionName ?? question.session;
  const who = [
    ...(claimedBy === undefined ? [] : [claimedBy]),
    `session ${session}`,
    project.slice(project.lastIndexOf("/") + 1),
  ];
  const from = who.map((text) => displayText(text, { maxLength: 80 })).join(", ");
  const asks = `${displayText(action.agent, { maxLength: 40 })} ${displayText(action.tool, { maxLength: 40 })}`;
  const age = ageText(now - askedAt);
  const state = isAwaited ? "waits" : "";
  if (isNarrow) {
    const marks = [severity === "low" ? "" : severity, age, state].filter((mark) => mark !== "");
    return `${marks.join(" ")}  ${what}  (${asks}, ${from})`;
  }
  const marks = `${padColumns(severity, 6)} ${padColumns(age, 4)} ${padColumns(state, 5)}`;
  return `${marks} ${displayText(id, { maxLength: 40 })}  ${asks}: ${what}  (${from})`;
}

export interface DetailState {
  readonly question: Question;
  readonly top: number;
  /** Why the question can no longer be answered; null if it can. */
  readonly over: string | null;
  readonly status: string;
}

export interface DetailScreen {
  readonly lines: readonly string[];
  /** The number of lines of the question. `end` is the first that is not on the screen. */
  readonly total: number;
  readonly end: number;
  readonly top: number;
}

export function detailScreen({ question, top, over, status }: DetailState, viewStyle: ViewStyle): DetailScreen {
  const all = questionLines(question, viewStyle);
  const rows = viewStyle.height - 2;
  const from = Math.max(0, Math.min(top, all.length - rows));
  const end = Math.min(all.length, from + rows);
  const where = `${from + 1}-${end} of ${all.length}${end < all.length ? ": [space] more" : ""}`;
  const first = choicesOf(question)[0]?.key ?? "";
  const keys = over === null ? `[a]pprove (${first}) [r]eject [?]help [q] back` : "[q] back";
  return {
    lines: fitted(all.slice(from, end), [over ?? status, `${keys}  ${where}`], viewStyle),
    total: all.length,
    end,
    top: from,
  };
}

export function helpScreen(question: Question | null, viewStyle: ViewStyle): string[] {
  const answers = question === null ? [] : choicesOf(question).map(({ key, name }) => `  ${key}  ${name}`);
  const notes = [
    ...(question === null ? ["The answers stand below each question."] : []),
    "Yes needs that the whole question was on the screen. What it means is shown once more before Enter.",
  ].flatMap((text) => wrapText(text, viewStyle.width));
  const keys = keyLines(question === null ? listKeys : questionKeys, viewStyle.width);
  return fitted([...keys, ...answers, ...notes], ["", "any key: back"], viewStyle);
}

/** Fills the screen's height, with `bottom` as its last lines. */
export function fitted(lines: readonly string[], bottom: readonly string[], viewStyle: ViewStyle): string[] {
  const rows = Math.max(0, viewStyle.height - bottom.length);
  const shown = lines.slice(0, rows);
  const cut = bottom.map((line) =>
    viewStyle.paint(cutColumns(safeForStyle(line, viewStyle), viewStyle.width, viewStyle.isUnicode), "dim"),
  );
  return [...shown, ...Array.from({ length: rows - shown.length }, () => ""), ...cut];
}
