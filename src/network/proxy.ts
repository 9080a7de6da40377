// The proxy port of a box, for programs that want a proxy: HTTP and SOCKS, told apart by their first byte.

import type { Socket } from "node:net";
import type { Connections } from "./connections.ts";
import { createHttpProxy } from "./http-proxy.ts";
import { PiecewiseReader } from "./piecewise.ts";
import { resetSocket } from "./reset.ts";
import { serveSocks } from "./socks.ts";
import type { Traffic } from "./traffic.ts";

export interface Proxy {
  serve(box: Socket): Promise<void>;
  close(): void;
}

export function createProxy(connections: Connections, traffic: Traffic): Proxy {
  const http = createHttpProxy(connections, traffic);
  return {
    async serve(box) {
      box.setTimeout(traffic.limits.idleMs, () => resetSocket(box));
      const reader = new PiecewiseReader(box);
      const first = await reader.firstByte();
      if (first === null) return void box.end();
      if (first === 4 || first === 5) return serveSocks(reader, connections, traffic);
      box.unshift(reader.rest);
      http.serve(box);
    },
    close: () => http.close(),
  };
}
