// Writes a program's standard input as it is made: for what is too much to be held as one text.

import { Socket, type SocketConstructorOpts } from "node:net";
import { pipeline } from "node:stream/promises";

export interface InputWriter {
  /** Once the program is gone: nothing more is made, and the descriptor is closed. */
  stop(): Promise<void>;
}

/** Takes the descriptor over. A program that ends before it has read all says why itself. */
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
