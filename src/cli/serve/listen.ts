// Runs an HTTP server on this machine as long as a command runs.

import type { AddressInfo } from "node:net";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { networkInterfaces } from "node:os";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { noToken } from "../../mcp/http.ts";
import { sendRequest } from "../../process/network.ts";
import { announcePort } from "../../process/own-ports.ts";
import { UsageError } from "../usage-error.ts";

export interface Listening {
  readonly port: number;
  /** Also ends open connections. */
  close(): Promise<void>;
}

export const loopback = "127.0.0.1";
/** The names that a browser or a client on this machine can use in its address. */
export const loopbackNames = [loopback, "localhost", "[::1]"];

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** The flag with which a person chooses the port. */
  readonly flag: string;
  /** Then the server speaks TLS and nothing else. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
}

/** For a server that others on the network reach: strangers hold few connections, and none of them for long. */
const TLS_CONNECTIONS = 256;
const tlsOptions = {
  minVersion: "TLSv1.2",
  handshakeTimeout: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
} as const;

/**
 * If the port is in use, this fails and never takes another one: a client would connect to the first. On loopback the server
 * listens on both addresses. SECURITY(T33): otherwise, where `localhost` means the other address, a program that a box may
 * start could listen there and pass for the gate.
 */
export async function listen(app: Hono, { host, port, flag, tls }: ListenOptions): Promise<Listening> {
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const servers: Server[] = [];
  const close = async (): Promise<void> => void (await Promise.all(servers.map(end)));
  const open = async (address: string, at: number): Promise<number> => {
    const take = (request: IncomingMessage, response: ServerResponse) => void answer(request, response);
    const server = tls === undefined ? createServer(take) : createTlsServer({ ...tls, ...tlsOptions }, take);
    if (tls !== undefined) server.maxConnections = TLS_CONNECTIONS;
    await begin(server, address, at);
    servers.push(server);
    return (server.address() as AddressInfo).port;
  };
  try {
    const taken = await open(host, port);
    if (tls === undefined && host === loopback && hasLoopback6()) await open("::1", taken);
    // SECURITY(T64): no box reaches this port, whatever its agent was granted.
    const withdraw = announcePort(taken);
    return {
      port: taken,
      async close() {
        await close();
        withdraw();
      },
    };
  } catch (error) {
    await close();
    if (isTaken(error)) throw await portTaken(error.address ?? host, error.port ?? port, flag);
    throw error;
  }
}

async function portTaken(host: string, port: number, flag: string): Promise<UsageError> {
  const [isSallyport, free] = await Promise.all([answersAsSallyport(host, port), freeAfter(host, port)]);
  const who = isSallyport ? ": a Sallyport answers there already" : "";
  const other = `${isSallyport ? "Use that one, or choose" : "Choose"} another with ${flag}${free === null ? "" : `, such as ${flag} ${free}`}`;
  return new UsageError(`port ${port} of ${host} is taken${who}`, `${other}; ${flag} 0 takes any that is free.`);
}

/** Recognizes a server of Sallyport by its answer to a request without a token. Only a message to the person depends on the result. */
async function answersAsSallyport(host: string, port: number): Promise<boolean> {
  try {
    const at = host.includes(":") ? `[${host}]` : host;
    const answer = await sendRequest(`http://${at}:${port}/mcp`, {
      signal: AbortSignal.timeout(1_000),
      redirect: "error",
    });
    return answer.status === 401 && (await answer.text()).includes(noToken);
  } catch {
    return false;
  }
}

async function freeAfter(host: string, port: number): Promise<number | null> {
  for (let next = port + 1; next <= Math.min(port + 20, 65_535); next += 1) {
    const server = createServer();
    try {
      await begin(server, host, next);
      return next;
    } catch {
      // Tries the next one.
    } finally {
      await end(server);
    }
  }
  return null;
}

function hasLoopback6(): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1") === true);
}

function end(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  return promise;
}

function isTaken(error: unknown): error is { readonly address?: string; readonly port?: number } {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}

function begin(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EACCES" || error.code === "EADDRNOTAVAIL")
      return reject(new UsageError(`${host}:${port} cannot be used here: ${error.code}`));
    reject(error);
  });
  server.listen({ port, host, ipv6Only: true }, () => resolve());
  return promise;
}
