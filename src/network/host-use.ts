// What a call did with each host: a line of the record and of the reply.

export interface HostUse {
  readonly host: string;
  readonly port: number;
  /** The last one; `deny` also for a host whose address is refused. */
  readonly decision: "allow" | "ask" | "deny";
  readonly question: string | null;
  /** Why a program did not get through, the last time. */
  readonly why: string | null;
  /** Connections and requests that the gate refused or ended by itself although the host was allowed. */
  readonly refused: number;
  /** Why it did so, the last time. */
  readonly refusal: string | null;
  /** Connections that were made to the host. */
  readonly connections: number;
  /** Requests that the gate sent on, where it opens the connections. */
  readonly requests: number;
  readonly bytesOut: number;
  readonly bytesIn: number;
  /** Of files that the gate had kept, for which it asked nobody. */
  readonly bytesKept: number;
  readonly addresses: readonly string[];
}

const ADDRESSES = 16; // of one host, named

/** The line of one host while the call runs. */
export class OpenHostUse {
  decision: HostUse["decision"] = "deny";
  question: string | null = null;
  why: string | null = null;
  refused = 0;
  refusal: string | null = null;
  connections = 0;
  requests = 0;
  bytesOut = 0;
  bytesIn = 0;
  bytesKept = 0;
  readonly #addresses = new Set<string>();
  readonly host: string;
  readonly port: number;

  constructor(host: string, port: number) {
    this.host = host;
    this.port = port;
  }

  /** Although the host is allowed. */
  refuse(why: string): void {
    this.why = why;
    this.refusal = why;
    this.refused += 1;
  }

  connected(address: string): void {
    this.connections += 1;
    if (this.#addresses.size < ADDRESSES) this.#addresses.add(address);
  }

  line(): HostUse {
    const { host, port, decision, question, why, refused, refusal } = this;
    const { connections, requests, bytesOut, bytesIn, bytesKept } = this;
    return {
      host,
      port,
      decision,
      question,
      why,
      refused,
      refusal,
      connections,
      requests,
      bytesOut,
      bytesIn,
      bytesKept,
      addresses: [...this.#addresses],
    };
  }
}
