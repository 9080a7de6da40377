// Asks the worker to highlight pieces of text, those in view first.
// Invariant: the page works the same without it. Without a worker or a language, or if it is too slow, the text has no colours.

import type { HighlightReply, HighlightRequest } from "./highlight-worker.ts";

export type TokenLines = readonly (readonly number[])[];

/** Null means no colours. Undefined means that the request was dropped; the text is requested again when it comes back into view. */
type Found = readonly TokenLines[] | null | undefined;

interface Job extends Omit<HighlightRequest, "id"> {
  readonly settle: (texts: Found) => void;
}

const SLOW_MS = 4_000;
const MOST_WAITING = 24;
const MOST_FAILURES = 3;

export class Highlighter {
  #worker: Worker | null = null;
  #running: { readonly id: number; readonly job: Job; readonly timer: number } | null = null;
  readonly #waiting: Job[] = [];
  #lastId = 0;
  #failures = 0;

  /** The newest request is answered first, and the oldest waiting ones are dropped. */
  highlight(language: string, texts: readonly string[]): Promise<Found> {
    const { promise, resolve } = Promise.withResolvers<Found>();
    this.#waiting.push({ language, texts, settle: resolve });
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift()?.settle(undefined);
    this.#next();
    return promise;
  }

  stop(): void {
    this.#dropWorker();
    for (const job of this.#waiting.splice(0)) job.settle(null);
  }

  #next(): void {
    if (this.#running !== null) return;
    const job = this.#waiting.pop();
    if (job === undefined) return;
    const worker = this.#start();
    if (worker === null) {
      job.settle(null);
      this.#next();
      return;
    }
    const id = (this.#lastId += 1);
    const timer = window.setTimeout(() => this.#fail(), SLOW_MS);
    this.#running = { id, job, timer };
    worker.postMessage({ id, language: job.language, texts: job.texts } satisfies HighlightRequest);
  }

  #start(): Worker | null {
    if (this.#worker !== null || this.#failures >= MOST_FAILURES) return this.#worker;
    try {
      const worker = new Worker(new URL("./highlight-worker.ts", import.meta.url), { type: "module" });
      worker.addEventListener("message", ({ data }: MessageEvent<HighlightReply>) => this.#done(data));
      worker.addEventListener("error", () => this.#fail());
      this.#worker = worker;
      return worker;
    } catch {
      this.#failures = MOST_FAILURES;
      return null;
    }
  }

  #done(reply: HighlightReply): void {
    if (this.#running?.id !== reply.id) return;
    const { job, timer } = this.#running;
    clearTimeout(timer);
    this.#running = null;
    job.settle(reply.texts);
    this.#next();
  }

  /** The worker is too slow or broken. This piece stays plain, and a new worker takes the next one. */
  #fail(): void {
    this.#failures += 1;
    this.#dropWorker();
    this.#next();
  }

  #dropWorker(): void {
    this.#worker?.terminate();
    this.#worker = null;
    if (this.#running === null) return;
    clearTimeout(this.#running.timer);
    this.#running.job.settle(null);
    this.#running = null;
  }
}
