// Questions that ask for the same, each whole, and one answer to several of them.
// Invariant: a yes is for those whose every line was on the screen, from the first one on, and which still have their mark.

import { reasonKey } from "../../approval/answer-keys.ts";
import { meaningOf } from "../../approval/answer-meaning.ts";
import type { Question } from "../../approval/approver.ts";
import { askedFindings } from "../../approval/offer.ts";
import type { TogetherQuestions } from "../../approval/queue-list.ts";
import type { TogetherAnswer, TogetherGiven } from "../../runtime/answer-together.ts";
import { displayText } from "../../shared/display.ts";
import { type AnswerContext, askReason } from "../terminal/answer-dialog.ts";
import { frameLine, labelledLines, questionFrame, severityStyle, strayText } from "../terminal/question-view.ts";
import { wrapText } from "../terminal/table.ts";
import type { ViewStyle } from "../terminal/view-style.ts";
import { keyLines, movesIn, togetherKeys } from "./review-keys.ts";

interface Block {
  readonly from: number;
  /** The first line that is not of this question. */
  readonly end: number;
}

interface Layout {
  readonly size: string;
  readonly lines: readonly string[];
  readonly blocks: readonly Block[];
}

const noLayout: Layout = { size: "", lines: [], blocks: [] };

/** What the owner has to do: nothing, go back, or take an answer. */
type TogetherPressed = "stay" | "back" | "allow" | "deny";

export class TogetherDialog {
  readonly #together: TogetherQuestions;
  readonly #questions: readonly Question[];
  readonly #unmarked = new Set<string>();
  readonly #over = new Set<string>();
  #layout = noLayout;
  #top = 0;
  /** How many lines, from the first on, were on the screen. */
  #seen = 0;
  #selected = 0;
  #isHelp = false;
  status = "";

  constructor(together: TogetherQuestions) {
    this.#together = together;
    this.#questions = together.items.map(({ question }) => question);
  }

  /** Those that no longer wait cannot be answered. */
  keepWaiting(isWaiting: (id: string) => boolean): void {
    for (const { id } of this.#questions) if (!isWaiting(id)) this.#over.add(id);
  }

  get isHelping(): boolean {
    return this.#isHelp;
  }

  /** Those with their mark. */
  get chosen(): readonly Question[] {
    return this.#questions.filter(({ id }) => !this.#unmarked.has(id) && !this.#over.has(id));
  }

  /** SECURITY(T80): those of them that were on the screen whole. */
  get ready(): readonly Question[] {
    return this.chosen.filter((question) => this.#isRead(this.#questions.indexOf(question)));
  }

  #isRead(at: number): boolean {
    return this.#layout.size !== "" && this.#seen >= (this.#layout.blocks[at] as Block).end;
  }

  draw(viewStyle: ViewStyle) {
    if (this.#isHelp) return { lines: keyLines(togetherKeys, viewStyle.width), bottom: ["", "any key: back"] };
    const { lines, blocks } = this.#layoutFor(viewStyle);
    const rows = viewStyle.height - 2;
    this.#top = Math.max(0, Math.min(this.#top, lines.length - rows));
    const end = Math.min(lines.length, this.#top + rows);
    if (this.#top <= this.#seen) this.#seen = Math.max(this.#seen, end);
    const heads = new Map(blocks.map(({ from }, at) => [from, this.#headLine(at, viewStyle)]));
    const shown = lines.slice(this.#top, end).map((line, at) => heads.get(this.#top + at) ?? line);
    const isOver = this.#over.size === this.#questions.length;
    const where = `${this.#top + 1}-${end} of ${lines.length}${end < lines.length ? ": [space] more" : ""}`;
    const keys = isOver ? "[q] back" : `[a]pprove ${this.ready.length} [r]eject ${this.chosen.length} [x] [?] [q]`;
    const over = "None of these waits any more.";
    return { lines: shown, bottom: [isOver ? over : this.status, `${keys}  ${where}`] };
  }

  #layoutFor(viewStyle: ViewStyle): Layout {
    const size = `${viewStyle.width}x${viewStyle.height}`;
    if (this.#layout.size === size) return this.#layout;
    // At another width the lines differ, so the reviewer has to see them again.
    [this.#top, this.#seen, this.#selected] = [0, 0, 0];
    const { wants, more } = this.#together;
    const count = this.#questions.length;
    const rest = more === 0 ? "" : ` ${more} more ask for it: they come after these.`;
    const lines = [
      ...wrapText(`${count} questions ask for the same. An answer is for each of them, once.${rest}`, viewStyle.width),
      ...labelledLines("for", displayText(wants, { maxLength: 100_000 }), viewStyle, "dim"),
    ];
    const blocks = this.#questions.map((question): Block => {
      const from = lines.length;
      lines.push(...questionFrame(question, "", viewStyle));
      return { from, end: lines.length };
    });
    this.#layout = { size, lines, blocks };
    return this.#layout;
  }

  /** The state changes while the screen is open, so it is drawn each time. It is always one line. */
  #headLine(at: number, viewStyle: ViewStyle): string {
    const { id, severity } = this.#questions[at] as Question;
    const isOver = this.#over.has(id);
    const mark = isOver ? "-" : this.#unmarked.has(id) ? " " : "x";
    const state = isOver ? "waits no more" : this.#isRead(at) ? "read" : "not read to its end";
    const chosen = at === this.#selected ? `${viewStyle.isUnicode ? "→" : ">"} ` : "";
    const title = `${chosen}[${mark}] ${at + 1} of ${this.#questions.length}, ${state}  ${displayText(id, { maxLength: 60 })} (${severity} risk)`;
    return frameLine("top", title, viewStyle, severityStyle[severity]);
  }

  press(key: string, viewStyle: ViewStyle): TogetherPressed {
    if (this.#isHelp || key === "?") {
      this.#isHelp = !this.#isHelp;
      return "stay";
    }
    this.status = "";
    if (key === "q" || key === "escape" || key === "backspace") return "back";
    if (isAnswerKey(key)) return this.#choose(key === reasonKey ? "deny" : "allow");
    const page = Math.max(1, viewStyle.height - 3);
    const step = { j: 1, down: 1, k: -1, up: -1, " ": page, "page-down": page, "page-up": -page, home: -this.#top }[
      key
    ];
    if (step !== undefined) this.#scroll(step, viewStyle);
    else if (key === "n" || key === "p") this.#select(this.#selected + (key === "n" ? 1 : -1));
    else if (key === "x") this.#mark();
    return "stay";
  }

  #choose(decision: "allow" | "deny"): TogetherPressed {
    if (this.#over.size === this.#questions.length) return "stay";
    if (this.chosen.length === 0) this.status = "No question has its mark. x puts it back.";
    else if (decision === "deny" || this.ready.length > 0) return decision;
    else this.status = "Not yet: no question with its mark was on the screen whole. Space shows more.";
    return "stay";
  }

  #scroll(step: number, viewStyle: ViewStyle): void {
    this.#top = Math.max(0, this.#top + step);
    const rows = viewStyle.height - 2;
    const { from = 0, end = 0 } = this.#layout.blocks[this.#selected] ?? {};
    if (from < this.#top + rows && end > this.#top) return;
    const first = this.#layout.blocks.findIndex((block) => block.end > this.#top);
    this.#selected = first === -1 ? this.#questions.length - 1 : first;
  }

  #select(at: number): void {
    this.#selected = Math.max(0, Math.min(at, this.#questions.length - 1));
    this.#top = (this.#layout.blocks[this.#selected] as Block).from;
  }

  #mark(): void {
    const { id } = this.#questions[this.#selected] as Question;
    if (!this.#unmarked.delete(id)) this.#unmarked.add(id);
  }
}

function isAnswerKey(key: string): boolean {
  return togetherKeys.some(({ keys, isAnswer = false }) => isAnswer && keys.includes(key));
}

const moving = movesIn(togetherKeys);

/** Handles one key: returns the person's answer, or whether they stay or go back. */
export async function pressTogether(
  key: string,
  dialog: TogetherDialog,
  context: AnswerContext,
): Promise<TogetherAnswer | "stay" | "back"> {
  const { keys, viewStyle, stray, who } = context;
  const isAnswer = !dialog.isHelping && isAnswerKey(key);
  const isStray = key.length === 1 && !isAnswer && !moving.has(key);
  if (!dialog.isHelping && (stray.takes(key, isAnswer, keys.wasTyping()) || isStray)) {
    if (isStray) stray.add(key);
    dialog.status = stray.text === "" ? "" : strayText(stray);
    return "stay";
  }
  const pressed = dialog.press(key, viewStyle());
  if (pressed === "stay" || pressed === "back") return pressed;
  // What was on the screen when the key came: what comes or goes meanwhile changes nothing.
  const questions = pressed === "allow" ? dialog.ready : dialog.chosen;
  const why =
    pressed === "deny"
      ? await askReason(context, `No to ${counted(questions.length)}. `)
      : (await confirmed(key, questions, dialog.chosen.length, context))
        ? { reason: null }
        : null;
  if (why !== null)
    return {
      decision: pressed,
      who,
      ...why,
      questions: questions.map(({ id, action }) => ({ id, digest: action.digest })),
    };
  dialog.status = stray.text === "" ? "" : strayText(stray);
  keys.drain();
  return "stay";
}

/** SECURITY(T39): Enter counts only after the screen shows to how many questions it says yes, and what that means. */
async function confirmed(
  chosen: string,
  questions: readonly Question[],
  marked: number,
  { keys, signal, viewStyle, show, stray }: AnswerContext,
): Promise<boolean> {
  const asked = questions.slice(0, 1).flatMap(({ verdict }) => askedFindings(verdict).map(({ effect }) => effect));
  const rest = marked - questions.length;
  const lines = [
    `yes, once, to ${counted(questions.length)}. For each: ${meaningOf("allow", "once", [], asked)}`,
    ...(rest === 0
      ? []
      : [
          `${counted(rest)} with the mark ${rest === 1 ? "was" : "were"} not on the screen whole, and ${rest === 1 ? "waits" : "wait"} on.`,
        ]),
    "[Enter] say it   any other key: back",
  ];
  const { width } = viewStyle();
  show(lines.flatMap((line) => wrapText(line, width)));
  for (;;) {
    keys.drain();
    const key = await keys.next(signal);
    if (key === "enter") return true;
    if (key === chosen) continue;
    if (key?.length === 1) stray.add(chosen, key);
    return false;
  }
}

function counted(count: number): string {
  return count === 1 ? "1 question" : `${count} questions`;
}

/** What came of it, for the list. */
export function givenText({ decision }: TogetherAnswer, { answered, left }: TogetherGiven): string {
  const mine = answered.filter((one) => one.decision === decision).length;
  const others = answered.length - mine;
  const [first] = left;
  return [
    `${counted(mine)}: ${decision === "allow" ? "yes, once." : "no."}`,
    ...(others === 0 ? [] : [`${counted(others)} had the other answer already.`]),
    ...(first === undefined ? [] : [`${counted(left.length)} not: ${displayText(first.why)}.`]),
  ].join(" ");
}
