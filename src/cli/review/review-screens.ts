// The screens of the open `review`: a live list of questions, and one question with its answers. A key chooses, and Enter confirms.
// Invariant: the question on the screen never changes to another. A yes counts only once all of it was shown.

import { StrayKeys } from "../../approval/answer-keys.ts";
import type { Answer, Question } from "../../approval/approver.ts";
import type { AnswerService } from "../../runtime/answer-service.ts";
import { answerTogether } from "../../runtime/answer-together.ts";
import type { SessionChanges } from "../../runtime/session-changes.ts";
import type { StagedCommitView } from "../../runtime/staged-commits.ts";
import { displayText } from "../../shared/display.ts";
import { type AnswerContext, answerChoice } from "../terminal/answer-dialog.ts";
import { personHere } from "../terminal/own-terminal.ts";
import type { Keys } from "../terminal/keys.ts";
import { type ViewStyle, viewStyleOf } from "../terminal/view-style.ts";
import type { Painter } from "../terminal/painter.ts";
import { type Choice, choiceOfKey, choicesOf, strayText } from "../terminal/question-view.ts";
import type { AnswerOutcomes } from "./answer-outcomes.ts";
import type { ChangeDialog } from "./review-changes.ts";
import { ChoiceDialog, countText } from "./review-choice.ts";
import { type ReviewedStores, ReviewList } from "./review-list.ts";
import { pressChanges, pushDialog, stagedDialog, withDiff } from "./review-push.ts";
import { decideSession, openReviewed, type ReviewedSession, type ReviewChanges } from "./review-unlanded.ts";
import { givenText, pressTogether, TogetherDialog } from "./review-together.ts";
import { detailScreen, fitted, helpScreen, listScreen } from "./review-view.ts";
import { describeSettled, endedText } from "../terminal/terminal-prompt.ts";
import type { Screen } from "../terminal/terminal.ts";

export interface ReviewContext extends ReviewedStores {
  readonly answerService: AnswerService;
  readonly outcomes: AnswerOutcomes;
  readonly screen: Screen;
  readonly isDumb: boolean;
  /** The question to open at the start. */
  readonly first: Question | null;
  readonly signal: AbortSignal;
}

interface OpenQuestion {
  readonly question: Question;
  readonly size: string;
  readonly top: number;
  /** How many lines, from the first on, were on the screen. */
  readonly seen: number;
  readonly over: string | null;
}

interface OpenChanges {
  readonly dialog: ChangeDialog;
  /** Null for a staged commit that nobody has asked to push, and for a session. */
  readonly question: Question | null;
  /** What a session has not landed; null for a push or a staged commit. */
  readonly session: ReviewedSession | null;
}

export class ReviewScreens {
  readonly #context: ReviewContext;
  readonly #keys: Keys;
  readonly #painter: Painter;
  readonly #signal: AbortSignal;
  readonly #list = new ReviewList();
  #isFirst = true;
  #open: OpenQuestion | null = null;
  /** The open push or staged commit. */
  #changes: OpenChanges | null = null;
  /** The open questions that ask for the same. */
  #together: TogetherDialog | null = null;
  /** The open order and filters. */
  #choice: ChoiceDialog | null = null;
  #status = "";
  #mode: "screens" | "help" | "dialog" = "screens";
  readonly #stray = new StrayKeys();

  constructor(context: ReviewContext, keys: Keys, painter: Painter, signal: AbortSignal) {
    this.#context = context;
    this.#keys = keys;
    this.#painter = painter;
    this.#signal = signal;
  }

  async open(listed: Question): Promise<void> {
    const { push } = listed.action;
    const question = push === undefined ? listed : await withDiff(listed, this.#context.answerService.queue);
    if (push !== undefined)
      this.#changes = { dialog: pushDialog(question, push, this.#context.answerService), question, session: null };
    else this.#open = { question, size: "", top: 0, seen: 0, over: null };
    this.#list.select(question.id);
    this.#status = "";
    this.#stray.clear();
    this.draw();
    this.#keys.drain(); // SECURITY(T28): keys typed before this was on the screen answer nothing
  }

  /** Shows what came of an answer, unless the person is at something else, where it would hide what is said about that. */
  tell(text: string): boolean {
    const open = [this.#open, this.#changes, this.#together, this.#choice];
    if (this.#mode !== "screens" || open.some((one) => one !== null)) return false;
    this.#status = text;
    this.draw();
    return true;
  }

  #openTogether(): void {
    const { together } = this.#list;
    if (together === null) {
      this.#status = "No other question in the list asks for the same.";
      return;
    }
    this.#together = new TogetherDialog(together);
    this.#status = "";
    this.#stray.clear();
    this.draw();
    this.#keys.drain(); // SECURITY(T28): keys typed before this was on the screen answer nothing
  }

  async #openStaged(commit: StagedCommitView): Promise<void> {
    try {
      const diff = await this.#context.staged.stagedDiff(commit.id);
      this.#changes = { dialog: stagedDialog(commit, diff, this.#context.staged), question: null, session: null };
      this.#status = "";
    } catch (error) {
      this.#status = displayText(error instanceof Error ? error.message : String(error), { maxLength: 300 });
    }
  }

  async #openSession(row: SessionChanges, changes: ReviewChanges): Promise<void> {
    const opened = await openReviewed(changes, row);
    this.#status = opened.ok ? "" : displayText(opened.failure.message, { maxLength: 300 });
    if (opened.ok) this.#changes = { ...opened.value, question: null };
    this.draw();
    this.#keys.drain(); // SECURITY(T28): keys typed before this was on the screen decide nothing
  }

  /** Reads everything first and then draws at once, so that a key that comes meanwhile refers to a complete screen. */
  async refresh(): Promise<void> {
    const items = await this.#context.answerService.listAndWithdrawEnded();
    const isWaiting = (id: string) => items.some(({ question }) => question.id === id);
    const over = new Map<string, string>();
    for (const { id } of [this.#changes?.question, this.#open?.question].filter((one) => one != null))
      if (!isWaiting(id)) over.set(id, await this.#whyOver(id));
    const isNews = this.#list.show(items, this.#context, this.#isFirst);
    this.#isFirst = false;
    const count = items.length === 1 ? "1 question waits" : `${items.length} questions wait`;
    this.#painter.setTitle(`Sallyport: ${count}`, isNews);
    const why = over.get(this.#changes?.question?.id ?? "");
    this.#together?.keepWaiting(isWaiting);
    if (why !== undefined) this.#changes?.dialog.end(why);
    if (this.#open !== null && this.#open.over === null)
      this.#open = { ...this.#open, over: over.get(this.#open.question.id) ?? null };
    this.draw();
  }

  async #whyOver(id: string): Promise<string> {
    const answer = (await this.#context.answerService.queue.find(id))?.answer ?? null;
    return answer === null
      ? "It waits no more: it has expired, or its call was cancelled, or its session has ended."
      : `Answered by ${displayText(answer.who)}: ${describeSettled(answer)}`;
  }

  draw(): void {
    if (this.#mode === "dialog") return;
    const viewStyle = this.#viewStyle();
    if (this.#changes !== null) return this.#painter.draw(this.#changes.dialog.draw(viewStyle));
    const dialog = this.#together?.draw(viewStyle) ?? this.#drawChoice(viewStyle);
    if (dialog !== undefined) return this.#painter.draw(fitted(dialog.lines, dialog.bottom, viewStyle));
    if (this.#mode === "help") return this.#painter.draw(helpScreen(this.#open?.question ?? null, viewStyle));
    if (this.#open === null) {
      const state = { ...this.#list.view, status: this.#status, now: Date.now() };
      return this.#painter.draw(listScreen(state, viewStyle));
    }
    const size = `${viewStyle.width}x${viewStyle.height}`;
    // At another width the lines differ, so the reviewer has to see them again.
    const { seen, top, ...rest } = this.#open.size === size ? this.#open : { ...this.#open, seen: 0, top: 0 };
    const screen = detailScreen({ ...rest, top, status: this.#status }, viewStyle);
    this.#open = { ...rest, size, top: screen.top, seen: screen.top <= seen ? Math.max(seen, screen.end) : seen };
    this.#painter.draw(screen.lines);
  }

  #drawChoice(viewStyle: ViewStyle) {
    const { choice, facets, items, waiting } = this.#list;
    return this.#choice?.draw(choice, facets, countText(items.length, waiting, choice), viewStyle);
  }

  /** False if the person quits. */
  async press(key: string): Promise<boolean> {
    if (this.#changes !== null) await this.#pressInChanges(key, this.#changes);
    else if (this.#together !== null) await this.#pressTogether(key, this.#together);
    else if (this.#choice !== null) this.#pressInChoice(key, this.#choice);
    else if (this.#mode === "help") this.#mode = "screens";
    else if (key === "?") this.#mode = "help";
    else if (this.#open === null) {
      if (key === "q" || key === "escape") return false;
      await this.#pressInList(key);
    } else await this.#pressInQuestion(key, this.#open);
    this.draw();
    return true;
  }

  async #pressInList(key: string): Promise<void> {
    if (key === "/") return await this.#narrow();
    if (key === "t") return this.#openTogether();
    if (key === "f") {
      this.#choice = new ChoiceDialog();
      return;
    }
    const { row } = this.#list;
    if (this.#list.move(key) || row === null) return;
    const isOpening = key === "enter" || key === " ";
    const { changes } = this.#context;
    if (row.kind !== "question") {
      if (!isOpening && key !== "d") return;
      if (row.kind === "staged") await this.#openStaged(row.commit);
      else if (changes !== null) await this.#openSession(row.session, changes);
      return;
    }
    const { question } = row.item;
    const isPush = question.action.push !== undefined;
    if (isOpening || (isPush && key === "d")) return await this.open(question);
    if (choiceOfKey(key, choicesOf(question)) === undefined) return;
    await this.open(question);
    if (!isPush) this.#status = "Read it first; then the same key chooses, and Enter says it.";
  }

  async #narrow(): Promise<void> {
    this.#mode = "dialog";
    this.#painter.drawAbove(["Show the questions with this text in them; nothing for all."]);
    const text = await this.#keys.line("filter: ", this.#list.choice.filter.text ?? "", this.#signal);
    this.#mode = "screens";
    if (text !== null) this.#list.narrow(text.slice(0, 200));
  }

  #pressInChoice(key: string, dialog: ChoiceDialog): void {
    const choice = dialog.press(key, this.#list.choice, this.#list.facets);
    if (choice === null) this.#choice = null;
    else if (choice !== this.#list.choice) this.#list.choose(choice);
  }

  async #pressTogether(key: string, dialog: TogetherDialog): Promise<void> {
    this.#mode = "dialog";
    const pressed = await pressTogether(key, dialog, this.#answerContext()).finally(() => (this.#mode = "screens"));
    if (pressed === "stay") return;
    this.#together = null;
    if (pressed === "back") return;
    const given = await answerTogether(pressed, this.#context.answerService);
    this.#status = givenText(pressed, given);
    for (const settled of given.answered) this.#context.outcomes.follow(settled);
    await this.refresh();
    this.#keys.drain();
  }

  async #pressInChanges(key: string, { dialog, question, session }: OpenChanges): Promise<void> {
    this.#mode = "dialog";
    const { changes } = this.#context;
    if (session !== null && changes !== null && !dialog.isHelping) {
      const decided = decideSession(key, session, changes, this.#answerContext(), this.#painter);
      if (decided !== undefined) return await this.#decided(await decided.finally(() => (this.#mode = "screens")));
    }
    const pressed = await pressChanges(key, dialog, question, this.#answerContext()).finally(
      () => (this.#mode = "screens"),
    );
    if (pressed === "stay") return;
    if (pressed === "back") this.#changes = null;
    else if (question !== null) await this.#give(question, pressed);
  }

  /** Goes back to the list with what came of it, or stays if the person went back. */
  async #decided(text: string | null): Promise<void> {
    this.#keys.drain();
    if (text === null) return;
    this.#changes = null;
    await this.#context.changes?.watch.refresh();
    this.#status = text;
    await this.refresh();
  }

  async #pressInQuestion(key: string, open: OpenQuestion): Promise<void> {
    const choice = open.over === null ? choiceOfKey(key, choicesOf(open.question)) : undefined;
    if (this.#stray.takes(key, choice !== undefined, this.#keys.wasTyping())) {
      this.#status = this.#stray.text === "" ? "" : strayText(this.#stray);
      return;
    }
    const page = Math.max(1, this.#viewStyle().height - 3);
    const step = {
      j: 1,
      down: 1,
      k: -1,
      up: -1,
      " ": page,
      enter: page,
      "page-down": page,
      "page-up": -page,
      home: -open.top,
    }[key];
    if (step !== undefined) {
      this.#open = { ...open, top: Math.max(0, open.top + step) };
      this.#status = "";
    } else if (key === "q" || key === "escape" || key === "backspace") this.#open = null;
    else if (choice !== undefined) await this.#answer(choice, open);
    else {
      this.#stray.add(key);
      this.#status = this.#stray.text === "" ? this.#status : strayText(this.#stray);
    }
  }

  async #answer(choice: Choice, { question, seen, size }: OpenQuestion): Promise<void> {
    const { total } = detailScreen({ question, top: 0, over: null, status: "" }, this.#viewStyle());
    if (choice.offer.decision === "allow" && (seen < total || size === "")) {
      this.#status = "Not yet: the rest of the question was not on the screen. Space shows it.";
      return;
    }
    const answer = await this.#dialog(choice, question);
    if (answer !== null) return await this.#give(question, answer);
    this.#status = this.#stray.text === "" ? "" : strayText(this.#stray);
    this.#keys.drain();
  }

  async #give(question: Question, answer: Answer): Promise<void> {
    const settled = await this.#context.answerService.answer(question.id, answer);
    this.#status =
      "ok" in settled
        ? `Your answer does not count: ${displayText(settled.reason)}`
        : `${displayText(question.id)}: ${describeSettled(settled)}${await endedText(settled, this.#context.answerService)}`;
    if (!("ok" in settled)) this.#context.outcomes.follow(settled);
    this.#open = null;
    this.#changes = null;
    await this.refresh();
    this.#keys.drain();
  }

  async #dialog(choice: Choice, question: Question): Promise<Answer | null> {
    this.#mode = "dialog";
    try {
      return await answerChoice(choice, question, this.#answerContext());
    } finally {
      this.#mode = "screens";
    }
  }

  #answerContext(): AnswerContext {
    return {
      keys: this.#keys,
      who: personHere(),
      home: this.#context.home,
      signal: this.#signal,
      viewStyle: () => this.#viewStyle(),
      show: (lines) => this.#painter.drawAbove(lines),
      alsoAnswers: (question) => this.#context.answerService.alsoAnswers(question),
      stray: this.#stray,
    };
  }

  #viewStyle() {
    return viewStyleOf(this.#context.screen, process.stdout);
  }
}
