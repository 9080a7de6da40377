// What passes between the gate and the page of the box, and between that page and the worker of a run.
// Invariant: what comes out of the box is used only as `RunReader` has copied it. A hostile program can post anything.

import type { BoxChange, BoxEnd, BoxTask, WasmProgram } from "../../src/process/wasm-box.ts";
import type { OutputStream } from "../../src/process/starter.ts";
import { limits } from "../../src/shared/limits.ts";
import { workspaceRoot } from "../../src/workspace/path.ts";

/** The files of a program, by name: what its worker starts from. */
export type ProgramFiles = Readonly<Record<string, ArrayBuffer>>;

/** The gate to the document that holds the page: wants a new page, or none. The old one ends. */
export type DoorRequest = "open" | "close";

/** The gate to the page. */
export type PageRequest = RunRequest | { readonly kind: "ping" };

/** A program comes once, before its first run. One run goes on at a time. */
export type RunRequest =
  | { readonly kind: "program"; readonly program: WasmProgram; readonly files: ProgramFiles }
  | { readonly kind: "run"; readonly id: number; readonly task: BoxTask }
  | { readonly kind: "abort"; readonly id: number };

/** The page to the gate. */
export type PageAnswer = PageReport | { readonly kind: "pong" };

/** About the run of that number. */
export interface PageReport {
  readonly id: number;
  readonly message: RunMessage | { readonly kind: "timeout" };
}

/** The page to a worker, in this order: from what the interpreter starts, and what it runs. */
export type WorkerRequest<Start> =
  | { readonly kind: "start"; readonly start: Start }
  | { readonly kind: "run"; readonly task: BoxTask };

/** A worker to the page, before its run. */
export interface WorkerReady {
  readonly kind: "ready";
  /** The interpreter's memory, if the page wanted that instead of a run. */
  readonly snapshot: Uint8Array<ArrayBuffer> | null;
}

type NotKept = BoxEnd["notKept"][number];

/** A worker to the page, and the page to the gate. Nothing follows an end or a problem. */
export type RunMessage =
  | { readonly kind: "output"; readonly stream: OutputStream; readonly bytes: Uint8Array }
  | {
      readonly kind: "end";
      readonly exitCode: number;
      readonly changes: readonly BoxChange[];
      readonly notKept: readonly NotKept[];
    }
  | { readonly kind: "problem"; readonly text: string };

const notAnAnswer = problem("The program sent something that is no answer, and was ended.");
const tooMuchOutput = problem(`The program printed more than ${limits.boxOutputBytes >> 20} MiB, and was ended.`);

export function problem(text: string): RunMessage {
  return { kind: "problem", text };
}

/** Reads the messages of one run. What is no message, or goes beyond a bound, is read as a problem. */
export class RunReader {
  #outputLeft = limits.boxOutputBytes;
  #namesLeft = limits.treePathsBytes;
  readonly #changedBytes: number;

  constructor(changedBytes: number) {
    this.#changedBytes = changedBytes;
  }

  // SECURITY(T87): fields are copied one by one, so nothing comes along that was not looked at.
  read(data: unknown): RunMessage {
    if (!isRecord(data)) return notAnAnswer;
    const { kind } = data;
    if (kind === "output") return this.#readOutput(data);
    if (kind === "end") return this.#readEnd(data) ?? notAnAnswer;
    if (kind === "problem" && typeof data["text"] === "string") return problem(oneLine(data["text"]));
    return notAnAnswer;
  }

  #readOutput({ stream, bytes }: Record<string, unknown>): RunMessage {
    if ((stream !== "stdout" && stream !== "stderr") || !isWhole(bytes)) return notAnAnswer;
    // SECURITY(T88): an empty message costs the reader as well.
    this.#outputLeft -= bytes.length + limits.boxMessageBytes;
    return this.#outputLeft < 0 ? tooMuchOutput : { kind: "output", stream, bytes };
  }

  #readEnd({ exitCode, changes, notKept }: Record<string, unknown>): RunMessage | null {
    if (!Number.isInteger(exitCode) || (exitCode as number) < 0 || (exitCode as number) > 255) return null;
    const read = this.#readChanges(changes);
    const left = this.#readNotKept(notKept);
    return read === null || left === null
      ? null
      : { kind: "end", exitCode: exitCode as number, changes: read, notKept: left };
  }

  #readChanges(changes: unknown): BoxChange[] | null {
    if (!isList(changes)) return null;
    let bytesLeft = this.#changedBytes;
    const seen = new Set<string>();
    const read: BoxChange[] = [];
    for (const change of changes) {
      if (!isRecord(change) || !this.#isPath(change["path"])) return null;
      const { kind, path, executable, target, bytes } = change as Record<string, unknown> & { path: string };
      // A file can be removed and a directory be in its place. Nothing else is said twice about a path.
      const subject = kind === "directory" ? `${path}/` : path;
      if (seen.has(subject)) return null;
      seen.add(subject);
      if (kind === "removed" || kind === "directory") {
        read.push({ kind, path });
        continue;
      }
      if (kind !== "file" || typeof executable !== "boolean" || !isWhole(bytes)) return null;
      if (target !== null && !(this.#isName(target) && bytes.length === 0)) return null;
      bytesLeft -= bytes.length;
      if (bytesLeft < 0) return null;
      read.push({ kind, path, executable, target, bytes });
    }
    return read;
  }

  #readNotKept(notKept: unknown): NotKept[] | null {
    if (!isList(notKept)) return null;
    const read: NotKept[] = [];
    for (const left of notKept) {
      if (!isRecord(left) || !this.#isName(left["path"]) || !this.#isName(left["reason"])) return null;
      read.push({ path: left["path"], reason: oneLine(left["reason"]) });
    }
    return read;
  }

  #isName(text: unknown): text is string {
    if (typeof text !== "string" || text.length > limits.pathBytes) return false;
    this.#namesLeft -= text.length;
    return this.#namesLeft >= 0;
  }

  /** Below the workspace, and in its one spelling: two spellings of one path would be two changes of it. */
  #isPath(path: unknown): path is string {
    if (!this.#isName(path) || !path.startsWith(`${workspaceRoot}/`)) return false;
    return path
      .slice(1)
      .split("/")
      .every((name) => name !== "" && name !== "." && name !== "..");
  }
}

function isRecord(data: unknown): data is Record<string, unknown> {
  return typeof data === "object" && data !== null;
}

function isList(data: unknown): data is readonly unknown[] {
  return Array.isArray(data) && data.length <= 2 * limits.workspaceFileCount;
}

/** A view of a small part of a large buffer brings the whole buffer along, and a buffer that can grow all that it may grow to. */
function isWhole(bytes: unknown): bytes is Uint8Array {
  if (!(bytes instanceof Uint8Array)) return false;
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && !buffer.resizable && buffer.byteLength === bytes.byteLength;
}

function oneLine(text: string): string {
  return text.slice(0, limits.boxProblemCharacters).replaceAll(/\s+/g, " ").trim();
}
