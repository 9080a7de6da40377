// Reads one stream of a running program as it comes: into its capture, and to whoever listens.

import type { OutputCapture } from "./output.ts";
import { readPipe } from "./pipe-reader.ts";
import type { OutputStream, RunListener } from "./starter.ts";

export interface OutputReader {
  /** Settles when the last writer is gone and all is read; `drainMs` after the call if a writer is left. */
  finish(drainMs: number): Promise<void>;
}

/** Takes the descriptor over: it is closed when the reader is finished. */
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
    wait.then(goOn, goOn); // a listener that fails misses its piece; the run goes on
    return false;
  });
  // A slow listener is waited for: its pieces stand in the pipe, and nobody writes more.
  return { finish: (drainMs) => pipe.finish(drainMs, () => isHeldBack) };
}
