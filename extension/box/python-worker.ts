// The worker in which a program of Python runs: CPython as WebAssembly, by Pyodide, with its standard library and no packages.

import { loadPyodide, type PyodideAPI } from "pyodide";
import createPyodideModule from "pyodide/pyodide.asm.mjs";
import { info } from "pyodide/pyodide-lock.json";
import type { BoxFile, BoxTask } from "../../src/process/wasm-box.ts";
import { limits } from "../../src/shared/limits.ts";
import { workspaceRoot } from "../../src/workspace/path.ts";
import type { LeftEntry } from "./changes.ts";
import type { PythonStart } from "./programs.ts";
import { runnerName, runnerSource } from "./python-runner.ts";
import { type Interpreter, type Print, serveRun } from "./run-worker.ts";

/** What we use of Emscripten's file system. */
interface FileSystem {
  mkdirTree(path: string): void;
  writeFile(path: string, bytes: Uint8Array): void;
  readFile(path: string): Uint8Array;
  chmod(path: string, mode: number): void;
  symlink(target: string, path: string): void;
  readlink(path: string): string;
  readdir(path: string): string[];
  lstat(path: string): { readonly mode: number };
  analyzePath(path: string, dontFollow: boolean): { readonly exists: boolean };
  isDir(mode: number): boolean;
  isFile(mode: number): boolean;
  isLink(mode: number): boolean;
}

interface Runner {
  readonly run: {
    callPromising(text: string, cwd: string, environment: unknown): Promise<number>;
  };
}

class PythonInterpreter implements Interpreter {
  readonly #python: PyodideAPI;
  readonly #files: FileSystem;
  readonly #runner: Runner;

  /** Throws where the runner is not in its memory. */
  constructor(python: PyodideAPI) {
    this.#python = python;
    this.#runner = python.pyimport(runnerName) as Runner;
    this.#files = python.FS as FileSystem;
  }

  async run({ text, cwd, environment, stdin, files }: BoxTask, print: Print): Promise<number> {
    this.#fill(files);
    this.#setStreams(new TextEncoder().encode(stdin ?? ""), print);
    return await this.#runner.run.callPromising(text, cwd, this.#python.toPy(environment));
  }

  *left(directory: string = workspaceRoot): Generator<LeftEntry> {
    const files = this.#files;
    if (!files.analyzePath(directory, true).exists || !files.isDir(files.lstat(directory).mode)) return;
    files.chmod(directory, 0o755); // a program can have closed it
    for (const name of files.readdir(directory)) {
      if (name === "." || name === "..") continue;
      const path = `${directory}/${name}`;
      const { mode } = files.lstat(path);
      if (files.isLink(mode)) yield { kind: "link", path, target: files.readlink(path) };
      else if (files.isFile(mode)) {
        files.chmod(path, 0o644);
        yield { kind: "file", path, executable: (mode & 0o100) !== 0, bytes: files.readFile(path) };
      } else if (files.isDir(mode)) {
        yield { kind: "directory", path };
        yield* this.left(path);
      } else yield { kind: "other", path };
    }
  }

  #fill(files: readonly BoxFile[]): void {
    this.#files.mkdirTree(workspaceRoot);
    for (const { path, bytes, target, executable } of files) {
      this.#files.mkdirTree(path.slice(0, path.lastIndexOf("/")));
      if (target !== null) this.#files.symlink(target, path);
      else {
        this.#files.writeFile(path, bytes);
        this.#files.chmod(path, executable ? 0o755 : 0o644);
      }
    }
  }

  #setStreams(stdin: Uint8Array, print: Print): void {
    let at = 0;
    this.#python.setStdin({
      read(buffer: Uint8Array) {
        const piece = stdin.subarray(at, at + buffer.length);
        buffer.set(piece);
        at += piece.length;
        return piece.length;
      },
    });
    const writer = (stream: "stdout" | "stderr") => ({
      write(bytes: Uint8Array) {
        print(stream, bytes);
        return bytes.length;
      },
    });
    this.#python.setStdout(writer("stdout"));
    this.#python.setStderr(writer("stderr"));
  }
}

async function startPython({ wasm, library, snapshot }: PythonStart) {
  const giveBack = lendFiles(wasm, library);
  const python = await loadPyodide({
    createPyodideModule,
    indexURL: "https://box.invalid/", // nothing is fetched: see lendFiles
    packageBaseUrl: "https://box.invalid/",
    lockFileContents: JSON.stringify({ info, packages: {} }),
    env: { HOME: "/tmp" },
    ...(snapshot === "make" ? { _makeSnapshot: true } : {}),
    ...(typeof snapshot === "string" ? {} : { _loadSnapshot: snapshot }),
  });
  giveBack();
  if (typeof snapshot === "string") python.runPython(runnerSource, { globals: python.toPy({}) });
  if (snapshot !== "make") return new PythonInterpreter(python);
  return python.makeMemorySnapshot() as Uint8Array<ArrayBuffer>;
}

/** Pyodide fetches its two files. The box has no network, so it gets them from here while it starts. */
function lendFiles(wasm: WebAssembly.Module, library: Uint8Array<ArrayBuffer>): () => void {
  const { fetch, WebAssembly } = globalThis;
  const { instantiateStreaming } = WebAssembly;
  globalThis.fetch = async () => new Response(library);
  WebAssembly.instantiateStreaming = async (_, imports) => {
    const instance = await WebAssembly.instantiate(wasm, imports);
    boundMemory(instance.exports["memory"] as WebAssembly.Memory);
    return { module: wasm, instance };
  };
  return () => {
    globalThis.fetch = fetch;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  };
}

/** A program that takes more gets a MemoryError. No promise: through `js`, a program can have other memory. */
function boundMemory(memory: WebAssembly.Memory): void {
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * 65_536 > limits.boxMemoryBytes) throw new RangeError("beyond the bound");
    return grow(pages);
  };
}

serveRun(startPython);
