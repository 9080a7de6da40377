// The box as the gate sees it: tasks go in one after the other, and what comes out has been looked at.
// Invariant: `run` ends, whatever the page does: with its answer, with the abort, or at a time of its own.

import type { BoxEnd, BoxRunListener, BoxTask, WasmBox, WasmProgram } from "../../src/process/wasm-box.ts";
import { limits } from "../../src/shared/limits.ts";
import { OneAtATime } from "../../src/shared/one-at-a-time.ts";
import { type DoorRequest, type PageReport, type ProgramFiles, RunReader } from "./messages.ts";
import { OpenPage } from "./open-page.ts";
import { programFileNames } from "./programs.ts";

/** The box behind a door of `holdBox`, for a page or a worker of the extension. */
export function boxThrough(door: MessagePort): WasmBox {
  return new BoxClient(door);
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
    const isAborted = (): boolean => signal?.aborted === true;
    if (isAborted()) return await aborted;
    const page = await this.#pageThatAnswers();
    if (!page.loaded.has(task.program)) {
      const files = await loadFiles(task.program);
      page.send({ kind: "program", program: task.program, files }, Object.values(files));
      page.loaded.add(task.program);
    }
    if (isAborted()) return await aborted;
    const id = (this.#lastId += 1);
    const over = Promise.withResolvers<BoxEnd>();
    const reader = new RunReader(task.changedBytes);
    page.onReport = (report) => {
      if (report.id !== id) return; // of a run that was aborted
      const message = report.message?.kind === "timeout" ? report.message : reader.read(report.message);
      if (message.kind === "output") onOutput(message.stream, message.bytes);
      else over.resolve(endOf(message));
    };
    const giveUp = (): void => {
      this.#leave(page);
      over.resolve({ ...nothing, problem: "its page does not answer, perhaps because the memory was full" });
    };
    // SECURITY(T88): a run ends, whatever has become of the page. Python's first start can take three.
    const late = setTimeout(giveUp, 3 * limits.boxStartMs + task.timeoutMs + limits.boxAnswerMs);
    const pulse = setInterval(() => void page.answers().then((isThere) => isThere || giveUp()), limits.boxPulseMs);
    page.send({ kind: "run", id, task });
    const end = await Promise.race([over.promise, aborted]);
    clearTimeout(late);
    clearInterval(pulse);
    page.onReport = null; // an aborted run says no more
    if (end.cancelled) page.send({ kind: "abort", id });
    return end;
  }

  async #pageThatAnswers(): Promise<OpenPage> {
    const page = this.#page;
    if (page !== null && (await page.answers())) return page;
    if (page !== null) this.#leave(page);
    return (this.#page = await this.#open());
  }

  /** A new page. The holder ends the one before. */
  async #open(): Promise<OpenPage> {
    const opened = Promise.withResolvers<MessagePort>();
    const late = setTimeout(() => opened.reject(new Error("its page did not open")), limits.boxStartMs);
    this.#door.onmessage = ({ ports: [port] }) => port !== undefined && opened.resolve(port);
    this.#askHolder("open");
    return new OpenPage(await opened.promise.finally(() => clearTimeout(late)));
  }

  /** Whatever runs in the page ends. */
  #leave(page: OpenPage): void {
    page.close();
    if (this.#page !== page) return;
    this.#page = null;
    this.#askHolder("close");
  }

  #askHolder(request: DoorRequest): void {
    this.#door.postMessage(request);
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

async function loadFiles(program: WasmProgram): Promise<ProgramFiles> {
  const load = async (name: string): Promise<[string, ArrayBuffer]> => {
    const response = await fetch(`/box/${name}`);
    if (!response.ok) throw new Error(`The extension lacks box/${name}.`);
    return [name, await response.arrayBuffer()];
  };
  return Object.fromEntries(await Promise.all(programFileNames[program].map(load)));
}
