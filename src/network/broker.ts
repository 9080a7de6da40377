// The gate's side of one box's network: it answers for names, takes the connections that programs in the box make, and copies those
// that are allowed.
// Invariant: a connection of a box that is not allowed, or is over a limit, is reset; after `close` nothing is left open.

import type { Socket as DatagramSocket } from "node:dgram";
import type { Server, Socket } from "node:net";
import type { HostGrant } from "../policy/host-grant.ts";
import type { BoxListener, BoxNetwork } from "../process/box-network.ts";
import { parseIpAddress } from "../shared/ip-address.ts";
import { limits } from "../shared/limits.ts";
import { boxListeners } from "./box-listeners.ts";
import type { ConnectionJudge } from "./connection-judge.ts";
import { createConnections, type OpenLayer } from "./connections.ts";
import { answerQuery } from "./dns-answers.ts";
import { parseRemoteHost } from "./host-name.ts";
import type { HostUse } from "./host-use.ts";
import { createNameMap } from "./names.ts";
import type { Outbound } from "./outbound.ts";
import { Outstanding } from "./outstanding.ts";
import { createProxy } from "./proxy.ts";
import { passOn } from "./pass-on.ts";
import { resetSocket } from "./reset.ts";
import { type NetworkLimits, Traffic } from "./traffic.ts";

export interface BrokerOptions extends Outbound {
  readonly judge: ConnectionJudge;
  /** Hosts that are granted or that the call names: they decide where the box listens. */
  readonly grants: readonly HostGrant[];
  readonly limits: NetworkLimits;
  /** A port for HTTP and SOCKS proxies on 127.0.0.1 in the box; null: none. */
  readonly proxyPort: number | null;
  /** Takes connections to its port of 127.0.0.1 in the box, which go nowhere else. Null: there is no such port. */
  readonly inside?: { readonly port: number; serve(box: Socket): void } | null;
  /** For grants with `open: true`. Without it, their hosts cannot be reached. */
  readonly openLayer?: OpenLayer | undefined;
  /** See `BoxNetwork`. */
  readonly certificates?: string | undefined;
}

export interface Broker extends BoxNetwork {
  /**
   * After the box has ended. What its programs had sent by then is passed on, as the kernel would do it; every connection ends, and
   * another box may follow.
   */
  endBox(): Promise<void>;
  uses(): readonly HostUse[];
  /** Whether a connection to this host can reach the gate: a box listens on few ports. */
  listensFor(host: string, port: number): boolean;
  /** Whether a limit on bytes or connections was reached. */
  readonly limitHit: boolean;
  /** Names that were looked up and never connected to. */
  unreachedNames(): readonly string[];
}

const NAMES = 512;

export function openBroker(options: BrokerOptions): Broker {
  const names = createNameMap(NAMES);
  const traffic = new Traffic(options.limits);
  const connections = createConnections(options.judge, options, traffic, options.openLayer ?? null);
  const proxy = createProxy(connections, traffic);
  const listening = new Set<Server | DatagramSocket>();
  const inside = options.inside ?? null;
  const listeners = boxListeners(options.grants, names, [options.proxyPort, inside?.port ?? null]);
  const [judging, sending] = [new Outstanding(), new Outstanding()];

  function stopListening(): void {
    for (const socket of listening) socket.close();
    listening.clear();
  }

  function destinationOf(box: Socket): string | null {
    const address = parseIpAddress((box.localAddress ?? "").replace(/%.*$/, ""))?.text ?? "";
    const name = names.nameOf(address);
    if (name !== null) names.reached(name);
    return name ?? parseRemoteHost(address);
  }

  async function serve(box: Socket, listener: BoxListener): Promise<void> {
    const host = destinationOf(box);
    const port = box.localPort;
    if (host === null || port === undefined) return resetSocket(box);
    if (port === options.proxyPort && listener.address === "127.0.0.1") return proxy.serve(box);
    // SECURITY(T73): only a connection of this box arrives here.
    if (port === inside?.port && listener.address === "127.0.0.1") return inside.serve(box);
    const allowed = await connections.judge(host, port).finally(judging.add());
    if (allowed === null) return resetSocket(box);
    const onSent = sending.add();
    box.once("close", onSent);
    if (!(await passOn(box, allowed, connections, traffic, { onSent }))) resetSocket(box);
  }

  function take(box: Socket, listener: BoxListener): void {
    box.on("error", () => undefined); // its `close` follows
    const leave = traffic.enter(() => resetSocket(box));
    if (leave === null) return resetSocket(box);
    box.once("close", leave);
    box.allowHalfOpen = true;
    box.setNoDelay(true);
    serve(box, listener).catch(() => resetSocket(box));
  }

  return {
    listeners,
    certificates: options.certificates ?? null,
    attach(listener, socket) {
      listening.add(socket);
      socket.on("error", () => undefined);
      if (listener.kind === "tcp") (socket as Server).on("connection", (box) => take(box, listener));
      else answerNames(socket as DatagramSocket, names);
    },
    async endBox() {
      await new Promise((resolve) => setImmediate(resolve)); // connections that the kernel has already accepted
      await judging.ended(limits.networkJudgedMs);
      await sending.ended(limits.networkSentMs);
      stopListening();
      traffic.cut();
    },
    close() {
      stopListening();
      proxy.close();
      traffic.close();
    },
    uses: () => connections.uses(),
    listensFor(host, port) {
      const addresses = [null, names.reserve(host) ?? host];
      return listeners.some((one) => one.kind === "tcp" && one.port === port && addresses.includes(one.address));
    },
    get limitHit() {
      return traffic.limitHit;
    },
    unreachedNames: () => names.unreached(),
  };
}

function answerNames(socket: DatagramSocket, names: ReturnType<typeof createNameMap>): void {
  socket.on("message", (query, { address, port }) => {
    const answer = answerQuery(query, names);
    if (answer !== null) socket.send(answer, port, address, () => undefined);
  });
}
