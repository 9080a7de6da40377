// The page of the box as its client sees it: a port, and whether anybody is still there.

import { limits } from "../../src/shared/limits.ts";
import type { WasmProgram } from "../../src/process/wasm-box.ts";
import type { PageAnswer, PageReport, PageRequest } from "./messages.ts";

export class OpenPage {
  readonly loaded = new Set<WasmProgram>();
  /** Gets what the page says of its runs, unread. */
  onReport: ((report: Partial<PageReport>) => void) | null = null;
  readonly #port: MessagePort;
  #heard: () => void = () => undefined;

  constructor(port: MessagePort) {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<PageAnswer | null>) => {
      this.#heard();
      if (data !== null && "id" in data) this.onReport?.(data);
    };
  }

  send(request: PageRequest, transfer: Transferable[] = []): void {
    this.#port.postMessage(request, transfer);
  }

  /** Nothing tells of a page whose process has ended, so it is asked. Tries are counted, not time: the machine may have slept. */
  async answers(): Promise<boolean> {
    for (let tries = 0; tries < limits.boxAnswerTries; tries += 1) {
      const heard = new Promise<boolean>((resolve) => (this.#heard = () => resolve(true)));
      const late = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => late.resolve(false), limits.boxTryMs);
      this.send({ kind: "ping" });
      const isThere = await Promise.race([heard, late.promise]);
      clearTimeout(timer);
      if (isThere) return true;
    }
    return false;
  }

  close(): void {
    this.#port.close();
  }
}
