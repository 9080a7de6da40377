// Connects to a host for a box.
// Invariant: a connection goes to an address that was checked. A name is resolved once, and if one of its addresses is refused, all are.

import { connect, type OnReadOpts, type Socket } from "node:net";
import { errorCode } from "../shared/error-code.ts";
import { parseIpAddress } from "../shared/ip-address.ts";
import { isRefusedAddress } from "./address.ts";

export interface Outbound {
  /** All addresses of a name. */
  readonly lookup: (host: string) => Promise<readonly string[]>;
  /** The gate's own ports: never reached, whatever is granted. */
  readonly isOwnPort: (address: string, port: number) => boolean;
}

export type Reached =
  | { readonly ok: true; readonly socket: Socket; readonly address: string }
  /** `isRefused`: by the gate. Otherwise the host cannot be reached. */
  | { readonly ok: false; readonly isRefused: boolean; readonly why: string };

const TRIED_ADDRESSES = 6;
const CONNECT_MS = 10_000; // for each of them

export async function reachHost(
  host: string,
  port: number,
  mayBePrivate: boolean,
  { lookup, isOwnPort }: Outbound,
  whileConnecting: AbortSignal,
  onread?: OnReadOpts,
): Promise<Reached> {
  const found = await addressesOf(host, lookup);
  if (typeof found === "string") return { ok: false, isRefused: false, why: found };
  for (const address of found) {
    // SECURITY(T60): each of them, because the one that is used may be another the next time.
    if (!mayBePrivate && isRefusedAddress(address))
      return { ok: false, isRefused: true, why: `${host} leads to ${address}, which is not a public address` };
    // SECURITY(T64): whatever is granted.
    if (isOwnPort(address, port))
      return { ok: false, isRefused: true, why: `${address}:${port} is a port of the gate` };
  }
  let why = "";
  for (const address of found.slice(0, TRIED_ADDRESSES)) {
    if (whileConnecting.aborted) break;
    const socket = await connected(address, port, whileConnecting, onread);
    if (typeof socket !== "string") return { ok: true, socket, address };
    why = `${address}:${port} could not be reached: ${socket}`;
  }
  return { ok: false, isRefused: false, why };
}

/** Or why there is none. */
async function addressesOf(host: string, lookup: Outbound["lookup"]): Promise<readonly string[] | string> {
  if (host === "localhost") return ["127.0.0.1", "::1"];
  const address = parseIpAddress(host);
  if (address !== null) return [address.text];
  try {
    const found = await lookup(host);
    return found.length === 0 ? `${host} has no address` : found.map((text) => parseIpAddress(text)?.text ?? text);
  } catch (error) {
    return `${host} has no address: ${errorCode(error) || String(error)}`;
  }
}

function connected(
  host: string,
  port: number,
  whileConnecting: AbortSignal,
  onread: OnReadOpts | undefined,
): Promise<Socket | string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true, allowHalfOpen: true, ...(onread && { onread }) });
    const give = (why: string) => (): void => void socket.destroy(new Error(why));
    const timer = setTimeout(give("it did not answer in time"), CONNECT_MS);
    const stop = give("the program has left");
    whileConnecting.addEventListener("abort", stop);
    const settle = (result: Socket | string): void => {
      clearTimeout(timer);
      whileConnecting.removeEventListener("abort", stop);
      resolve(result);
    };
    socket.on("error", (error) => settle(errorCode(error) || error.message));
    socket.once("connect", () => settle(socket));
  });
}
