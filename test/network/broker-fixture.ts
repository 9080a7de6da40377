// Brokers whose judge is a table, and servers on loopback that stand for hosts elsewhere.

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { TestContext } from "node:test";
import type { ConnectionVerdict } from "../../src/network/connection-judge.ts";
import { type Broker, type BrokerOptions, openBroker } from "../../src/network/broker.ts";
import { type HostGrant, parseHostGrant } from "../../src/policy/host-grant.ts";

const MiB = 1024 * 1024;
export const ordinaryLimits = { connections: 64, outBytes: 64 * MiB, inBytes: 2048 * MiB, idleMs: 120_000 };

export const yes: ConnectionVerdict = { decision: "allow", mayBePrivate: true, grant: null };
export const publicOnly: ConnectionVerdict = { decision: "allow", mayBePrivate: false, grant: null };
export const no: ConnectionVerdict = { decision: "deny", why: "not granted" };

export interface TestBroker {
  readonly broker: Broker;
  /** Every host and port that was judged, in order. */
  readonly judged: string[];
}

export interface TestBrokerOptions {
  /** By `host` or `host:port`; what is not in it is denied. */
  readonly verdicts?: Readonly<Record<string, ConnectionVerdict>>;
  readonly judge?: (host: string, port: number) => Promise<ConnectionVerdict>;
  /** By name. A name that is not in it leads to 127.0.0.1. */
  readonly addresses?: Readonly<Record<string, readonly string[]>>;
  readonly grants?: readonly string[];
  /** What differs from the ordinary. */
  readonly rest?: Partial<BrokerOptions>;
}

export function hostGrants(...written: Parameters<typeof parseHostGrant>[0][]): HostGrant[] {
  return written.flatMap((one) => {
    const parsed = parseHostGrant(one);
    if (!parsed.ok) throw new Error(parsed.failure.message);
    return parsed.value;
  });
}

export function testBroker(t: TestContext, options: TestBrokerOptions = {}): TestBroker {
  const { verdicts = {}, addresses = {}, grants = [], judge, rest = {} } = options;
  const judged: string[] = [];
  const broker = openBroker({
    judge: {
      judge(host, port) {
        judged.push(`${host}:${port}`);
        return judge?.(host, port) ?? Promise.resolve(verdicts[`${host}:${port}`] ?? verdicts[host] ?? no);
      },
    },
    grants: hostGrants(...grants),
    lookup: (host) => Promise.resolve(addresses[host] ?? ["127.0.0.1"]),
    isOwnPort: () => false,
    limits: ordinaryLimits,
    proxyPort: null,
    ...rest,
  });
  t.after(() => broker.close());
  return { broker, judged };
}

export interface TestServer {
  readonly port: number;
  /** What each connection sent, in the order in which they came. */
  readonly received: Buffer[];
}

/** Takes all that is sent, and answers when the other side has ended. */
export async function testServer(
  t: TestContext,
  answer: (received: Buffer, socket: Socket) => void = (received, socket) => socket.end(`got ${received.length}`),
  address = "127.0.0.1",
): Promise<TestServer> {
  const received: Buffer[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const index = received.push(Buffer.alloc(0)) - 1;
    const chunks: Buffer[] = [];
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("close", () => (received[index] = Buffer.concat(chunks)));
    socket.on("end", () => {
      received[index] = Buffer.concat(chunks);
      answer(received[index], socket);
    });
  });
  return { port: await listening(t, server, address), received };
}

export async function listening(t: TestContext, server: Server, address = "127.0.0.1"): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}
