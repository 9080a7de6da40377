// Answers a request that came over a port, as a server answers one that came over the network.

import type { Hono } from "hono";
import { toBase64 } from "../../src/shared/bytes.ts";
import type { GateAnswer, PanelRequest } from "./messages.ts";

/** No server has this name; the routes read the path alone. */
const ORIGIN = "https://gate.invalid";

export async function serveRequest(app: Pick<Hono, "fetch">, request: PanelRequest, port: MessagePort): Promise<void> {
  const gone = new AbortController();
  port.onmessage = () => gone.abort(); // the panel was closed, or wants no more
  const answer = (one: GateAnswer): void => port.postMessage(one);
  const { method, path, body } = request;
  const init = body === null ? {} : { body, headers: { "Content-Type": "application/json" } };
  const response = await app.fetch(new Request(`${ORIGIN}${path}`, { method, signal: gone.signal, ...init }));
  answer({ kind: "head", status: response.status, type: response.headers.get("Content-Type") ?? "" });
  const reader = response.body?.getReader();
  if (reader !== undefined) {
    gone.signal.addEventListener("abort", () => void reader.cancel().catch(() => undefined));
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      answer({ kind: "piece", base64: toBase64(value) });
    }
  }
  answer({ kind: "end" });
}
