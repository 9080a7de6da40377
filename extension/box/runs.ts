// The runs of the box's page: one at a time, each in a worker that nobody else had.

import type { BoxTask, WasmProgram } from "../../src/process/wasm-box.ts";
import { limits } from "../../src/shared/limits.ts";
import { type PageReport, problem, type RunRequest, RunReader } from "./messages.ts";
import { type LoadedProgram, loadProgram } from "./programs.ts";
import { StartedWorker } from "./started-worker.ts";

type Ending = PageReport["message"] | { readonly kind: "abort" };

export class BoxRuns {
  readonly #report: (report: PageReport, transfer: Transferable[]) => void;
  readonly #programs = new Map<WasmProgram, LoadedProgram>();
  /** Workers that have started, or are starting, before there is a task for them. */
  readonly #spares = new Map<WasmProgram, Promise<StartedWorker>>();
  #idle: ReturnType<typeof setTimeout> | undefined;
  #current: { readonly id: number; readonly end: (ending: Ending) => void } | null = null;

  constructor(report: (report: PageReport, transfer: Transferable[]) => void) {
    this.#report = report;
  }

  take(request: RunRequest): void {
    switch (request.kind) {
      case "program":
        this.#programs.set(request.program, loadProgram(request.program, request.files));
        break;
      case "run":
        void this.#run(request.id, request.task);
        break;
      case "abort":
        if (this.#current?.id === request.id) this.#current.end({ kind: "abort" });
        break;
    }
  }

  async #run(id: number, task: BoxTask): Promise<void> {
    const over = Promise.withResolvers<Ending>();
    this.#current = { id, end: over.resolve };
    clearTimeout(this.#idle);
    const started = this.#spare(task.program).catch((error: unknown) => problem((error as Error).message));
    const begun = await Promise.race([started, over.promise]);
    // An abort leaves the worker for the next run: it has seen no task.
    const ending = begun instanceof StartedWorker ? await this.#runIn(begun, id, task, over) : begun;
    this.#current = null;
    if (ending.kind !== "abort") this.#reportEnd(id, ending);
    void this.#spare(task.program).catch(() => undefined); // the next run says it
    this.#idle = setTimeout(() => this.#endSpares(), limits.boxSpareMs);
  }

  async #runIn(worker: StartedWorker, id: number, task: BoxTask, over: PromiseWithResolvers<Ending>): Promise<Ending> {
    this.#spares.delete(task.program);
    const reader = new RunReader(task.changedBytes);
    // SECURITY(T88): a timer of the page, which the program's loop cannot hold up. It begins before the program.
    const timer = setTimeout(() => over.resolve({ kind: "timeout" }), task.timeoutMs);
    worker.run(task, (data) => {
      const message = reader.read(data);
      if (message.kind === "output") this.#report({ id, message }, [message.bytes.buffer as ArrayBuffer]);
      else over.resolve(message);
    });
    const ending = await over.promise;
    clearTimeout(timer);
    worker.end(); // SECURITY(T87): before another run begins
    return ending;
  }

  #reportEnd(id: number, message: PageReport["message"]): void {
    const changes = message.kind === "end" ? message.changes : [];
    const buffers = changes.flatMap((change) => (change.kind === "file" ? (change.bytes.buffer as ArrayBuffer) : []));
    this.#report({ id, message }, [...new Set(buffers)]);
  }

  #spare(program: WasmProgram): Promise<StartedWorker> {
    const there = this.#spares.get(program);
    if (there !== undefined) return there;
    const loaded = this.#programs.get(program);
    const starting = loaded?.start() ?? Promise.reject(new Error(`${program} is not loaded.`));
    this.#spares.set(program, starting);
    starting.catch(() => this.#spares.delete(program)); // the next run tries again
    return starting;
  }

  #endSpares(): void {
    for (const spare of this.#spares.values())
      void spare.then(
        (worker) => worker.end(),
        () => undefined, // it never started
      );
    this.#spares.clear();
  }
}
