// The kernel's tables of TCP sockets: who listens in a network, and who made a connection.

import { readFileSync } from "node:fs";

/** A socket of one network. Addresses are as the kernel writes them: hexadecimal digits. */
interface TcpRow {
  readonly local: string;
  readonly localPort: number;
  readonly remote: string;
  readonly remotePort: number;
  readonly state: string;
  readonly uid: number;
}

const LISTENING = "0A";
/** 127.0.0.1, 0.0.0.0, ::1, ::, and 127.0.0.1 in the form of IPv6: what a connection to the loopback addresses reaches. */
const loopback = /^(?:0100007F|0{8}|0{24}01000000|0{32}|0{16}FFFF00000100007F)$/;

/** Ports of programs that listen for connections from their own machine, in the network of this process. */
export function listeningPorts(pid: number): readonly number[] {
  const rows = ["tcp", "tcp6"].flatMap((name) => rowsOf(`/proc/${pid}/net/${name}`));
  const open = rows.filter(({ state, local }) => state === LISTENING && loopback.test(local));
  return [...new Set(open.map(({ localPort }) => localPort))].sort((a, b) => a - b);
}

export interface LoopbackEnd {
  readonly address: string;
  readonly port: number;
}

/**
 * The user who made a connection from this machine, from one IPv4 address to another. Null if the table does not have it any more.
 * SECURITY(T67): every user of the machine can connect to a port of its loopback addresses.
 */
export function userOfConnection(from: LoopbackEnd, to: LoopbackEnd): number | null {
  const [local, remote] = [digitsOf(from.address), digitsOf(to.address)];
  const found = ["tcp", "tcp6"]
    .flatMap((name) => rowsOf(`/proc/self/net/${name}`))
    .find(
      (row) =>
        row.local.endsWith(local) &&
        row.remote.endsWith(remote) &&
        row.localPort === from.port &&
        row.remotePort === to.port &&
        row.state === ESTABLISHED,
    );
  return found?.uid ?? null;
}

const ESTABLISHED = "01"; // a socket that nobody holds any more has another state, and root as its user

/** The kernel writes the number as it lies in memory. */
function digitsOf(address: string): string {
  return Buffer.from(address.split(".").map(Number)).reverse().toString("hex").toUpperCase();
}

function rowsOf(path: string): TcpRow[] {
  let text: string;
  try {
    text = readFileSync(path, "latin1");
  } catch {
    return []; // the process has ended, or the machine has no IPv6
  }
  return text
    .split("\n")
    .slice(1)
    .filter((line) => line !== "")
    .map((line) => {
      const [, local = "", remote = "", state = "", , , , uid] = line.trim().split(/\s+/);
      const [at = "", port = ""] = local.split(":");
      const [to = "", toPort = ""] = remote.split(":");
      return {
        local: at,
        localPort: Number.parseInt(port, 16),
        remote: to,
        remotePort: Number.parseInt(toPort, 16),
        state,
        uid: Number(uid),
      };
    });
}
