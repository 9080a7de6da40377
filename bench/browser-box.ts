// Bash and Python in the box of the extension: a call, and the start of Python with and without a kept memory.

import type { Page } from "playwright-core";
import type { WasmProgram } from "../src/process/wasm-box.ts";
import { openBox } from "../test/extension/box/open-box.ts";
import { noExtension, openExtensionBrowser } from "../test/extension/browser.ts";
import { withFixtures } from "../test/fixtures/script-context.ts";
import { type Candidate, ratioOf, sample } from "./measure.ts";
import type { TopicReport } from "./topic.ts";

const ROUNDS = 10;
/** Until the interpreter of the next call has started, while nobody waits. */
const REST_MS = 2_500;

export async function measureBox(): Promise<TopicReport> {
  if (noExtension !== false) return { tables: [], goals: [], remarks: [`no box was measured: ${noExtension}`] };
  return await withFixtures(async (context) => {
    const browser = await openExtensionBrowser(context);
    const page = await browser.openPanel(400);
    const calls = await measureCalls(page);
    const starts = await measureStarts(page);
    return {
      tables: [calls.table, starts.table],
      goals: [...calls.goals, ...starts.goals],
      remarks: [
        "a call prints nothing and has no files; its time is taken in the page of the extension",
        "a call of Python right after another waits for its interpreter: each run has a new one, and one is started beforehand, not two, because each takes 30 MB and more",
      ],
    };
  });
}

async function measureCalls(page: Page) {
  const open = async (): Promise<void> => void (await openBox(page));
  const run = (program: WasmProgram) => page.evaluate<number>(`(${timeRun.toString()})("${program}")`);
  const rest = () => new Promise<void>((resolve) => setTimeout(resolve, REST_MS));
  const call = (name: string, program: WasmProgram, prepare: () => Promise<unknown>): Candidate => ({
    name,
    prepare: async () => void (await prepare()),
    run: () => run(program),
  });
  await open();
  await run("python");
  await run("bash");
  const bash = call("a call of Bash", "bash", rest);
  const python = call("a call of Python", "python", rest);
  const next = call("a call of Python right after another", "python", () => run("python"));
  const first = call("the first call of Python", "python", async () => {
    await page.reload();
    await open();
  });
  const warm = await sample([bash, python, next], { rounds: ROUNDS, warmUpRounds: 1, budgetMs: 120_000 });
  const cold = await sample([first], { rounds: ROUNDS / 2, warmUpRounds: 0, budgetMs: 120_000 });
  const rows = [...warm, ...cold];
  return {
    table: { title: "calls in the box of the extension", base: python.name, rows },
    goals: [
      {
        what: "a call of Python in the box",
        measured: (rows.find(({ name }) => name === python.name)?.medianMs ?? Number.NaN) / 1_000,
        bound: 0.05,
        direction: "at most",
        unit: "s",
      },
    ] as const,
  };
}

async function measureStarts(page: Page) {
  await page.reload();
  await page.evaluate(`(async () => {
    const bytesOf = async (name) => await (await fetch("/box/" + name)).arrayBuffer();
    globalThis.python = {
      wasm: await WebAssembly.compile(await bytesOf("pyodide.asm.wasm")),
      library: new Uint8Array(await bytesOf("python_stdlib.zip")),
    };
  })()`);
  const start = (snapshot: string) => page.evaluate<number>(`(${timeStart.toString()})(${snapshot})`);
  await start(`"make"`);
  const kept = { name: "with a kept memory", run: () => start("globalThis.kept") };
  const plain = { name: "without", run: () => start(`"none"`) };
  const rows = await sample([kept, plain], { rounds: ROUNDS, warmUpRounds: 1, budgetMs: 120_000 });
  return {
    table: { title: "the start of Python in a worker", base: kept.name, rows },
    goals: [
      {
        what: "the start of Python without a kept memory, of with one",
        measured: ratioOf(rows, plain.name, kept.name),
        bound: 5,
        direction: "at least",
        unit: "×",
      },
    ] as const,
  };
}

/** Goes to the browser as text. Milliseconds. */
async function timeRun(program: WasmProgram): Promise<number> {
  const { box } = globalThis as unknown as { box: import("../src/process/wasm-box.ts").WasmBox };
  const begun = performance.now();
  const task = { program, text: "", cwd: "/workspace", environment: {}, stdin: null, files: [] };
  const end = await box.run({ ...task, timeoutMs: 60_000, changedBytes: 0 }, { onOutput: () => undefined });
  if (end.exitCode !== 0) throw new Error(end.problem ?? "it failed");
  return performance.now() - begun;
}

/** Goes to the browser as text. Milliseconds; a memory that was made is kept for the next ones. */
async function timeStart(snapshot: Uint8Array | string): Promise<number> {
  const scope = globalThis as unknown as {
    python: object;
    kept: Uint8Array;
    Worker: new (url: string) => PythonWorker;
  };
  const begun = performance.now();
  const worker = new scope.Worker("/box/python.js");
  const { kind, snapshot: made } = await new Promise<PythonReady>((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage({ kind: "start", start: { ...scope.python, snapshot } });
  });
  const ms = performance.now() - begun;
  worker.terminate();
  if (kind !== "ready") throw new Error("it did not start");
  if (made !== null) scope.kept = made;
  return ms;
}

interface PythonReady {
  readonly kind: string;
  readonly snapshot: Uint8Array | null;
}

interface PythonWorker {
  onmessage: (event: { data: PythonReady }) => void;
  postMessage(message: unknown): void;
  terminate(): void;
}
