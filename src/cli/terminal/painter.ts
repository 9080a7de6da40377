// Draws whole screens on a terminal, with plain ANSI alone, and leaves it as it was. Where the terminal can do nothing
// (TERM=dumb), screens are printed one after another.

import type { WriteStream } from "node:tty";

const enter = "\u001b[?1049h\u001b[?25l";
const leave = "\u001b[?25h\u001b[?1049l";

export interface Painter {
  /** As many lines as the screen has. */
  draw(lines: readonly string[]): void;
  /** At the top of an empty screen, the cursor below: for a line to be typed. */
  drawAbove(lines: readonly string[]): void;
  close(): void;
}

export function openPainter(output: WriteStream, isDumb: boolean): Painter {
  let last = "";
  const write = (text: string) => void output.write(text);
  if (isDumb)
    return {
      draw(lines) {
        const text = lines.filter((line) => line !== "").join("\n");
        // Ages alone are no news.
        const news = text.replaceAll(/\b\d+[smh]\b/g, "");
        if (news !== last) write(`\n${text}\n`);
        last = news;
      },
      drawAbove: (lines) => write(`\n${lines.join("\n")}\n`),
      close: () => undefined,
    };
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
    close,
  };
}
