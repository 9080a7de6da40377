// What an action is, in one line: the heading of its question, its row in the queue, its line in the record.
// Invariant: a script is told by its own first lines, never by how it is started; what is left out is counted.

import { displayCommand, displayText } from "../shared/display.ts";
import type { Step } from "./action.ts";

type Started = Pick<Step, "argv" | "files">;

const TITLE_LINES = 3;
const TITLE_CHARACTERS = 120;
const WHOLE_CHARACTERS = 100_000;

/**
 * Inert, and not cut, unless it is to be `most` long, as in a list: then no more of it is looked at than that needs.
 * null: no program is started.
 */
export function actionTitle(
  { steps }: { readonly steps: readonly Started[] },
  most: number = WHOLE_CHARACTERS,
): string | null {
  if (steps.length === 0) return null;
  return steps
    .map((step) => {
      const script = scriptOf(step);
      return script === null ? displayCommand(step.argv) : scriptTitle(script, most);
    })
    .join("; ");
}

/** The text that an interpreter is started on. */
export function scriptOf({ argv, files }: Started): string | null {
  return files.find(({ path }) => argv.includes(path))?.content ?? null;
}

/** Whole lines, so that a secret in one is still one when it is looked for. */
function scriptTitle(script: string, most: number): string {
  const lines = script
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (lines.length === 0) return "an empty script";
  const telling = lines.filter((line) => !saysNothing(line));
  const [first = "", ...others] = telling.length === 0 ? lines : telling;
  const taken = [first];
  for (const line of others.slice(0, TITLE_LINES - 1)) {
    if ([...taken, line].join("").length > TITLE_CHARACTERS) break;
    taken.push(line);
  }
  const shown = taken.map((line) => displayText(line, { maxLength: most })).join(" ⏎ ");
  const rest = lines.length - taken.length;
  return rest === 0 ? shown : `${shown} … ${rest} more ${rest === 1 ? "line" : "lines"}`;
}

/** Comments, and options that many scripts begin with. */
function saysNothing(line: string): boolean {
  return line.startsWith("#") || /^set [-+]\w+(?: \w+)?$/.test(line);
}
