// Ends a connection at once, with a reset, so that the program at the other end fails and does not wait.

import type { Socket } from "node:net";

/** Where the end of the stream was sent already, libuv refuses to reset, and node would keep the descriptor: then it is only closed. */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
