// The part of a run's worker that all interpreters share: it starts one, lets it run one task, and posts what came of it.

import type { BoxTask } from "../../src/process/wasm-box.ts";
import type { OutputStream } from "../../src/process/starter.ts";
import { changesOf, type LeftEntry } from "./changes.ts";
import { type RunMessage, type WorkerReady, type WorkerRequest, problem } from "./messages.ts";

export type Print = (stream: OutputStream, bytes: Uint8Array) => void;

/** An interpreter with the files of one task in its file system. */
export interface Interpreter {
  /** The exit code. */
  run(task: BoxTask, print: Print): Promise<number>;
  /** Everything below /workspace. */
  left(): Iterable<LeftEntry> | AsyncIterable<LeftEntry>;
}

/** What this thread has of a worker's scope. The types of a page and of a worker do not go together. */
interface WorkerScope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: WorkerReady | RunMessage, transfer?: Transferable[]): void;
}
const scope = self as unknown as WorkerScope;

// SECURITY(T87): Chromium lets a thread that is ended in the middle of a loop go on for two seconds, and then each thread that it
// made for two more. No program needs threads of its own, and without a channel nothing hears what is left of a run.
for (const name of ["Worker", "BroadcastChannel"]) Reflect.deleteProperty(self, name);

/** Output is posted at once, until a program has printed so often that it is posted in pieces. */
const SINGLE_MESSAGES = 1_000;
const PIECE_BYTES = 16 * 1024;
const PIECE_MS = 5;

export function serveRun<Start>(start: (start: Start) => Promise<Interpreter | Uint8Array<ArrayBuffer>>): void {
  let interpreter: Interpreter | null = null;
  const answer = async (request: WorkerRequest<Start>): Promise<void> => {
    if (request.kind === "start") {
      const started = await start(request.start);
      const snapshot = started instanceof Uint8Array ? started : null;
      if (!(started instanceof Uint8Array)) interpreter = started;
      scope.postMessage({ kind: "ready", snapshot }, snapshot === null ? [] : [snapshot.buffer]);
    } else if (interpreter !== null) await runTask(interpreter, request.task);
  };
  scope.onmessage = ({ data }) =>
    void answer(data as WorkerRequest<Start>).catch((error: unknown) => scope.postMessage(problem(String(error))));
}

async function runTask(interpreter: Interpreter, task: BoxTask): Promise<void> {
  const output = new Output();
  const exitCode = await interpreter.run(task, (stream, bytes) => output.print(stream, bytes));
  output.flush();
  const { changes: found, notKept } = await changesOf(task.files, interpreter.left(), task.changedBytes);
  const changes = found.map((change) =>
    change.kind === "file" && change.bytes.byteLength < change.bytes.buffer.byteLength
      ? { ...change, bytes: change.bytes.slice() } // the rest of an interpreter's buffer would come along
      : change,
  );
  const buffers = changes.flatMap((change) => (change.kind === "file" ? (change.bytes.buffer as ArrayBuffer) : []));
  scope.postMessage({ kind: "end", exitCode, changes, notKept }, [...new Set(buffers)]);
}

class Output {
  #stream: OutputStream = "stdout";
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #messages = 0;
  #flushedAt = 0;

  /** Takes a copy: interpreters print from their memory. */
  print(stream: OutputStream, bytes: Uint8Array): void {
    if (stream !== this.#stream) this.flush();
    this.#stream = stream;
    this.#pieces.push(bytes.slice());
    this.#bytes += bytes.length;
    const isDue = this.#bytes >= PIECE_BYTES || performance.now() - this.#flushedAt >= PIECE_MS;
    if (this.#messages < SINGLE_MESSAGES || isDue) this.flush();
  }

  flush(): void {
    if (this.#bytes === 0) return;
    const bytes = new Uint8Array(this.#bytes);
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    this.#pieces = [];
    this.#bytes = 0;
    this.#messages += 1;
    this.#flushedAt = performance.now();
    scope.postMessage({ kind: "output", stream: this.#stream, bytes }, [bytes.buffer]);
  }
}
