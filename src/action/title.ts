// Describes an action in one line: the heading of its question, its row in the queue, its line in the record.
// Invariant: a script is described by its own first lines, not by the interpreter's command line. What is left out is counted.

import { displayCommand, displayText } from "../shared/display.ts";
import type { ViewFile } from "./action.ts";

/** Of a step: what its command line shows. */
interface StartedWords {
  readonly argv: readonly string[];
  readonly files: readonly ViewFile[];
}

const TITLE_LINES = 3;
const TITLE_CHARACTERS = 120;
const WHOLE_CHARACTERS = 100_000;

/**
 * Safe to display. It is cut only if `most` is given, as in a list; then no more of the text is read than that needs.
 * null if the action starts no program.
 */
export function actionTitle(
  { steps }: { readonly steps: readonly StartedWords[] },
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

/** The script that an interpreter runs. */
export function scriptOf({ argv, files }: StartedWords): string | null {
  const found = files.find(({ path }) => argv.includes(path));
  return found !== undefined && "content" in found ? found.content : null;
}

/** Keeps whole lines, so that redaction still recognises a secret in a line. */
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

/** Comments, and option lines such as `set -e` that many scripts begin with. */
function saysNothing(line: string): boolean {
  return line.startsWith("#") || /^set [-+]\w+(?: \w+)?$/.test(line);
}
