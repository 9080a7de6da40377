// Writes files in the private file system (OPFS) of a real Chromium, in a worker, which takes the time.

import { createServer } from "node:http";
import type { PackHandles } from "../src/browser.ts";
import { bundleForBrowser } from "../test/browser/bundle.ts";
import type { Library } from "../test/browser/use-library.ts";
import { listenOn } from "../test/fixtures/github-emulator.ts";
import { openBenchPage } from "./browser-page.ts";

type Way = "pack" | "changes" | "tree" | "tree at once";

export interface Storage {
  /** Milliseconds. */
  write(way: Way): Promise<number>;
  close(): Promise<void>;
}

/** A text: why there is none. */
export async function openStorage(files: number): Promise<Storage | string> {
  const server = createServer((_, response) =>
    response.setHeader("content-type", "text/html").end("<title>A page</title>"),
  );
  const opened = await openBenchPage(`http://127.0.0.1:${await listenOn(server)}/`);
  if (typeof opened === "string") {
    server.close();
    return opened;
  }
  const { page } = opened;
  const { code } = await bundleForBrowser();
  const sourceOf = (way: Way) =>
    `${code}\n(${writeFiles.toString()})(sallyport, "${way}", ${files}).then((ms) => postMessage({ ms }), (error) => postMessage({ error: String(error) }));`;
  return {
    async write(way) {
      const { ms, error } = await page.evaluate(
        (source) =>
          new Promise<{ ms?: number; error?: string }>((resolve) => {
            const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
            worker.addEventListener("message", ({ data }) => {
              worker.terminate();
              resolve(data as { ms?: number; error?: string });
            });
          }),
        sourceOf(way),
      );
      if (ms === undefined) throw new Error(error);
      return ms;
    },
    async close() {
      await opened.close();
      server.close().closeAllConnections();
    },
  };
}

interface Directory {
  getDirectoryHandle(name: string, options: { create: boolean }): Promise<Directory>;
  getFileHandle(
    name: string,
    options: { create: boolean },
  ): Promise<{ createSyncAccessHandle(): Promise<PackHandles[0]> }>;
  removeEntry(name: string, options: { recursive: boolean }): Promise<void>;
}

/** Goes to the browser as text. */
async function writeFiles(library: Library, way: Way, count: number): Promise<number> {
  const { storage } = navigator as unknown as { storage: { getDirectory(): Promise<Directory> } };
  const root = await storage.getDirectory();
  const directory = await root.getDirectoryHandle("bench", { create: true });
  const content = new Uint8Array(2_048).fill(65);
  const handleOf = async (name: string) =>
    (await directory.getFileHandle(name, { create: true })).createSyncAccessHandle();
  const begun = performance.now();
  if (way === "tree" || way === "tree at once") {
    const write = async (index: number): Promise<void> => {
      const handle = await handleOf(`f${index}`);
      handle.write(content, { at: 0 });
      handle.close();
    };
    const together = way === "tree" ? 1 : 50;
    for (let first = 0; first < count; first += together)
      await Promise.all(Array.from({ length: Math.min(together, count - first) }, (_, at) => write(first + at)));
  } else {
    const opened = await library.openPackWorkspace([await handleOf("a"), await handleOf("b")]);
    if (!opened.ok) throw new Error(opened.failure.message);
    const changes = Array.from({ length: count }, (_, index) => {
      const path = library.parseWorkspacePath(`f${index}`);
      if (!path.ok) throw new Error(path.failure.message);
      return { operation: "write", path: path.value, bytes: content, executable: false } as const;
    });
    for (const batch of way === "pack" ? [changes] : changes.map((change) => [change])) {
      const applied = await opened.value.files.apply(batch);
      if (!applied.ok) throw new Error(applied.failure.message);
    }
    await opened.value.files.close();
  }
  const ms = performance.now() - begun;
  await root.removeEntry("bench", { recursive: true });
  return ms;
}
