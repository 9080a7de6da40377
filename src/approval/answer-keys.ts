// The keys and names of the answers, in one table: a key means the same answer in a prompt, in `review` and on the page.
// Invariant: a key only chooses a yes, and Enter confirms it. Typing a word chooses nothing, whatever its last letter is.

import { allOf } from "./answer-meaning.ts";
import type { Offer } from "./offer.ts";

export interface AnswerName {
  readonly key: string;
  /** The name in a terminal. */
  readonly name: string;
  /** The name on the page. */
  readonly button: string;
  /** The text after the answer was given: `result` on the page, `said` in a terminal. */
  readonly result: string;
  readonly said: string;
}

interface Answered {
  readonly decision: Offer["decision"];
  readonly scope: Offer["scope"];
  readonly sets?: Offer["sets"];
}

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

/** `firstKey` gives the first answer of a question if it is a yes. `reasonKey` gives a no with a reason. */
export const firstKey = "a";
export const reasonKey = "r";

function named(key: string, name: string, button: string, result: string, said: string): AnswerName {
  return { key, name, button, result, said };
}

/** An answer for sets of hosts has the same key as the one for the hosts alone, in upper case. */
export function answerName({ decision, scope, sets = [] }: Answered): AnswerName {
  const found = names[decision][scope];
  if (found === undefined) throw new TypeError(`${decision} ${scope} is no answer`);
  if (sets.length === 0) return found;
  const all = allOf(sets);
  return { ...found, key: found.key.toUpperCase(), name: `${found.name}${all}`, button: `${found.button}${all}` };
}

/** After a pause of this length the person has stopped typing, and the next key starts again. */
const forgottenAfterMs = 2_000;

/**
 * Typed text that is no answer. While there is any, no key answers: neither the `s` of `ls` nor the Enter after it. Enter,
 * Esc, Backspace or a pause clears it.
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
   * SECURITY(T39): returns true if the key belongs to the mistyped text or clears it. The key then does nothing else.
   * `wasTyping`: the key is part of typing that was discarded before it.
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
