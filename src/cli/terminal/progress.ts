// Draws one line with the progress of long work, only on a terminal, and removes it when the work is done.

import { displayText } from "../../shared/display.ts";
import type { Screen } from "./terminal.ts";

const QUIET_MS = 1_000;
const EVERY_MS = 100;

export interface ProgressLine {
  readonly show: (done: number, total: number | null, what: string) => void;
  end(): void;
}

/** Draws nothing in the first second. */
export function openProgress(screen: Screen): ProgressLine {
  const begun = performance.now();
  let drawn = -Infinity;
  return {
    show(done, total, what) {
      const now = performance.now();
      if (!screen.isTerminal || now - begun < QUIET_MS || now - drawn < EVERY_MS) return;
      drawn = now;
      const text = `${displayText(what)} ${done}${total === null ? "" : ` of ${total}`}`;
      void screen.write(`\r${text.slice(0, screen.width - 1)}\u001b[K`);
    },
    end() {
      if (drawn > -Infinity) void screen.write("\r\u001b[K");
    },
  };
}
