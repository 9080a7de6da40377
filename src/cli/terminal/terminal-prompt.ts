// Asks in the terminal where the person typed the command. It draws on stderr, because stdout is for the reply.
// Invariant: the prompt asks one question at a time. The first answer counts, whether it is given here or in the queue, and
// the other side is told.

import type { PushAction } from "../../action/action.ts";
import { answerName, reasonKey, StrayKeys } from "../../approval/answer-keys.ts";
import type { Question, SettledAnswer } from "../../approval/approver.ts";
import { describeAnswerUse, answerUseOf } from "../../approval/answer-use.ts";
import type { Prompt } from "../../approval/queue.ts";
import type { AnswerService, GivenAnswer } from "../../runtime/answer-service.ts";
import { displayText } from "../../shared/display.ts";
import { type AnswerContext, answerChoice } from "./answer-dialog.ts";
import { personHere, terminalProblem } from "./own-terminal.ts";
import { openKeys } from "./keys.ts";
import { localTime } from "./local-time.ts";
import { viewStyleOf } from "./view-style.ts";
import { openPainter } from "./painter.ts";
import { choiceOfKey, choicesOf, questionLines, safeForStyle, strayText } from "./question-view.ts";
import { askAboutPush, withDiff } from "../review/review-push.ts";
import type { Screen } from "./terminal.ts";
import { wrapText } from "./table.ts";

export interface PromptContext {
  readonly answerService: AnswerService;
  /** The screen of stderr. */
  readonly screen: Screen;
  readonly home: string;
  /** True if the terminal supports no control sequences. Screens are then printed one after another. */
  readonly isDumb?: boolean;
}

let turn: Promise<unknown> = Promise.resolve();

export function terminalPrompt(context: PromptContext): Prompt {
  return {
    async show(question, signal) {
      const before = turn;
      const { promise, resolve } = Promise.withResolvers<void>();
      turn = promise;
      try {
        await before;
        if (!signal.aborted && terminalProblem(process, 2) === null) await askHere(question, signal, context);
      } finally {
        resolve();
      }
    },
  };
}

async function askHere(question: Question, signal: AbortSignal, prompt: PromptContext): Promise<void> {
  const { answerService, screen, home } = prompt;
  const say = (text: string) => void screen.write(`${text}\n`);
  const keys = openKeys(process.stdin, process.stderr);
  const viewStyle = () => viewStyleOf(screen, process.stderr);
  const context: AnswerContext = {
    keys,
    who: personHere(),
    home,
    signal,
    viewStyle,
    show: (lines) => say(`\n${lines.join("\n")}`),
    alsoAnswers: (one) => answerService.alsoAnswers(one),
    stray: new StrayKeys(),
  };
  let isInterrupted = false;
  try {
    const { push } = question.action;
    const answer = await (push === undefined
      ? chooseHere(question, context, say, answerService)
      : choosePush(await withDiff(question, answerService.queue), push, context, prompt));
    isInterrupted = answer === "interrupted";
    if (signal.aborted) return say(`sallyport: ${await whyOver(question, signal, answerService)}`);
    if (answer === "left" || answer === "interrupted")
      return say(`sallyport: left unanswered. \`${reviewOf(question, answerService)}\` asks again.`);
    const settled = await answerService.answer(question.id, answer);
    if ("ok" in settled) return say(`sallyport: your answer does not count: ${displayText(settled.reason)}`);
    for (const line of wrapText(`sallyport: ${describeSettled(settled)}`, viewStyle().width)) say(line);
  } finally {
    keys.close();
    if (isInterrupted) await interrupt(signal);
  }
}

/** Uses the alternate screen, so that the previous content comes back afterwards. */
async function choosePush(question: Question, push: PushAction, context: AnswerContext, prompt: PromptContext) {
  const painter = openPainter(process.stderr, prompt.isDumb ?? false);
  try {
    return await askAboutPush(question, push, painter, context, prompt.answerService);
  } finally {
    painter.close();
  }
}

/** In this mode the terminal sends no signal for Ctrl-C. A person who presses it wants to end the whole command. */
async function interrupt(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  process.kill(process.pid, "SIGINT");
  const timer = setTimeout(resolve, 1_000);
  await promise;
  clearTimeout(timer);
}

async function chooseHere(
  question: Question,
  context: AnswerContext,
  say: (text: string) => void,
  answerService: AnswerService,
) {
  const { keys, viewStyle, signal, stray } = context;
  const choices = choicesOf(question);
  const lines = questionLines(question, viewStyle());
  say(lines.join("\n"));
  if (lines.length >= viewStyle().height)
    say(viewStyle().paint(`(${lines.length} lines: it begins further up)`, "yellow"));
  for (;;) {
    say(` ${viewStyle().paint("[?]", "bold")} help   ${viewStyle().paint("[q]", "bold")} leave it unanswered`);
    keys.drain();
    const key = await keys.next(signal);
    if (key === "ctrl-c") return "interrupted" as const;
    if (key === null || key === "q" || key === "ctrl-d") return "left" as const;
    const choice = choiceOfKey(key, choices);
    if (key === "?") for (const line of helpLines(question, viewStyle().width, answerService)) say(line);
    else if (stray.takes(key, choice !== undefined, keys.wasTyping()) || choice === undefined) {
      if (choice === undefined) stray.add(key);
    } else {
      const answer = await answerChoice(choice, question, context);
      if (answer !== null || signal.aborted) return answer ?? ("left" as const);
    }
    if (key !== "?")
      say(
        stray.text === ""
          ? `Keys: ${choices.map((one) => one.key).join(" ")} ? q`
          : safeForStyle(strayText(stray), viewStyle()),
      );
  }
}

function reviewOf({ id }: Question, { queue }: AnswerService): string {
  return queue.command("review", id);
}

function helpLines(question: Question, width: number, answerService: AnswerService): string[] {
  const keys = choicesOf(question).map(
    ({ key, name, offer }) =>
      `[${key}] ${name}: ${key === reasonKey ? "the same, and the agent is told the reason" : offer.meaning}.`,
  );
  return [
    ...keys,
    "A key chooses a yes and shows what it means; Enter then says it. What is kept for longer can be edited first. a is the first answer.",
    `Unanswered, the question waits in the queue for 24 hours: \`${reviewOf(question, answerService)}\`.`,
  ].flatMap((text) => wrapText(text, width));
}

export function describeSettled(settled: GivenAnswer): string {
  const { decision, note, reason, also = [] } = settled;
  return [
    answerName(settled).said,
    also.length === 0
      ? null
      : `${also.length} other${also.length === 1 ? " question was" : " questions were"} answered with it.`,
    note,
    decision === "deny" && reason !== null ? `The agent is told: ${reason}` : null,
  ]
    .filter((part) => part !== null)
    .map((part) => displayText(part))
    .join(" ");
}

/** The message to a person whose answer no call is waiting for; empty if a call takes the answer. */
export async function endedText(settled: SettledAnswer, { queue }: AnswerService): Promise<string> {
  const pickUp = await answerUseOf(queue, settled.question);
  if (pickUp.state === "taken" || pickUp.state === "awaited") return "";
  const when = (ms: number) => localTime(new Date(ms).toISOString(), new Date());
  return ` ${describeAnswerUse(settled, pickUp, when)}`;
}

async function whyOver({ id }: Question, signal: AbortSignal, { queue }: AnswerService): Promise<string> {
  const answer = (await queue.find(id))?.answer ?? null;
  if (answer !== null) return `answered elsewhere: ${describeSettled(answer)} (${displayText(answer.who)})`;
  const { name } = (signal.reason ?? {}) as { name?: string };
  return name === "TimeoutError" ? "nobody answered in time." : "the call does not wait for an answer any more.";
}
