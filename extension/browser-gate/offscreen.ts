// The document that nobody sees: it holds the gate's worker and the frame of the box, and hands on what the panel sends.
// Invariant: it hands on only what the side panel sends, and what it hands on it does not read.

import { holdBox } from "../box/holder.ts";
import {
  type GateAnswer,
  isFromPage,
  type PanelRequest,
  requestPort,
  type ServiceRequest,
  type WorkerMessage,
  type WorkerReport,
} from "./messages.ts";

const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
/** Long enough for those who have asked to hear why. The next who asks gets a new document. */
const CLOSE_MS = 2_000;
worker.addEventListener("message", ({ data }: MessageEvent<WorkerReport>) => {
  if (data.kind === "cannot-open") setTimeout(() => window.close(), CLOSE_MS);
  else void chrome.runtime.sendMessage(data satisfies ServiceRequest);
});
const panel = { id: chrome.runtime.id, page: chrome.runtime.getURL("panel.html") };

function toWorker(message: WorkerMessage, ports: MessagePort[] = []): void {
  worker.postMessage(message, ports);
}

// A worker has no interface of the extension. Its requests for secrets go through here, and no message of others is handed on.
const secrets = new MessageChannel();
secrets.port1.onmessage = ({ data, ports: [reply] }: MessageEvent<ServiceRequest>) => {
  void chrome.runtime.sendMessage(data).then((value) => reply?.postMessage(value ?? null));
};
toWorker({ kind: "open" }, [holdBox(document), secrets.port2]);

// Only a document can ask for this.
void navigator.storage.persist().then(() => toWorker({ kind: "persisted" }));

chrome.runtime.onConnect.addListener((port) => {
  // SECURITY(T90): an answer to a question comes this way.
  if (port.name !== requestPort || !isFromPage(port.sender, panel)) return port.disconnect();
  const { port1: ours, port2: theirs } = new MessageChannel();
  port.onMessage.addListener((request) => toWorker({ kind: "request", request: request as PanelRequest }, [theirs]));
  port.onDisconnect.addListener(() => ours.postMessage("gone"));
  ours.onmessage = ({ data }: MessageEvent<GateAnswer>) => port.postMessage(data);
});
