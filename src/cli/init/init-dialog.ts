// Shows a person one change after the other, asks about each, and makes it.
// Invariant: nothing is written without a yes: to the question, or to all of them by `--yes`.

import { displayText } from "../../shared/display.ts";
import type { Keys } from "../terminal/keys.ts";
import type { Terminal } from "../terminal/terminal.ts";

export class InitDialog {
  /** Something could not be changed. */
  failed = false;
  /** The person wants no more questions. */
  isOver = false;
  readonly out: Terminal["out"];
  readonly #keys: Keys | null;

  /** Without keys every answer is yes. */
  constructor(keys: Keys | null, out: Terminal["out"]) {
    this.#keys = keys;
    this.out = out;
  }

  get asks(): boolean {
    return this.#keys !== null;
  }

  /** `write` returns why it was not done. True if it was. */
  async change(lines: readonly string[], question: string, write: () => string | null): Promise<boolean> {
    const { out } = this;
    await out.line(lines.join("\n"));
    const answer = this.#keys === null ? "yes" : await ask(question, this.#keys, out);
    this.isOver = answer === "quit";
    if (answer !== "yes") return false;
    const problem = write();
    this.failed ||= problem !== null;
    await out.line(
      problem === null
        ? `  ${out.paint("Done.", "green")}`
        : `  ${out.paint("Not done", "red")}: ${displayText(problem)}`,
    );
    return problem === null;
  }

  close(): void {
    this.#keys?.close();
  }
}

async function ask(question: string, keys: Keys, out: Terminal["out"]): Promise<"yes" | "no" | "quit"> {
  const never = new AbortController().signal;
  const bold = (key: string) => out.paint(`[${key}]`, "bold");
  await out.line(`  ${question}  ${bold("y")}es  ${bold("n")}o  ${bold("q")}uit`);
  for (;;) {
    keys.drain();
    const key = await keys.next(never);
    if (key === "y" || key === "n") return key === "y" ? "yes" : "no";
    if (key === null || key === "q" || key === "escape" || key === "ctrl-c" || key === "ctrl-d") return "quit";
    await out.line("  y adds it, n leaves it, q ends here.");
  }
}
