// Somebody on the host who listens, over the network and on a socket, and counts who calls.

import { createServer, type Server } from "node:net";
import type { World } from "./world.ts";

export interface Listener {
  readonly port: number;
  calls(): number;
  /** Turns a script that calls the corpus's own addresses to this one. */
  aim(text: string): string;
  close(): void;
}

export async function listen(world: World): Promise<Listener> {
  let calls = 0;
  const socket = `${world.out}/docker.sock`;
  const make = (): Server =>
    createServer((caller) => {
      calls += 1;
      caller.on("error", () => undefined);
      caller.end("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx");
    });
  const [network, local] = [make(), make()];
  await new Promise<void>((resolve) => network.listen(0, "127.0.0.1", resolve));
  await new Promise<void>((resolve) => local.listen(socket, resolve));
  const address = network.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    port,
    calls: () => calls,
    aim: (text) => text.replace("/var/run/docker.sock", socket).replace(/^ssh /, `ssh -p ${port} `),
    close() {
      network.close();
      local.close();
    },
  };
}
