// The box as the gate sees it: tasks go in one after the other, and what comes out has been looked at.
// Invariant: `run` ends, whatever the page does: with its answer, with the abort, or at a time of its own.

import type { BoxEnd, BoxRunListener, BoxTask, WasmBox, WasmProgram } from "../../src/process/wasm-box.ts";
import { limits } from "../../src/shared/limits.ts";
import { OneAtATime } from "../../src/shared/one-at-a-time.ts";
import { type DoorRequest, type PageReport, type PageRequest, type ProgramFiles, RunReader } from "./messages.ts";
import { programFileNames } from "./programs.ts";

/** The box behind a door of `holdBox`, for a page or a worker of the extension. */
export function boxThrough(door: MessagePort): WasmBox {
  return new BoxClient(door);
}

interface OpenPage {
  readonly port: MessagePort;
  readonly loaded: Set<WasmProgram>;
  /** Resolves if the page ends by itself. */
  readonly gone: Promise<BoxEnd>;
}

const nothing: BoxEnd = {
  exitCode: null,
  timedOut: false,
  cancelled: false,
  problem: null,
  changes: [],
  notKept: [],
};

class BoxClient implements WasmBox {
  readonly #door: MessagePort;
  readonly #turns = new OneAtATime();
  #page: OpenPage | null = null;
  #lastId = 0;

  constructor(door: MessagePort) {
    this.#door = door;
  }

  async run(task: BoxTask, listener: BoxRunListener): Promise<BoxEnd> {
    const { signal } = listener;
    const aborted = Promise.withResolvers<BoxEnd>();
    const abort = (): void => aborted.resolve({ ...nothing, cancelled: true });
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted === true) abort();
    const turn = this.#turns.run(() => this.#run(task, listener, aborted.promise));
    try {
      return await Promise.race([aborted.promise, turn]);
    } catch (error) {
      return { ...nothing, problem: (error as Error).message };
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  async #run(task: BoxTask, { onOutput, signal }: BoxRunListener, aborted: Promise<BoxEnd>): Promise<BoxEnd> {
    const page = (this.#page ??= await this.#open());
    if (!page.loaded.has(task.program)) {
      const files = await loadFiles(task.program);
      send(page, { kind: "program", program: task.program, files }, Object.values(files));
      page.loaded.add(task.program);
    }
    if (signal?.aborted === true) return await aborted;
    const id = (this.#lastId += 1);
    const over = Promise.withResolvers<BoxEnd>();
    const reader = new RunReader(task.changedBytes);
    page.port.onmessage = ({ data }) => {
      const report = data as Partial<PageReport> | null;
      if (report?.id !== id) return; // of a run that was aborted
      const message = report.message?.kind === "timeout" ? report.message : reader.read(report.message);
      if (message.kind === "output") onOutput(message.stream, message.bytes);
      else over.resolve(endOf(message));
    };
    // Python's first start takes two.
    const lateMs = 2 * limits.boxStartMs + task.timeoutMs + limits.boxAnswerMs;
    const late = setTimeout(() => this.#giveUp(page, over), lateMs);
    send(page, { kind: "run", id, task });
    const end = await Promise.race([over.promise, page.gone, aborted]);
    clearTimeout(late);
    page.port.onmessage = null; // an aborted run says no more
    if (end.cancelled) send(page, { kind: "abort", id });
    return end;
  }

  #giveUp(page: OpenPage, over: PromiseWithResolvers<BoxEnd>): void {
    this.#leave(page.port);
    this.#askHolder("close"); // whatever runs in it ends
    over.resolve({ ...nothing, problem: "The page of the box did not answer, and was closed." });
  }

  /** A new page. The holder ends the one before. */
  async #open(): Promise<OpenPage> {
    const opened = Promise.withResolvers<MessagePort>();
    const late = setTimeout(() => opened.reject(new Error("The page of the box did not open.")), limits.boxStartMs);
    this.#door.onmessage = ({ ports: [port] }) => port !== undefined && opened.resolve(port);
    this.#askHolder("open");
    const port = await opened.promise.finally(() => clearTimeout(late));
    const gone = Promise.withResolvers<BoxEnd>();
    port.addEventListener("close", () => {
      this.#leave(port);
      gone.resolve({ ...nothing, problem: "The page of the box has ended, perhaps because the memory was full." });
    });
    return { port, loaded: new Set(), gone: gone.promise };
  }

  #askHolder(request: DoorRequest): void {
    this.#door.postMessage(request);
  }

  #leave(port: MessagePort): void {
    port.close();
    if (this.#page?.port === port) this.#page = null;
  }
}

function endOf(message: Exclude<PageReport["message"], { kind: "output" }>): BoxEnd {
  switch (message.kind) {
    case "timeout":
      return { ...nothing, timedOut: true };
    case "problem":
      return { ...nothing, problem: message.text };
    case "end": {
      const { exitCode, changes, notKept } = message;
      return { ...nothing, exitCode, changes, notKept };
    }
  }
}

function send({ port }: OpenPage, request: PageRequest, transfer: Transferable[] = []): void {
  port.postMessage(request, transfer);
}

async function loadFiles(program: WasmProgram): Promise<ProgramFiles> {
  const load = async (name: string): Promise<[string, ArrayBuffer]> => {
    const response = await fetch(`/box/${name}`);
    if (!response.ok) throw new Error(`The extension lacks box/${name}.`);
    return [name, await response.arrayBuffer()];
  };
  return Object.fromEntries(await Promise.all(programFileNames[program].map(load)));
}
