// A worker in which an interpreter has started. It runs one task and is ended.

import type { BoxTask } from "../../src/process/wasm-box.ts";
import { limits } from "../../src/shared/limits.ts";
import { problem, type RunMessage, type WorkerReady, type WorkerRequest } from "./messages.ts";

export class StartedWorker {
  readonly #worker: Worker;
  /** Of the interpreter, if it was started to make one. */
  readonly snapshot: Uint8Array<ArrayBuffer> | null;

  private constructor(worker: Worker, snapshot: Uint8Array<ArrayBuffer> | null) {
    this.#worker = worker;
    this.snapshot = snapshot;
  }

  /** Rejects if the interpreter does not start. Only our own code runs in the worker until then. */
  static async start(script: Blob, start: unknown): Promise<StartedWorker> {
    // A worker knows its URL, and the standard lets it revoke what its origin has made. So no later one depends on it.
    const url = URL.createObjectURL(script);
    const worker = new Worker(url);
    const answered = Promise.withResolvers<WorkerReady | RunMessage>();
    const late = setTimeout(
      () => answered.resolve(problem(`it took longer than ${limits.boxStartMs / 1_000} s`)),
      limits.boxStartMs,
    );
    worker.addEventListener("message", ({ data }) => answered.resolve(data as WorkerReady | RunMessage), {
      once: true,
    });
    worker.onerror = ({ message }) => answered.resolve(problem(message));
    worker.postMessage({ kind: "start", start } satisfies WorkerRequest<unknown>);
    const answer = await answered.promise;
    clearTimeout(late);
    URL.revokeObjectURL(url);
    if (answer.kind === "ready") return new StartedWorker(worker, answer.snapshot);
    worker.terminate();
    throw new Error(`The interpreter did not start: ${answer.kind === "problem" ? answer.text : answer.kind}`);
  }

  /** `onMessage` gets what the worker posts from now on: anything. */
  run(task: BoxTask, onMessage: (data: unknown) => void): void {
    this.#worker.onmessage = ({ data }) => onMessage(data);
    this.#worker.onmessageerror = () => onMessage(null);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      onMessage(problem(`The interpreter broke: ${event.message}`));
    };
    const files = new Set(task.files.map(({ bytes }) => bytes.buffer as ArrayBuffer));
    this.#worker.postMessage({ kind: "run", task } satisfies WorkerRequest<unknown>, [...files]);
  }

  /** Nothing more of it is heard, and nothing of it goes on. The workers that it made end with it. */
  end(): void {
    this.#worker.onmessage = null;
    this.#worker.onerror = null;
    this.#worker.terminate();
  }
}
