// What the parts of the tour share: where they print, how they are stopped, and how a step begins.

import { wrapText } from "./table.ts";
import type { Screen } from "./terminal.ts";

export interface DemoContext {
  readonly screen: Screen;
  readonly signal: AbortSignal;
  /** A breath, so that a person can read along. None where nobody watches. */
  readonly pause: () => Promise<void>;
}

export async function showTitle(number: string, title: string, screen: Screen): Promise<void> {
  await screen.line();
  const [first = "", ...rest] = wrapText(title, Math.min(screen.width, 100), "   ");
  await screen.line(screen.paint(`${number.padStart(2)} ${first.trimStart()}`, "bold"));
  for (const line of rest) await screen.line(screen.paint(line, "bold"));
}
