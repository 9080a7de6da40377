// What the page of the box starts workers from. Everything here is made of the extension's own files, before a task comes.

import type { WasmProgram } from "../../src/process/wasm-box.ts";
import type { ProgramFiles } from "./messages.ts";
import { StartedWorker } from "./started-worker.ts";

/** The names of the files of each program, in the directory `box` of the extension. The first is the worker's script. */
export const programFileNames: Readonly<Record<WasmProgram, readonly string[]>> = {
  bash: ["bash.js"],
  python: ["python.js", "pyodide.asm.wasm", "python_stdlib.zip"],
};

type PythonMemory = Uint8Array<ArrayBuffer>;

/** From what a worker of Python starts. */
export interface PythonStart {
  /** Compiled once for all workers. */
  readonly wasm: WebAssembly.Module;
  readonly library: Uint8Array<ArrayBuffer>;
  /** The interpreter's memory after its start. "make": start without it, and answer with it. "none": start without it. */
  readonly snapshot: PythonMemory | "make" | "none";
}

export interface LoadedProgram {
  start(): Promise<StartedWorker>;
}

export function loadProgram(program: WasmProgram, files: ProgramFiles): LoadedProgram {
  const file = (name: string): ArrayBuffer => {
    const bytes = files[name];
    if (bytes === undefined) throw new Error(`${program} lacks ${name}.`);
    return bytes;
  };
  const [script = "", wasm = "", library = ""] = programFileNames[program];
  const text = new Blob([file(script)], { type: "text/javascript" });
  if (program === "bash") return { start: () => StartedWorker.start(text, null) };

  const compiled = WebAssembly.compile(file(wasm));
  const start = async (snapshot: PythonStart["snapshot"]): Promise<StartedWorker> => {
    const from: PythonStart = { wasm: await compiled, library: new Uint8Array(file(library)), snapshot };
    return await StartedWorker.start(text, from);
  };
  // Python's start takes seconds. It is made once, in a worker that has seen no task, and each later one begins where that one ended.
  // The interface to that is not a public one (decision 0149): where it fails, each start takes its seconds.
  let memory: PythonMemory | "none" | null = null;
  const make = async (): Promise<PythonMemory | "none"> => {
    const maker = await start("make");
    maker.end();
    return maker.snapshot ?? "none";
  };
  return {
    async start() {
      memory ??= await make().catch(() => "none" as const);
      if (memory !== "none") {
        const started = await start(memory).catch(() => null);
        if (started !== null) return started;
        memory = "none";
      }
      return await start("none");
    },
  };
}
