// Reads a pipe as it fills, in one buffer: whoever writes to it for ever costs no memory.

import { Socket, type SocketConstructorOpts } from "node:net";

export interface PipeReader {
  /** Goes on after `take` has answered false. */
  resume(): void;
  /** Closes it: the writer gets SIGPIPE. */
  destroy(): void;
  /** Settles when the last writer is gone and all is read; `drainMs` after the call if a writer is left, unless it is held back. */
  finish(drainMs: number, isHeldBack?: () => boolean): Promise<void>;
}

const READ_BYTES = 64 * 1024; // as much as a pipe holds

/** Used again and again: fresh memory costs a page fault for each 4 KiB of it, in every call. */
const freeBuffers: Buffer[] = [];

/** Takes the descriptor over: it is closed when the reader is finished. `take` answers false where it wants no more for now. */
export function readPipe(fd: number, take: (chunk: Uint8Array) => boolean): PipeReader {
  const buffer = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(READ_BYTES);
  const callback = (count: number, filled: Uint8Array): boolean => take(filled.subarray(0, count));
  // `onread` works for a descriptor too, though the types know it for connections only.
  const options = { fd, readable: true, writable: false, onread: { buffer, callback } };
  const socket = new Socket(options as SocketConstructorOpts);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.once("error", () => socket.destroy()).once("end", () => socket.destroy());
  socket.resume();
  return {
    resume: () => void socket.resume(),
    destroy: () => void socket.destroy(),
    async finish(drainMs, isHeldBack = () => false) {
      // Not in the timer itself: after a busy spell it comes before the pipe is looked at, an immediate after that.
      const timer = setInterval(() => setImmediate(() => isHeldBack() || socket.destroy()), drainMs);
      await closed;
      clearInterval(timer);
      freeBuffers.push(buffer);
    },
  };
}
