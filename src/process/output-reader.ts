// Reads one stream of a running program as it comes: into its capture, and to whoever listens.

import { Socket, type SocketConstructorOpts } from "node:net";
import type { OutputCapture } from "./output.ts";
import type { OutputStream, RunListener } from "./starter.ts";

export interface OutputReader {
  /** Settles when the last writer is gone and all is read; `drainMs` after the call if a writer is left. */
  finish(drainMs: number): Promise<void>;
}

const READ_BYTES = 64 * 1024; // as much as a pipe holds

/** Used again and again: fresh memory costs a page fault for each 4 KiB of it, in every call. */
const freeBuffers: Buffer[] = [];

/** Takes the descriptor over: it is closed when the reader is finished. */
export function readOutput(
  stream: OutputStream,
  fd: number,
  capture: OutputCapture,
  listener: RunListener,
): OutputReader {
  const { onOutput } = listener;
  let isHeldBack = false;
  const take = (count: number, buffer: Uint8Array): boolean => {
    const chunk = buffer.subarray(0, count);
    capture.push(chunk);
    const wait = onOutput?.(stream, chunk);
    if (wait === undefined) return true;
    isHeldBack = true;
    const goOn = () => {
      isHeldBack = false;
      socket.resume();
    };
    wait.then(goOn, goOn); // a listener that fails misses its piece; the run goes on
    return false;
  };
  // All pieces land in one buffer: a program that prints for ever costs no memory. `onread` works for a
  // descriptor too, though the types know it for connections only.
  const buffer = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(READ_BYTES);
  const options = { fd, readable: true, writable: false, onread: { buffer, callback: take } };
  const socket = new Socket(options as SocketConstructorOpts);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.once("error", () => socket.destroy()).once("end", () => socket.destroy());
  socket.resume();
  return {
    async finish(drainMs) {
      // A slow listener is waited for: its pieces stand in the pipe, and nobody writes more.
      // Not in the timer itself: after a busy spell it comes before the pipe is looked at, an immediate after that.
      const timer = setInterval(() => setImmediate(() => isHeldBack || socket.destroy()), drainMs);
      await closed;
      clearInterval(timer);
      freeBuffers.push(buffer);
    },
  };
}
