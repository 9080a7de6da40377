// An HTTP server on this machine, for as long as a command runs.

import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { UsageError } from "./usage-error.ts";

export interface Listening {
  readonly port: number;
  /** Ends open connections, too. */
  close(): Promise<void>;
}

export const loopback = "127.0.0.1";
/** The names under which a browser or a client on this machine calls it. */
export const loopbackNames = [loopback, "localhost", "[::1]"];

export function parsePort(text: string, flag: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(
    `${flag}: ${JSON.stringify(text)} is not a port`,
    "Write a number from 0 to 65535; 0 takes any.",
  );
}

/** A port that is taken is said, never swapped for another: a client would look for us at the first. */
export async function listen(app: Hono, host: string, port: number): Promise<Listening> {
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer((request, response) => void answer(request, response));
  await begin(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeAllConnections();
      return promise;
    },
  };
}

function begin(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRINUSE")
      return reject(new UsageError(`port ${port} of ${host} is taken`, "Choose another with a flag; 0 takes any."));
    if (error.code === "EACCES" || error.code === "EADDRNOTAVAIL")
      return reject(new UsageError(`${host}:${port} cannot be used here: ${error.code}`));
    reject(error);
  });
  server.listen(port, host, () => resolve());
  return promise;
}
