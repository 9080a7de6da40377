// Shows a push on the whole terminal. `review` and the prompt show it in the same way, with the same keys.

import type { DiffFile } from "../../action/diff-file.ts";
import type { PushAction } from "../../action/action.ts";
import type { Answer, Question } from "../../approval/approver.ts";
import type { QuestionQueue } from "../../approval/shared-store.ts";
import { sessionOf } from "../../git/staged.ts";
import type { PushedBytes } from "../../runtime/answer-service.ts";
import type { StagedCommitView, StagedSource } from "../../runtime/staged-commits.ts";
import { type AnswerContext, answerChoice } from "../terminal/answer-dialog.ts";
import type { Painter } from "../terminal/painter.ts";
import { ChangeDialog } from "./review-changes.ts";
import { type FileEntry, fileEntries } from "./review-files.ts";
import { movesIn, pushKeys } from "./review-keys.ts";
import { pushChoicesOf, strayText } from "../terminal/question-view.ts";
import { changesHelp, changeTail, pushHead, stagedHead } from "./review-push-view.ts";

/** The question with its diff, which lists leave out. */
export async function withDiff(question: Question, queue: QuestionQueue): Promise<Question> {
  return question.diff === undefined ? ((await queue.find(question.id))?.question ?? question) : question;
}

export function pushDialog(question: Question, push: PushAction, answerService: PushedBytes): ChangeDialog {
  return new ChangeDialog({
    choices: pushChoicesOf(question),
    entries: fileEntries(push.files, question.diff, (file) => answerService.bytesAfter(question, file)),
    head: (total, viewStyle) => pushHead(question, push, total, viewStyle),
    tail: (viewStyle) => changeTail(question, viewStyle),
    help: (viewStyle) => changesHelp(question, viewStyle),
  });
}

export function stagedDialog(commit: StagedCommitView, diff: readonly DiffFile[], source: StagedSource): ChangeDialog {
  const entries: FileEntry[] = fileEntries([], diff, (file) => source.stagedBytes(sessionOf(commit), file));
  return new ChangeDialog({
    choices: [],
    entries,
    head: (total, viewStyle) => stagedHead(commit, total, viewStyle),
    tail: (viewStyle) => changeTail(null, viewStyle),
    help: (viewStyle) => changesHelp(null, viewStyle),
  });
}

/** Handles one key: returns the person's answer, or whether they stay or go back. */
export async function pressChanges(
  key: string,
  dialog: ChangeDialog,
  question: Question | null,
  context: AnswerContext,
): Promise<Answer | "stay" | "back"> {
  const { keys, signal, viewStyle, show, stray } = context;
  const isAnswer = dialog.choiceOf(key) !== undefined;
  if (
    question !== null &&
    !dialog.isHelping &&
    (stray.takes(key, isAnswer, keys.wasTyping()) || isStray(key, isAnswer))
  ) {
    if (!isAnswer) stray.add(key);
    dialog.showStatus(stray.text === "" ? "" : strayText(stray));
    return "stay";
  }
  const pressed = dialog.press(key, viewStyle());
  if (pressed === "stay" || pressed === "back") return pressed;
  if (pressed === "reminded") {
    keys.drain(); // SECURITY(T28): the second key must come after the reminder
    return "stay";
  }
  if (pressed === "search") {
    show(["Look for what? Small letters stand for both. Nothing: the one before, further on."]);
    const text = await keys.line("text: ", "", signal);
    if (text !== null) dialog.search(text, viewStyle());
    return "stay";
  }
  if (question === null) return "stay";
  const answer = await answerChoice(pressed.choice, question, context);
  if (answer !== null) return answer;
  dialog.showStatus(stray.text === "" ? "" : strayText(stray));
  keys.drain();
  return "stay";
}

const moving = movesIn(pushKeys);

/** True for a character that neither moves nor answers here. */
function isStray(key: string, isAnswer: boolean): boolean {
  return key.length === 1 && !isAnswer && !moving.has(key);
}

/** Uses the whole screen until the person answers or leaves. */
export async function askAboutPush(
  question: Question,
  push: PushAction,
  painter: Painter,
  context: AnswerContext,
  answerService: PushedBytes,
): Promise<Answer | "left" | "interrupted"> {
  const { keys, viewStyle, signal } = context;
  const dialog = pushDialog(question, push, answerService);
  let isDrawing = true;
  const draw = () => {
    if (isDrawing) painter.draw(dialog.draw(viewStyle()));
  };
  const output = process.stderr;
  output.on("resize", draw);
  try {
    draw();
    keys.drain(); // SECURITY(T28): keys typed before this was on the screen answer nothing
    for (;;) {
      const key = await keys.next(signal);
      if (key === "ctrl-c") return "interrupted";
      if (key === null || key === "ctrl-d") return "left";
      isDrawing = false;
      const pressed = await pressChanges(key, dialog, question, {
        ...context,
        show: (lines) => painter.drawAbove(lines),
      });
      isDrawing = true;
      if (pressed === "back") return "left";
      if (pressed !== "stay") return pressed;
      if (signal.aborted) return "left";
      draw();
    }
  } finally {
    output.off("resize", draw);
  }
}
