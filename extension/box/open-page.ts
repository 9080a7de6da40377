// The page of the box as its client sees it: a port, and whether anybody is still there.

import { limits } from "../../src/shared/limits.ts";
import type { WasmProgram } from "../../src/process/wasm-box.ts";
import type { PageAnswer, PageReport, PageRequest } from "./messages.ts";

export class OpenPage {
  readonly loaded = new Set<WasmProgram>();
  /** Gets what the page says of its runs, unread. */
  onReport: ((report: Partial<PageReport>) => void) | null = null;
  readonly #port: MessagePort;
  /** Whoever waits for any sign of the page. */
  readonly #waiting = new Set<() => void>();

  constructor(port: MessagePort) {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<PageAnswer | null>) => {
      for (const heard of this.#waiting) heard();
      if (data !== null && "id" in data) this.onReport?.(data);
    };
  }

  send(request: PageRequest, transfer: Transferable[] = []): void {
    this.#port.postMessage(request, transfer);
  }

  /** Nothing tells of a page whose process has ended, so it is asked. Tries are counted, not time: the machine may have slept. */
  async answers(): Promise<boolean> {
    for (let tries = 0; tries < limits.boxAnswerTries; tries += 1) {
      const sign = Promise.withResolvers<boolean>();
      const heard = (): void => sign.resolve(true);
      const timer = setTimeout(() => sign.resolve(false), limits.boxTryMs);
      this.#waiting.add(heard);
      this.send({ kind: "ping" });
      const isThere = await sign.promise;
      this.#waiting.delete(heard);
      clearTimeout(timer);
      if (isThere) return true;
    }
    return false;
  }

  close(): void {
    this.#port.close();
  }
}
