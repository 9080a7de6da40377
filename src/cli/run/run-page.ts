// The page beside a `sallyport run`: that of an open `sallyport serve`, or one of this run.
// Invariant: no run depends on the page of another one, which ends with that one's program.

import type { Backend } from "../../runtime/backend.ts";
import type { GateFlags } from "../open-gate.ts";
import { openPage } from "../serve/open-page.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface RunPage {
  /** For the person: an address, or a link that works once. */
  readonly where: string;
  close(): Promise<void>;
}

export async function pageOfRun(backend: Backend, flags: GateFlags, terminal: Terminal): Promise<RunPage> {
  const [url] = await backend.store.queue.pages("serve");
  if (url !== undefined) return { where: url, close: () => Promise.resolve() };
  const opened = await openPage(backend, flags, terminal, { port: 0, flag: "--port", as: "run" });
  return { where: `${opened.newLink()} (works once)`, close: () => opened.close() };
}
