// Reads one output stream of a running program as it arrives, into its capture and to the listener.

import type { OutputCapture } from "./output.ts";
import { readPipe } from "./pipe-reader.ts";
import type { OutputStream, RunListener } from "./starter.ts";

export interface OutputReader {
  /** Settles when the last writer is gone and everything is read, or `drainMs` after the call if a writer is left. */
  finish(drainMs: number): Promise<void>;
}

/** Takes ownership of the descriptor, and closes it when the reader is finished. */
export function readOutput(
  stream: OutputStream,
  fd: number,
  capture: OutputCapture,
  listener: RunListener,
): OutputReader {
  const { onOutput } = listener;
  let isHeldBack = false;
  const pipe = readPipe(fd, (chunk) => {
    capture.push(chunk);
    const wait = onOutput?.(stream, chunk);
    if (wait === undefined) return true;
    isHeldBack = true;
    const goOn = () => {
      isHeldBack = false;
      pipe.resume();
    };
    wait.then(goOn, goOn); // if the listener fails, it misses this chunk, and the run continues
    return false;
  });
  // The reader waits for a slow listener: the output stays in the pipe, and the program blocks when the pipe is full.
  return { finish: (drainMs) => pipe.finish(drainMs, () => isHeldBack) };
}
