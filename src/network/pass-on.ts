// Connects a program in a box to an allowed host, and copies until both have ended.

import { isIP, type Socket } from "node:net";
import { type Allowed, type Connections, refuseHost } from "./connections.ts";
import { Receiver, relay } from "./relay.ts";
import type { Traffic } from "./traffic.ts";

const nothing = Buffer.alloc(0);

interface Beginning {
  /** What the program gets when the host is reached. */
  readonly answer?: string | Buffer;
  /** What the program has sent already. */
  readonly first?: Buffer;
  /** Called when everything that the program sent has been passed on. */
  readonly onSent?: () => void;
}

/** False: the host was not reached. */
export async function passOn(
  box: Socket,
  allowed: Allowed,
  connections: Connections,
  traffic: Traffic,
  { answer = nothing, first = nothing, onSent }: Beginning = {},
): Promise<boolean> {
  if (allowed.grant?.open) {
    const { openLayer } = connections;
    if (openLayer !== null) {
      if (answer.length > 0) box.write(answer);
      await openLayer.serve(box, allowed, allowed.grant.open, connections, first);
      return true;
    }
    refuseHost(allowed.use, `${allowed.grant.text} needs the gate to look into connections, which it cannot do here`);
    return false;
  }
  const receiver = new Receiver();
  const host = await connections.connect(allowed, box, receiver.onread);
  if (host === null) {
    receiver.release();
    return false;
  }
  if (onSent !== undefined) host.once("finish", onSent);
  if (answer.length > 0) box.write(answer);
  await relay({
    box,
    host,
    receiver,
    meter: allowed.meter,
    first,
    idleMs: traffic.limits.idleMs,
    tlsName: allowed.host === "localhost" || isIP(allowed.host) !== 0 ? null : allowed.host,
    onOtherName: (why) => refuseHost(allowed.use, why),
    onSilent: (why) => allowed.use.refuse(why),
  });
  return true;
}

/** For a program that does not reach its host. What it has sent meanwhile is read, or the connection would stay. */
export function endWith(box: Socket, answer: string | Buffer): void {
  box.end(answer);
  box.resume();
}
