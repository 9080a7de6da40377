// The network of a box that reaches single hosts, as far as its starter knows it: where the box listens, and who takes the listeners.

import type { Socket as DatagramSocket } from "node:dgram";
import type { Server } from "node:net";

/** A socket that listens in the box. What a program in the box sends to it reaches the gate. */
export interface BoxListener {
  /** `dns`: a UDP socket for questions about names. */
  readonly kind: "tcp" | "dns";
  /** An address of the box. Null: every address that has no listener of its own. */
  readonly address: string | null;
  readonly port: number;
}

export type ListeningSocket = Server | DatagramSocket;

/** The gate's side of one box's network. */
export interface BoxNetwork {
  readonly listeners: readonly BoxListener[];
  /** A file with the certificates that programs in the box trust. Null: those of the machine. */
  readonly certificates: string | null;
  /** Takes over a socket that listens in the box: for `dns` one of UDP, otherwise a server. */
  attach(listener: BoxListener, socket: ListeningSocket): void;
  /** Ends every connection and closes every listener. */
  close(): void;
}
