// Takes the listening sockets that native/keeper sends through a channel of node's.

import type { ChildProcess } from "node:child_process";
import type { ListeningSocket } from "./box-network.ts";
import type { SocketReceiver } from "./box-process.ts";

/** A socket that nobody expects any more is closed: its box has ended. */
export function receiveSockets(child: ChildProcess, receiverOf: (key: string) => SocketReceiver | undefined): void {
  child.on("message", (message, socket) => {
    const { box, listener } = message as { readonly box: string; readonly listener: number };
    if (socket === undefined) return;
    const receiver = receiverOf(box);
    if (receiver === undefined) (socket as ListeningSocket).close();
    else receiver.take(listener, socket as ListeningSocket);
  });
}
