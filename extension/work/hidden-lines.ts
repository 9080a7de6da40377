// The lines of a file with characters that draw nothing or reorder what is shown. A field for editing shows text as it is, so
// these lines are shown a second time, with such characters by name.

import { OutputDisplay } from "../../src/shared/display.ts";

export interface HiddenLine {
  /** Counted from 1. */
  readonly number: number;
  readonly shown: string;
}

/** SECURITY(T95): what a person edits may have been written to look like something else. */
export function hiddenLines(text: string): readonly HiddenLine[] {
  if (/^[\n\t -~]*$/.test(text)) return [];
  const found: HiddenLine[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (/^[\t -~]*$/.test(line)) continue;
    const display = new OutputDisplay();
    const shown = display.push(line) + display.end();
    if (shown !== line) found.push({ number: index + 1, shown });
  }
  return found;
}
