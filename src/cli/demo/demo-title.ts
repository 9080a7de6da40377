// What the parts of the tour share: the screen, the signal that stops them, and the title of a step.

import type { OwnCommand } from "../../shared/own-command.ts";
import { wrapText } from "../terminal/table.ts";
import type { Screen } from "../terminal/terminal.ts";

export interface DemoContext {
  readonly screen: Screen;
  readonly signal: AbortSignal;
  /** Waits a moment, so that a person can read along. It does not wait if nobody watches. */
  readonly pause: () => Promise<void>;
  readonly own: OwnCommand;
}

export async function showTitle(number: string, title: string, screen: Screen): Promise<void> {
  await screen.line();
  const [first = "", ...rest] = wrapText(title, Math.min(screen.width, 100), "   ");
  await screen.line(screen.paint(`${number.padStart(2)} ${first.trimStart()}`, "bold"));
  for (const line of rest) await screen.line(screen.paint(line, "bold"));
}

/** Prints the commands to try next, each with its purpose, in two columns if the screen is wide enough. */
export async function showNext(
  rows: readonly (readonly [command: string, what: string])[],
  screen: Screen,
): Promise<void> {
  const longest = Math.max(...rows.map(([command]) => command.length));
  const isWide = longest > 44;
  for (const [command, what] of rows) {
    if (isWide) await screen.line(`   ${screen.paint(`${what}:`, "dim")}`);
    await screen.line(isWide ? `     ${command}` : `   ${command.padEnd(Math.max(longest, 29) + 3)}${what}`);
  }
}
