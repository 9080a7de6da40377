// Debian's chromium with the built extension, and with others beside it. chromium-headless-shell loads no extensions.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type BrowserContext, chromium, type Page, type Worker } from "playwright-core";
import { until } from "../fixtures/run.ts";
import { runInPage } from "./in-page.ts";

const program = "/usr/bin/chromium";
export const built = join(import.meta.dirname, "../../dist/extension");

/** For `skip`: why the extension cannot be tried. */
export const noExtension: string | false = !existsSync(program)
  ? `${program} is missing: apt-get install chromium`
  : !existsSync(join(built, "manifest.json"))
    ? "dist/extension is not built: npm run build:extension"
    : false;

export interface ExtensionBrowser {
  readonly context: BrowserContext;
  /** `chrome-extension://ID` */
  readonly origin: string;
  readonly worker: Worker;
  openPanel(width: number): Promise<Page>;
  /** As the person does in the browser's question about the address, which no program can answer. */
  allow(pattern: string): Promise<void>;
  /** After its process has ended the browser opens no page of it until then. `worker` is one that has ended. */
  reload(): Promise<void>;
  /** The worker of another extension. */
  other(name: string): Promise<Worker>;
}

/** `others`: directories of more extensions. `own`: that of ours. */
export async function openExtensionBrowser(
  t: TestContext,
  others: readonly string[] = [],
  own = built,
): Promise<ExtensionBrowser> {
  const profile = mkdtempSync(join(tmpdir(), "sallyport-profile-"));
  const extensions = [own, ...others].join(",");
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: program,
    headless: false, // that of chromium itself, below, which has extensions
    ignoreDefaultArgs: ["--disable-extensions"],
    reducedMotion: "reduce",
    args: [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      `--disable-extensions-except=${extensions}`,
      `--load-extension=${extensions}`,
    ],
  });
  t.after(async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const named = async (name: string): Promise<Worker> => {
    for (;;) {
      for (const worker of context.serviceWorkers())
        if ((await runInPage<string>(worker, "chrome.runtime.getManifest().name")) === name) return worker;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const worker = await named("Sallyport");
  const origin =
    new URL(worker.url()).origin === "null" ? worker.url().split("/", 3).join("/") : new URL(worker.url()).origin;
  const inSettings = async <Found>(work: string): Promise<Found> => {
    const settings = await context.newPage();
    await settings.goto("chrome://extensions");
    const id = origin.slice("chrome-extension://".length);
    const found = await runInPage<Found>(settings, `((id) => chrome.developerPrivate.${work})(${JSON.stringify(id)})`);
    await settings.close();
    return found;
  };
  return {
    context,
    origin,
    worker,
    other: named,
    async openPanel(width) {
      const page = await context.newPage();
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${origin}/panel.html`);
      return page;
    },
    allow: (pattern) => inSettings(`addHostPermission(id, ${JSON.stringify(pattern)})`),
    async reload() {
      const state = async () => (await inSettings<{ readonly state: string }>("getExtensionInfo(id)")).state;
      await until("the browser has seen it end", async () => (await state()) === "TERMINATED");
      // Without it a loaded directory stays disabled.
      await inSettings("updateProfileConfiguration({ inDeveloperMode: true })");
      await inSettings("reload(id)");
      await until("the browser has it again", async () => (await state()) === "ENABLED");
    },
  };
}

/** An extension of somebody else, which may reach every address of this machine. */
export function otherExtension(t: TestContext, name: string): string {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-other-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(directory, { recursive: true });
  const manifest = {
    manifest_version: 3,
    name,
    version: "1",
    permissions: ["tabs", "scripting", "storage"],
    host_permissions: ["<all_urls>"],
    background: { service_worker: "worker.js" },
  };
  writeFileSync(join(directory, "manifest.json"), JSON.stringify(manifest));
  writeFileSync(join(directory, "worker.js"), "chrome.runtime.onInstalled.addListener(() => undefined);\n");
  return directory;
}
