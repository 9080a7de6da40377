// A page of a real Chromium for measuring in its workers, with storage on the disk of the clone: a private window, and a /tmp in
// memory, would keep it in memory.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { rolldown } from "rolldown";
import { executablePath } from "../test/ui/browser.ts";

export interface BenchPage {
  readonly page: Page;
  close(): Promise<void>;
}

/** A text: why there is none. */
export async function openBenchPage(url: string): Promise<BenchPage | string> {
  if (!existsSync(executablePath)) return `${executablePath} is missing`;
  const profile = mkdtempSync(join(import.meta.dirname, "../node_modules/.cache/bench-browser-"));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const page = await browser.newPage();
  await page.goto(url);
  return {
    page,
    async close() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

interface Said {
  readonly answer?: unknown;
  readonly error?: string;
}

/** Sends a message to a worker of the page and waits for its answer. A worker is started once, and lives as long as the page. */
export async function askWorker<Answer>(page: Page, script: string, message: object): Promise<Answer> {
  const { answer, error } = await page.evaluate(
    ([from, sent]) =>
      new Promise<Said>((resolve) => {
        const started = ((globalThis as { started?: Record<string, Worker> }).started ??= {});
        const worker = (started[from] ??= new Worker(from, { type: "module" }));
        worker.onmessage = ({ data }: { data: Said }) => resolve(data);
        worker.onerror = ({ message: problem }: { message: string }) => resolve({ error: problem });
        worker.postMessage(sent);
      }),
    [script, message] as const,
  );
  if (error !== undefined) throw new Error(`${script}: ${error}`);
  return answer as Answer;
}

/** A file of the bench as the script of a worker. */
export async function bundleWorker(name: string): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, name),
    platform: "browser",
    transform: { define: { global: "globalThis" } }, // a package of LightningFS needs it, as bundlers used to have it
  });
  const { output } = await bundle.generate({ format: "es", minify: true, codeSplitting: false });
  await bundle.close();
  return output[0].code;
}
