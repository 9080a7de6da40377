// Takes the changes of a call from its pipe while it runs: whoever writes them would wait for ever otherwise.

import { Socket, type SocketConstructorOpts } from "node:net";
import type { RunTreeChanges } from "../process/outcome.ts";
import { type TreeBounds, TreeStream } from "./tree-stream.ts";

export interface TreeReader {
  /** Settles when the first change can be read: the program has ended. Never, if there is nothing to read. */
  readonly begun: Promise<void>;
  /** When the writer is gone: what it said, all that still stands in the pipe included. */
  finish(drainMs: number): Promise<RunTreeChanges>;
}

const READ_BYTES = 64 * 1024;
const freeBuffers: Buffer[] = [];

/** Takes the descriptor over: it is closed when all is read. */
export function readTree(fd: number, bounds: TreeBounds): TreeReader {
  const stream = new TreeStream(bounds);
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const take = (count: number, buffer: Uint8Array): boolean => {
    stream.push(buffer.subarray(0, count));
    if (stream.hasBegun) begin();
    if (stream.isBroken) socket.destroy(); // the writer ends with SIGPIPE
    return true;
  };
  // `onread` works for a descriptor too, though the types know it for connections only.
  const buffer = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(READ_BYTES);
  const options = { fd, readable: true, writable: false, onread: { buffer, callback: take } };
  const socket = new Socket(options as SocketConstructorOpts);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.once("error", () => socket.destroy()).once("end", () => socket.destroy());
  socket.resume();
  return {
    begun,
    async finish(drainMs) {
      // After a busy spell a timer comes before the pipe is looked at, an immediate after that.
      const timer = setInterval(() => setImmediate(() => socket.destroy()), drainMs);
      await closed;
      clearInterval(timer);
      freeBuffers.push(buffer);
      return stream.result();
    },
  };
}
