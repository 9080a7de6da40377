// The page of the box. It has an opaque origin and no network: the manifest says so. It gets one port, from the page that holds it, and
// runs there what the gate wants.
// Invariant: it never hands the port on. A worker gets bytes and a task.

import type { PageAnswer, PageRequest } from "./messages.ts";
import { BoxRuns } from "./runs.ts";

let isConnected = false;

addEventListener("message", ({ source, ports: [port] }) => {
  if (source !== parent || port === undefined || isConnected) return;
  isConnected = true;
  const answer = (message: PageAnswer, transfer: Transferable[] = []): void => port.postMessage(message, transfer);
  const runs = new BoxRuns(answer);
  port.onmessage = ({ data }: MessageEvent<PageRequest>) => {
    if (data.kind === "ping") answer({ kind: "pong" });
    else runs.take(data);
  };
});
