// Gathers the effects and commands that are found in a script, each once, and ends the reading of one with too many.

import type { Effect, Word } from "../../action/effect.ts";
import { type CommandWord, textsOf } from "../words/command-word.ts";

const MOST_COMMANDS = 20_000;

export class Findings {
  readonly #effects = new Map<string, Effect>();
  readonly #commands = new Map<string, readonly Word[]>();
  #count = 0;
  isWholeKnown = true;
  /** Why the script could not be read to its end. */
  unreadable: string | null = null;

  get effects(): Effect[] {
    return [...this.#effects.values()];
  }

  get commands(): (readonly Word[])[] {
    return [...this.#commands.values()];
  }

  get isFull(): boolean {
    return this.#count >= MOST_COMMANDS;
  }

  addEffect(effect: Effect): void {
    this.#effects.set(JSON.stringify(effect), effect);
  }

  addCommand(words: readonly CommandWord[]): void {
    if (++this.#count === MOST_COMMANDS) this.addUnreadable("it has too many commands");
    const argv = textsOf(words);
    this.#commands.set(JSON.stringify(argv), argv);
  }

  addUnknown(): void {
    this.isWholeKnown = false;
    this.addEffect({ kind: "run", program: null, argv: [null], at: "inside" });
    this.#commands.set("[null]", [null]);
  }

  addUnreadable(why: string): void {
    this.unreadable ??= why;
    this.addUnknown();
  }
}
