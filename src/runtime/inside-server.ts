// What the programs of a running call can reach of the session that they run in.

import type { Socket } from "node:net";

export interface InsideServer {
  /** Takes a connection from a program of the box. It is cut when the box ends. */
  serve(connection: Socket): void;
  /** Called when the call has its network, and with null when it is over. */
  reaches(hosts: HostRequests | null): void;
}

export interface HostRequests {
  /** Asks for a host as a connection to it would, and waits as long no longer than that. The answer holds for the running call. */
  request(host: string, port: number, mostMs: number): Promise<RequestedHost>;
}

export interface RequestedHost {
  readonly decision: "allow" | "ask" | "deny";
  /** Why not; null for a yes. */
  readonly why: string | null;
  /** The question that waits for an answer; null if none does. */
  readonly question: string | null;
  /** Whether a connection to this port can leave the box. */
  readonly isListening: boolean;
}
