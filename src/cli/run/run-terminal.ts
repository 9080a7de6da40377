// The person's terminal while `sallyport run` draws on it: each key goes to the program, and what the program draws comes back.
// Invariant: the program has a terminal of its own in the box. Afterwards this terminal is as it was, and what was typed or what the
// terminal itself answered in the meantime is not left for the person's shell to read. If the gate is killed, terminal-keeper.ts gives
// it back.

import { setTimeout as sleep } from "node:timers/promises";
import { Readable } from "node:stream";
import type { TerminalSize, TerminalSizes } from "../../process/starter.ts";
import { keepTerminal } from "./terminal-keeper.ts";
import type { Streams } from "../terminal/terminal.ts";

export interface RunTerminal {
  /** The terminal is taken when the program begins to read it. Until then its keys are the person's, and Ctrl-C ends the command. */
  readonly input: AsyncIterable<Uint8Array>;
  readonly terminal: TerminalSizes;
  readonly isTaken: () => boolean;
  giveBack(): Promise<void>;
}

type Keys = NodeJS.ReadStream & { setRawMode(isRaw: boolean): unknown };
type Drawing = NodeJS.WriteStream & { readonly fd: number };

/** Null if standard input and output are not both a terminal: then the program gets pipes. */
export function terminalOfRun({ stdin, stdout }: Streams): RunTerminal | null {
  if (stdin.isTTY !== true || stdout.isTTY !== true) return null;
  const [keys, drawing] = [stdin as Keys, stdout as Drawing];
  let isTaken = false;
  let isBack = false;
  const keeper = keepTerminal(drawing.fd, terminalReset);
  const typed = new Readable({
    read() {
      if (isTaken) return;
      isTaken = true;
      void keeper.isReady.then(() => {
        if (isBack) return;
        keys.setRawMode(true);
        keys.on("data", read);
      });
    },
  });
  const read = (chunk: Uint8Array) => void typed.push(chunk);
  return {
    input: typed,
    isTaken: () => isTaken,
    terminal: {
      get size() {
        return sizeOf(drawing);
      },
      watch(resized) {
        const report = () => resized(sizeOf(drawing));
        drawing.on("resize", report);
        return () => drawing.off("resize", report);
      },
    },
    async giveBack() {
      isBack = true;
      if (!isTaken) return keeper.end();
      keys.off("data", read);
      typed.destroy();
      // SECURITY(T70): a program can make a terminal send text, which the shell would take for typed.
      const drop = () => undefined;
      keys.on("data", drop);
      drawing.write(terminalReset);
      await sleep(ANSWER_MS);
      keys.off("data", drop).pause();
      keys.setRawMode(false);
      keeper.end();
    },
  };
}

function sizeOf({ rows, columns }: Drawing): TerminalSize {
  return { rows: rows || 24, columns: columns || 80 };
}

/** How long a terminal may take to answer what a program asked it. */
const ANSWER_MS = 100;

const csi = (code: string) => `\u001b[${code}`;
/** Modes that programs set and may leave set. */
export const terminalReset = [
  csi("?1047l"), // the other screen; 1049 would also move the cursor
  csi("?2026l"), // held-back drawing
  ...["1000", "1002", "1003", "1006", "1015"].map((mode) => csi(`?${mode}l`)), // the mouse
  csi("?1004l"), // reports of the focus
  csi("?2004l"), // marked pastes
  csi("?1l"), // the cursor keys of applications
  "\u001b>", // the number keys of applications
  csi("<99u"), // other ways to report keys
  csi(">4;0m"),
  csi("4l"), // inserting
  csi("?7h"), // lines that go on
  `\u001b7${csi("r")}\u001b8`, // a part that scrolls
  "\u001b(B\u000f", // other characters
  csi("0m"), // colours
  csi("?25h"), // the cursor
].join("");
