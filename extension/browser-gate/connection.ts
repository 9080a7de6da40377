// The panel's connection to the gate of this browser: requests go over ports of the extension instead of the network.

import { parseBase64 } from "../../src/shared/bytes.ts";
import type { Connection } from "../../ui/client.ts";
import { type GateAnswer, type PanelRequest, requestPort, type ServiceRequest } from "./messages.ts";

export const browserGateConnection: Connection = {
  base: "",
  // Who may speak to the gate is decided by who sends, not by a token.
  token: () => "",
  forget: () => undefined,
  onChange: () => () => undefined,
  send: sendToGate,
};

async function sendToGate(path: string, { method = "GET", body, signal }: RequestInit): Promise<Response> {
  const open: ServiceRequest = { kind: "open-gate" };
  await chrome.runtime.sendMessage(open);
  const request: PanelRequest = { method, path, body: typeof body === "string" ? body : null };
  const port = chrome.runtime.connect({ name: requestPort });
  const head = Promise.withResolvers<Extract<GateAnswer, { kind: "head" }>>();
  const stop = (): void => port.disconnect();
  let isOver = false;
  const pieces = new ReadableStream<Uint8Array>({
    start(controller) {
      port.onMessage.addListener((message) => {
        const answer = message as GateAnswer;
        if (answer.kind === "head") head.resolve(answer);
        else if (answer.kind === "piece") controller.enqueue(parseBase64(answer.base64) ?? new Uint8Array());
        else {
          isOver = true;
          controller.close();
          port.disconnect();
        }
      });
      port.onDisconnect.addListener(() => {
        const gone = new TypeError(chrome.runtime.lastError?.message ?? "The gate of this browser was closed.");
        head.reject(gone);
        if (!isOver) controller.error(gone);
      });
      signal?.addEventListener("abort", () => {
        head.reject(signal.reason);
        isOver = true;
        controller.error(signal.reason);
        stop();
      });
    },
    cancel: stop,
  });
  port.postMessage(request);
  const { status, type } = await head.promise;
  const hasBody = status !== 204 && status !== 304;
  return new Response(hasBody ? pieces : null, { status, headers: { "Content-Type": type } });
}
