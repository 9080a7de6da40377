// The page of the box. It has an opaque origin and no network: the manifest says so. It gets one port, from the page that holds it, and
// runs there what the gate wants.
// Invariant: it never hands the port on. A worker gets bytes and a task.

import type { PageRequest } from "./messages.ts";
import { BoxRuns } from "./runs.ts";

let isConnected = false;

addEventListener("message", ({ source, ports: [port] }) => {
  if (source !== parent || port === undefined || isConnected) return;
  isConnected = true;
  const runs = new BoxRuns((report, transfer) => port.postMessage(report, transfer));
  port.onmessage = ({ data }) => runs.take(data as PageRequest);
});
