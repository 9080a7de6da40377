// The box in a page of the extension, driven by a test. Frame, page, workers and client are the extension's own.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { BoxChange, BoxEnd, BoxTask, WasmBox } from "../../../src/process/wasm-box.ts";
import { bundleForBrowser } from "../../browser/bundle.ts";
import { runInPage } from "../in-page.ts";

export interface SmallFile {
  readonly path: string;
  readonly text?: string;
  readonly executable?: boolean;
  readonly target?: string;
}

export interface SmallTask extends Partial<Omit<BoxTask, "files">> {
  readonly text: string;
  readonly files?: readonly SmallFile[];
  /** Aborted at the first output. */
  readonly isAborted?: boolean;
}

/** What a run came to, as text. */
export interface Ran extends Omit<BoxEnd, "changes"> {
  /** The how-manieth to end. */
  readonly place: number;
  readonly stdout: string;
  readonly stderr: string;
  /** `- a text`, `x a text`, `- a -> target`, `directory d`, `removed r`, sorted. */
  readonly changes: readonly string[];
}

export interface OpenBox {
  python(text: string, more?: Omit<SmallTask, "text">): Promise<Ran>;
  bash(text: string, more?: Omit<SmallTask, "text">): Promise<Ran>;
  /** All are handed in at once. Each comes with the number of the place at which it ended. */
  together(tasks: readonly SmallTask[]): Promise<readonly Ran[]>;
}

/** In a page of the extension. `change`: of the script that holds the box. */
export async function openBox(page: Page, change = (script: string): string => script): Promise<OpenBox> {
  await runInPage(
    page,
    `(() => { ${change(await boxCode())}; globalThis.box = sallyport.boxThrough(sallyport.holdBox(document)); })()`,
  );
  const together: OpenBox["together"] = (tasks) =>
    runInPage(page, `(${useBox.toString()})(globalThis.box, ${JSON.stringify(tasks)})`);
  const one = async (task: SmallTask): Promise<Ran> => (await together([task]))[0] as Ran;
  return {
    python: (text, more) => one({ program: "python", text, ...more }),
    bash: (text, more) => one({ program: "bash", text, ...more }),
    together,
  };
}

/** A script that leaves `holdBox` and `boxThrough` in the variable `sallyport`. */
export async function boxCode(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-box-"));
  try {
    const from = join(import.meta.dirname, "../../../extension/box");
    const entry = join(directory, "entry.ts");
    writeFileSync(entry, `export * from "${from}/holder.ts";\nexport * from "${from}/client.ts";\n`);
    return (await bundleForBrowser(entry)).code;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Goes to the browser as text. */
async function useBox(box: WasmBox, tasks: readonly SmallTask[]): Promise<readonly Ran[]> {
  const spell = (change: BoxChange): string => {
    const path = change.path.slice("/workspace/".length);
    if (change.kind !== "file") return `${change.kind} ${path}`;
    const content = change.target === null ? new TextDecoder().decode(change.bytes) : `-> ${change.target}`;
    return `${change.executable ? "x" : "-"} ${path} ${content}`;
  };
  let place = 0;
  const use = async ({ isAborted = false, files = [], ...task }: SmallTask) => {
    const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
    const printed = { stdout: "", stderr: "" };
    const abort = new AbortController();
    const end = await box.run(
      {
        program: "python",
        cwd: "/workspace",
        environment: {},
        stdin: null,
        timeoutMs: 60_000,
        changedBytes: 1_000_000,
        ...task,
        files: files.map(({ path, text = "", executable = false, target = null }) => ({
          path: `/workspace/${path}`,
          executable,
          target,
          bytes: new TextEncoder().encode(text),
        })),
      },
      {
        signal: abort.signal,
        onOutput(stream, chunk) {
          printed[stream] += decoders[stream].decode(chunk, { stream: true });
          if (isAborted) abort.abort();
        },
      },
    );
    return { ...end, ...printed, changes: end.changes.map(spell).toSorted(), place: (place += 1) };
  };
  return await Promise.all(tasks.map(use));
}
