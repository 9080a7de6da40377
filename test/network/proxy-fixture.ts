// A broker whose proxy port is a port of this machine, and clients for it.

import { connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { testBroker, type TestBroker, type TestBrokerOptions, listening } from "./broker-fixture.ts";

export interface ProxiedBroker extends TestBroker {
  readonly proxyPort: number;
}

export async function proxiedBroker(t: TestContext, options: TestBrokerOptions = {}): Promise<ProxiedBroker> {
  const server = createServer();
  const proxyPort = await listening(t, server);
  const made = testBroker(t, { ...options, rest: { ...options.rest, proxyPort } });
  made.broker.attach({ kind: "tcp", address: "127.0.0.1", port: proxyPort }, server);
  return { ...made, proxyPort };
}

/** Sends the bytes, and returns all that comes back, or the code of the error. Requests of HTTP do not end the connection. */
export function exchange(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => {
      socket.write(bytes);
      if (!/ http:[^]*HTTP\/1/.test(bytes.toString("latin1"))) socket.end();
    });
    socket.on("data", (chunk: Buffer) => (said += chunk.toString("latin1")));
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
    socket.on("end", () => {
      socket.destroy();
      resolve(said);
    });
  });
}

/** A connection to a host through CONNECT. Null: the proxy said no. */
export function throughProxy(t: TestContext, proxyPort: number, place: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(proxyPort, "127.0.0.1", () =>
      socket.write(`CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n\r\n`),
    );
    t.after(() => socket.destroy());
    socket.on("error", () => resolve(null));
    socket.once("data", (chunk: Buffer) => {
      socket.pause();
      const rest = chunk.subarray(chunk.indexOf("\r\n\r\n") + 4);
      if (rest.length > 0) socket.unshift(rest);
      resolve(chunk.toString("latin1").startsWith("HTTP/1.1 200") ? socket : null);
    });
  });
}

/** A request of SOCKS 5 with its greeting, for a name or for the bytes of an address. */
export function socks5(host: string | readonly number[], port: number, command = 1): Buffer {
  const name = Buffer.from(typeof host === "string" ? host : "", "latin1");
  const address = typeof host === "string" ? [3, name.length, ...name] : [host.length === 4 ? 1 : 4, ...host];
  return Buffer.from([5, 1, 0, 5, command, 0, ...address, port >> 8, port & 255]);
}
