// Streams a program's standard input while it is produced, for input that is too large to hold in memory.

import { Socket, type SocketConstructorOpts } from "node:net";
import { pipeline } from "node:stream/promises";

export interface InputWriter {
  /** Call it when the program has ended: stops the input and closes the descriptor. */
  stop(): Promise<void>;
}

/** Takes ownership of the descriptor. Ignores write errors, because a program that ends before it has read all says why itself. */
export function feedInput(fd: number, input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): InputWriter {
  const socket = new Socket({ fd, readable: false, writable: true } as SocketConstructorOpts);
  socket.on("error", () => undefined);
  const written = pipeline(input, socket).catch(() => undefined);
  return {
    async stop() {
      socket.destroy();
      await written;
    },
  };
}
