// The contrasts of the box: Python in a worker of the extension's own origin, and copies of the extension with another text in a file.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { built } from "../browser.ts";
import { runInPage } from "../in-page.ts";

/** What the program prints, in the worker of the box's Python, which a page of the extension has made for itself. */
export async function runPythonOutside(page: Page, text: string): Promise<string> {
  return await runInPage<string>(page, `(${useWorker.toString()})(${JSON.stringify(text)})`);
}

/** Goes to the browser as text. */
async function useWorker(text: string): Promise<string> {
  const { Worker: BrowserWorker } = globalThis as unknown as { Worker: new (url: string) => BoxWorker };
  const bytesOf = async (name: string) => await (await fetch(`/box/${name}`)).arrayBuffer();
  const worker = new BrowserWorker("/box/python.js");
  const decoder = new TextDecoder();
  let printed = "";
  const nextOf = (kinds: readonly string[]) =>
    new Promise<string>((resolve) => {
      worker.onmessage = ({ data }) => {
        if (data.kind === "output") printed += decoder.decode(data.bytes, { stream: true });
        else if (kinds.includes(data.kind)) resolve(data.text ?? "");
      };
    });
  const ready = nextOf(["ready", "problem"]);
  const wasm = await WebAssembly.compile(await bytesOf("pyodide.asm.wasm"));
  const library = new Uint8Array(await bytesOf("python_stdlib.zip"));
  worker.postMessage({ kind: "start", start: { wasm, library, snapshot: "none" } });
  const problem = await ready;
  if (problem !== "") return problem;
  const ended = nextOf(["end", "problem"]);
  const task = { program: "python", text, cwd: "/workspace", environment: {}, stdin: null, files: [], changedBytes: 0 };
  worker.postMessage({ kind: "run", task });
  const broken = await ended;
  worker.terminate();
  return printed + broken;
}

interface BoxWorker {
  onmessage: (event: { data: { kind: string; text?: string; bytes?: Uint8Array } }) => void;
  postMessage(message: unknown): void;
  terminate(): void;
}

/** The directory of a copy of the extension, in which a file has another text. */
export function copyOfExtension(t: TestContext, file: string, change: (text: string) => string): string {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-copy-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  cpSync(built, directory, { recursive: true });
  const path = join(directory, file);
  const text = readFileSync(path, "utf8");
  const changed = change(text);
  assert.notEqual(changed, text, file);
  writeFileSync(path, changed);
  return directory;
}
