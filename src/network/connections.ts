// The way of every connection of a call: judged, then resolved and checked, then connected, and written down.
// Invariant: nobody outside learns of a host before it is allowed.

import type { OnReadOpts, Socket } from "node:net";
import type { HostGrant } from "../policy/host-grant.ts";
import type { OpenHost } from "../policy/open-host.ts";
import type { ConnectionJudge, ConnectionVerdict } from "./connection-judge.ts";
import { type HostUse, OpenHostUse } from "./host-use.ts";
import { type Outbound, reachHost } from "./outbound.ts";
import type { Meter, Traffic } from "./traffic.ts";

export interface Allowed {
  readonly host: string;
  readonly port: number;
  readonly grant: HostGrant | null;
  readonly mayBePrivate: boolean;
  readonly use: OpenHostUse;
  readonly meter: Meter;
}

export interface Connections {
  /** Null: no. The reason is in `uses`. */
  judge(host: string, port: number): Promise<Allowed | null>;
  /** Null: refused by its address (`use.decision` is then `deny`), or not reached, or `box` is closed. */
  connect(allowed: Allowed, box: Socket, onread?: OnReadOpts): Promise<Socket | null>;
  uses(): readonly HostUse[];
  /** See `NetworkLimits`. */
  readonly idleMs: number;
  /** For grants with `open: true`. Null: their hosts cannot be reached. */
  readonly openLayer: OpenLayer | null;
}

/** What a grant says about the inside of connections: open/open-layer.ts keeps to it. */
export interface OpenLayer {
  /** Settles when the connection is taken over. `first`: what was read of it already. */
  serve(box: Socket, allowed: Allowed, open: OpenHost, connections: Connections, first: Buffer): Promise<void>;
}

/** A host that was allowed is refused by what it turns out to be. */
export function refuseHost(use: OpenHostUse, why: string): void {
  use.decision = "deny";
  use.refuse(why);
}

const HOSTS = 1024; // hosts and ports that a call can try

export function createConnections(
  judge: ConnectionJudge,
  outbound: Outbound,
  traffic: Traffic,
  openLayer: OpenLayer | null,
): Connections {
  const uses = new Map<string, OpenHostUse>();
  const pending = new Map<string, Promise<ConnectionVerdict>>();

  function verdictOn(host: string, port: number): Promise<ConnectionVerdict> {
    const key = `${host} ${port}`;
    const known = pending.get(key);
    if (known !== undefined) return known;
    const verdict = judge
      .judge(host, port)
      .catch((): ConnectionVerdict => ({ decision: "deny", why: "the gate failed while it judged" }))
      .finally(() => pending.delete(key));
    pending.set(key, verdict);
    return verdict;
  }

  function useOf(host: string, port: number): OpenHostUse | null {
    const key = `${host} ${port}`;
    const known = uses.get(key);
    if (known !== undefined || uses.size >= HOSTS) return known ?? null;
    const use = new OpenHostUse(host, port);
    uses.set(key, use);
    return use;
  }

  return {
    openLayer,
    idleMs: traffic.limits.idleMs,
    uses: () => [...uses.values()].map((use) => use.line()),

    async judge(host, port) {
      const use = useOf(host, port);
      if (use === null) return null;
      const verdict = await verdictOn(host, port);
      use.decision = verdict.decision;
      use.question = verdict.decision === "ask" ? verdict.question : null;
      use.why = verdict.decision === "allow" ? null : verdict.why;
      if (verdict.decision !== "allow") return null;
      const { grant, mayBePrivate } = verdict;
      return { host, port, grant, mayBePrivate, use, meter: traffic.meter(use) };
    },

    async connect({ host, port, mayBePrivate, use }, box, onread) {
      const stop = new AbortController();
      const leave = (): void => stop.abort();
      box.once("close", leave);
      if (box.destroyed) stop.abort();
      const reached = await reachHost(host, port, mayBePrivate, outbound, stop.signal, onread);
      box.off("close", leave);
      if (reached.ok) {
        use.connected(reached.address);
        return reached.socket;
      }
      if (reached.isRefused) refuseHost(use, reached.why);
      else use.why = reached.why;
      return null;
    },
  };
}
