// Reads a pipe as it fills, into one buffer, so that an endless writer costs no memory.

import { Socket, type SocketConstructorOpts } from "node:net";

export interface PipeReader {
  /** Continues after `take` has returned false. */
  resume(): void;
  /** Closes the pipe, so that the writer gets SIGPIPE. */
  destroy(): void;
  /** Settles when the last writer is gone and everything is read, or after `drainMs` if a writer is left and is not held back. */
  finish(drainMs: number, isHeldBack?: () => boolean): Promise<void>;
}

const READ_BYTES = 64 * 1024; // the capacity of a pipe

/** Buffers are reused, because fresh memory costs a page fault for each 4 KiB in every call. */
const freeBuffers: Buffer[] = [];

/** Takes ownership of the descriptor, and closes it when the reader is finished. `take` returns false to pause. */
export function readPipe(fd: number, take: (chunk: Uint8Array) => boolean): PipeReader {
  const buffer = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(READ_BYTES);
  const callback = (count: number, filled: Uint8Array): boolean => take(filled.subarray(0, count));
  // `onread` also works for a descriptor, although the types allow it for connections only.
  const options = { fd, readable: true, writable: false, onread: { buffer, callback } };
  const socket = new Socket(options as SocketConstructorOpts);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.once("error", () => socket.destroy()).once("end", () => socket.destroy());
  socket.resume();
  return {
    resume: () => void socket.resume(),
    destroy: () => void socket.destroy(),
    async finish(drainMs, isHeldBack = () => false) {
      // After the gate was busy, node runs timers before it reads the pipe, and immediates after that. So this uses an immediate.
      const timer = setInterval(() => setImmediate(() => isHeldBack() || socket.destroy()), drainMs);
      await closed;
      clearInterval(timer);
      freeBuffers.push(buffer);
    },
  };
}
