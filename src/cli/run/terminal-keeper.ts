// Gives the person's terminal back if the gate is killed while a program draws on it. A small shell waits for the end of the gate, whatever
// ends it: the kernel closes the pipe between them.
// Invariant: it changes nothing if the gate ends by itself, or if somebody else has set the terminal since.

import { startOnTerminal } from "../../process/start.ts";

export interface TerminalKeeper {
  /** It has noted how the terminal is. */
  readonly isReady: Promise<void>;
  /** The gate has given the terminal back itself. */
  end(): void;
}

/**
 * The person's shell is in the foreground again as soon as the gate has ended, so this one ignores what stops others in the background.
 * It knows by -isig that the terminal is still as the gate had set it: shells that edit a line leave isig on.
 */
const script = `trap '' INT QUIT TSTP TTIN TTOU
saved=$(stty -g <&3) || exit
echo ready
read -r word && exit
case $(stty -a <&3) in
  *-isig*) stty "$saved" <&3; printf %s "$1" >&3 ;;
esac`;

/** `reset`: what ends the modes that a program may have set. */
export function keepTerminal(terminal: number, reset: string): TerminalKeeper {
  const child = startOnTerminal(script, [reset], terminal);
  const isReady = new Promise<void>((resolve) => {
    child.stdout.once("data", () => resolve());
    child.once("error", () => resolve()).once("close", () => resolve());
  });
  child.stdin.on("error", () => undefined); // it has ended
  return { isReady, end: () => void child.stdin.end("done\n") };
}
