// Draws whole screens on a terminal with plain ANSI sequences, and restores the terminal at the end. On a terminal without
// sequences (TERM=dumb) it prints the screens one after another.

import type { WriteStream } from "node:tty";

// The title of the window is kept by the terminal, and comes back.
const enter = "\u001b[22;2t\u001b[?1049h\u001b[?25l";
const leave = "\u001b[?25h\u001b[23;2t\u001b[?1049l";

const BELL = "\u0007";

export interface Painter {
  /** Draws as many lines as the screen has. */
  draw(lines: readonly string[]): void;
  /** Draws at the top of an empty screen, with the cursor below, where the person can type a line. */
  drawAbove(lines: readonly string[]): void;
  /** Sets the title of the window. `isNews`: with a sound, or whatever the terminal does to call a person. */
  setTitle(title: string, isNews: boolean): void;
  close(): void;
}

export function openPainter(output: WriteStream, isDumb: boolean): Painter {
  let last = "";
  const write = (text: string) => void output.write(text);
  if (isDumb)
    return {
      draw(lines) {
        const text = lines.filter((line) => line !== "").join("\n");
        // A screen on which only the ages changed is not printed again.
        const news = text.replaceAll(/\b\d+[smh]\b/g, "");
        if (news !== last) write(`\n${text}\n`);
        last = news;
      },
      drawAbove: (lines) => write(`\n${lines.join("\n")}\n`),
      setTitle: (_title, isNews) => (isNews ? write(BELL) : undefined),
      close: () => undefined,
    };
  let shownTitle = "";
  const close = () => {
    process.off("exit", close);
    write(leave);
  };
  process.on("exit", close);
  write(enter);
  return {
    draw(lines) {
      const text = lines.map((line) => `${line}\u001b[K`).join("\r\n");
      if (text !== last) write(`\u001b[?25l\u001b[H${text}\u001b[J`);
      last = text;
    },
    drawAbove(lines) {
      last = "";
      write(`\u001b[H\u001b[J${lines.join("\r\n")}\r\n\u001b[?25h`);
    },
    setTitle(title, isNews) {
      if (title !== shownTitle) write(`\u001b]2;${title}${BELL}`);
      shownTitle = title;
      if (isNews) write(BELL);
    },
    close,
  };
}
