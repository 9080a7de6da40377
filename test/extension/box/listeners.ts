// Ports of this machine that note who comes: a port for each way out, so that also a connection without a request, or one
// datagram, is seen and has a name.

import { createSocket } from "node:dgram";
import { createServer } from "node:http";
import type { TestContext } from "node:test";
import { listenOn } from "../../fixtures/github-emulator.ts";

export interface Listeners {
  /** A new port, for TCP and for UDP. What comes there is noted under the name. */
  open(name: string): Promise<number>;
  /** The names at whose ports something came, sorted: a connection, a datagram. */
  reached(): readonly string[];
  /** The names at whose ports there was a request by HTTP, sorted. */
  asked(): readonly string[];
}

export function openListeners(t: TestContext): Listeners {
  const reached = new Set<string>();
  const asked = new Set<string>();
  const closing: (() => void)[] = [];
  t.after(() => {
    for (const close of closing) close();
  });
  return {
    async open(name) {
      const server = createServer((_, response) => {
        asked.add(name);
        // Nobody is kept away by the lack of a header.
        response.setHeader("access-control-allow-origin", "*").setHeader("content-type", "text/javascript").end("1");
      });
      server.on("connection", () => reached.add(name));
      server.on("upgrade", (_, socket) => {
        asked.add(name);
        socket.destroy();
      });
      const port = await listenOn(server);
      const datagrams = createSocket("udp4").on("message", () => reached.add(name));
      const isBound = await new Promise<boolean>((resolve) => {
        datagrams.once("error", () => resolve(false));
        datagrams.bind(port, "127.0.0.1", () => resolve(true));
      });
      closing.push(() => {
        server.close().closeAllConnections();
        if (isBound) datagrams.close();
      });
      return isBound ? port : await this.open(name);
    },
    reached: () => [...reached].toSorted(),
    asked: () => [...asked].toSorted(),
  };
}

/** A port for each name, noted as `place: name`. */
export async function openPorts(
  listeners: Listeners,
  place: string,
  names: readonly string[],
): Promise<Record<string, number>> {
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await listeners.open(`${place}: ${name}`)] as const)),
  );
}
