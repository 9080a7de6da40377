// The effects of one command line: what it runs, and what the commands inside of it run, risk and reach.

import type { Effect, Word } from "../action/effect.ts";
import { type CommandContext, commandWord } from "./command-word.ts";
import { wordsEffects } from "./script.ts";

export { plainCommand } from "../policy/plain-command.ts";
export type { CommandContext } from "./command-word.ts";

/** Each effect once; the first is the `run` of the command itself. */
export function commandEffects(argv: readonly Word[], context: CommandContext): Effect[] {
  return wordsEffects(argv.map(commandWord), context);
}
