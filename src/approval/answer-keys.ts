// The answers' keys and names. One table: the same key means the same answer in a prompt, in `review` and on the page.
// Invariant: a key only chooses a yes, Enter says it; and whoever types a word has not chosen, whatever letter it ends in.

import type { Offer } from "./offer.ts";

export interface AnswerName {
  readonly key: string;
  /** In a terminal. */
  readonly name: string;
  /** On the page. */
  readonly button: string;
  /** Once it was given, on the page and in a terminal. */
  readonly result: string;
  readonly said: string;
}

type Answered = Pick<Offer, "decision" | "scope">;

const names: Readonly<Record<Offer["decision"], Readonly<Partial<Record<Offer["scope"], AnswerName>>>>> = {
  allow: {
    once: named("o", "yes, once", "Approve once", "Approved once", "yes, once."),
    session: named(
      "s",
      "yes, this session",
      "Approve for this session",
      "Approved for this session",
      "yes, for this session.",
    ),
    project: named(
      "p",
      "yes, always here",
      "Always in this project",
      "Approved, always in this project",
      "yes, always in this project.",
    ),
    everywhere: named(
      "e",
      "yes, everywhere",
      "Always, everywhere",
      "Approved, always and everywhere",
      "yes, always, everywhere.",
    ),
  },
  deny: {
    once: named("n", "no", "Reject", "Rejected", "no."),
    project: named(
      "N",
      "no, always here",
      "Always reject in this project",
      "Rejected, always in this project",
      "no, always in this project.",
    ),
  },
};

/** The first answer of a question, if it is a yes; and a no with its reason. */
export const firstKey = "a";
export const reasonKey = "r";

function named(key: string, name: string, button: string, result: string, said: string): AnswerName {
  return { key, name, button, result, said };
}

export function answerName({ decision, scope }: Answered): AnswerName {
  const found = names[decision][scope];
  if (found === undefined) throw new TypeError(`${decision} ${scope} is no answer`);
  return found;
}

/** Who stops typing for so long has stopped; the next key is meant anew. */
const forgottenAfterMs = 2_000;

/**
 * What was typed and is no answer. While there is any, no key answers: the `s` of `ls` says nothing, nor does the Enter
 * behind it. Enter, Esc, Backspace and a moment of quiet take it away.
 */
export class StrayKeys {
  readonly #now: () => number;
  #typed = "";
  #at = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get text(): string {
    return this.#now() - this.#at < forgottenAfterMs ? this.#typed : "";
  }

  add(...keys: readonly string[]): void {
    this.#typed = (this.text + keys.filter(isCharacter).join("")).slice(-20);
    this.#at = this.#now();
  }

  clear(): void {
    this.#typed = "";
  }

  /**
   * SECURITY(T39): true: the key belongs to what was typed by mistake, or takes it away, and does nothing else.
   * `wasTyping`: what stood before it was thrown away, and it is part of that.
   */
  takes(key: string, isAnswer: boolean, wasTyping = false): boolean {
    if (wasTyping && isAnswer && this.text === "") this.add("…");
    if (this.text === "") return false;
    if (["enter", "escape", "backspace"].includes(key.toLowerCase())) this.clear();
    else if (isAnswer) this.add(key);
    else return false;
    return true;
  }
}

function isCharacter(key: string): boolean {
  return [...key].length === 1;
}
