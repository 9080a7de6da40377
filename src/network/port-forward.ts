// A port of this machine that leads to a server in a box, for the person who asked for it.
// Invariant: only connections of the person's own user are passed on, and each leads to that one port of that one box.

import { createServer, type AddressInfo, type Socket } from "node:net";
import { userOfConnection } from "../process/tcp-table.ts";
import { resetSocket } from "./reset.ts";

export interface ForwardOptions {
  /** An address of this machine's loopback device, such as 127.1.2.3. */
  readonly address: string;
  readonly port: number;
  /** The user whose connections are passed on. */
  readonly uid: number;
  /** A connection to the server in the box. Null if nobody listens there any more. */
  readonly connect: () => Promise<Socket | null>;
}

export interface Forward {
  /** Connections of other users, which were refused. */
  readonly refused: number;
  /** Also ends open connections. */
  close(): Promise<void>;
}

/**
 * SECURITY(T67): each forward has an address of its own. A browser sends the cookies of a host to each of its ports, so a server of an
 * agent at 127.0.0.1 would get those of every other page there, and could set them.
 */
export function forwardAddress(random: (below: number) => number): string {
  return `127.${64 + random(128)}.${random(256)}.${1 + random(254)}`;
}

export async function openForward({ address, port, uid, connect }: ForwardOptions): Promise<Forward> {
  const open = new Set<Socket>();
  let refused = 0;
  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.on("error", () => undefined).once("close", () => open.delete(socket));
  };
  const serve = async (person: Socket): Promise<void> => {
    keep(person);
    if (!isOf(uid, person)) {
      refused += 1;
      return resetSocket(person);
    }
    const box = await connect();
    if (box === null) return resetSocket(person);
    keep(box);
    if (person.destroyed) return resetSocket(box);
    pass(person, box);
    pass(box, person);
  };
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (person) => {
    serve(person).catch(() => resetSocket(person));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, address, resolve));
  return {
    get refused() {
      return refused;
    },
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function isOf(uid: number, person: Socket): boolean {
  const { remoteAddress, remotePort } = person;
  const { address, port } = person.address() as Partial<AddressInfo>;
  if (remoteAddress === undefined || remotePort === undefined || address === undefined || port === undefined)
    return false;
  return userOfConnection({ address: remoteAddress, port: remotePort }, { address, port }) === uid;
}

function pass(from: Socket, to: Socket): void {
  from.pipe(to);
  from.once("close", () => from.readableEnded || resetSocket(to));
}
