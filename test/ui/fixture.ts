// The page in a real browser, on a real server, beside a real gate.
// Invariant: a page that logs an error, or tries what its policy forbids, fails its test.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type Asker, newAsker } from "../fixtures/asking.ts";
import { type CliUser, runner } from "../fixtures/cli.ts";
import { afterAllFiles } from "../fixtures/test-files.ts";
import { executablePath, openBrowser } from "./browser.ts";
import { watchDrawing } from "./watch-drawing.ts";

const pageDirectory = join(import.meta.dirname, "../../dist/ui");

/** For `skip`: why there is no page to look at. */
export const noBrowser: string | false = !existsSync(executablePath)
  ? `${executablePath} is missing: apt-get install chromium`
  : !existsSync(join(pageDirectory, "index.html"))
    ? "dist/ui is not built: npm run build"
    : false;

let browser: Promise<Browser> | null = null;
afterAllFiles(closeBrowser);

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
}

export type Served = ServedTo<Asker>;

export interface ServedTo<Who> {
  readonly asker: Who;
  readonly url: string;
  /** Opens one browser, once. */
  readonly link: string;
  /** Where other devices find it; empty without `--host`. */
  readonly devices: readonly string[];
  stop(): Promise<void>;
}

/** A person (see test/fixtures/asking.ts) with a record, and `sallyport serve`. `more`: lines of configuration. */
export async function serve(t: TestContext, more = ""): Promise<Served> {
  return await serveTo(t, newAsker(t, more));
}

/** `person`: whoever has a project, a state and a configuration. */
export async function serveTo<Who extends CliUser>(
  t: TestContext,
  person: Who,
  port = "0",
  flags: readonly string[] = [],
): Promise<ServedTo<Who>> {
  const child = spawn(process.execPath, [runner, "serve", "--port", port, "--json", ...flags], {
    cwd: person.project,
    env: person.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => stop(child));
  const line = (await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()).value as
    | string
    | undefined;
  if (line === undefined) throw new Error("the server ended without a link");
  const { url, link, devices = [] } = JSON.parse(line) as { url: string; link: string; devices?: string[] };
  return { asker: person, url, link, devices, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: "light" | "dark";
  /** After the page was entered, such as `#/log`. */
  readonly at?: string;
  /** Errors on the page that belong to the test. */
  readonly expect?: RegExp;
  /** True: what other pages of the file stored is not there. */
  readonly isOtherBrowser?: boolean;
}

/** The servers that a page came in to: a link opens only one browser. */
const entered = new WeakSet<ServedTo<unknown>>();

/** A page that has come in: the first by the link, the others as another window of the first. */
export async function openPage(t: TestContext, served: ServedTo<unknown>, options: PageOptions = {}): Promise<Page> {
  const page = await newPage(t, options);
  await page.goto(entered.has(served) ? `${served.url}/` : served.link);
  await page.locator("header.header").waitFor();
  entered.add(served);
  if (options.at !== undefined) await goTo(page, options.at);
  return page;
}

// One for all pages of a file: in Chromium a context of its own costs a page three quarters of a second of processor
// time. Each server has a port of its own, and so an origin and a storage of its own.
let shared: Promise<BrowserContext> | null = null;

async function newContext(): Promise<BrowserContext> {
  browser ??= openBrowser();
  // The authority of a test's certificate is in no browser.
  return await (await browser).newContext({ reducedMotion: "reduce", ignoreHTTPSErrors: true });
}

/** A page that is nowhere yet. */
export async function newPage(t: TestContext, options: PageOptions = {}): Promise<Page> {
  const isOther = options.isOtherBrowser === true;
  const context = await (isOther ? newContext() : (shared ??= newContext()));
  const page = await context.newPage();
  t.after(async () => {
    // A port may come again. Where the page is nowhere, there is no storage.
    await page.evaluate("localStorage.clear()").catch(() => undefined);
    await (isOther ? context : page).close();
  });
  await page.setViewportSize({ width: options.width ?? 1280, height: options.height ?? 800 });
  await page.emulateMedia({ colorScheme: options.scheme ?? "light" });
  watchDrawing(page);
  const problems: string[] = [];
  const expected = options.expect ?? /$^/;
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    // The browser itself writes down each answer that is not 2xx; what that means is the page's matter.
    if (message.type() !== "error" || message.text().startsWith("Failed to load resource")) return;
    if (!expected.test(message.text())) problems.push(message.text());
  });
  t.after(() => assert.deepEqual(problems, []));
  return page;
}

/** Within the page; `hash` as in `#/q/ID`. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    (globalThis as unknown as { location: { hash: string } }).location.hash = to;
  }, hash);
}

/** So much later by the page's own clock, and drawn: on a busy machine ours is ahead of it. */
export async function later(page: Page, ms: number): Promise<void> {
  const drawn = "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));";
  await page.evaluate(`(async () => { ${drawn} await new Promise((done) => setTimeout(done, ${ms})); ${drawn} })()`);
}

/** Until the page takes answers: what came on the screen just now does not count them yet. */
export async function untilArmed(page: Page): Promise<void> {
  await later(page, 450);
}

/** The one question that waits, from the list of them, until it takes answers. */
export async function openQuestion(page: Page): Promise<void> {
  await page.locator("a.queue-row").click();
  await page.getByRole("heading", { name: "Your answer" }).waitFor();
  await untilArmed(page);
}

/** What axe finds, one line each: the rule and where. */
export async function axeProblems(page: Page): Promise<string[]> {
  // Not a script element: the page's policy would rightly refuse it.
  await page.evaluate(axe.source);
  // In the middle of a transition colours are neither the old nor the new ones. One that never ends is not waited for.
  await page.evaluate(
    `Promise.allSettled(document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity).map((one) => one.finished)).then(() => undefined)`,
  );
  const found = (await page.evaluate("axe.run(document)")) as {
    violations: { id: string; nodes: { target: unknown[]; failureSummary?: string }[] }[];
  };
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = "" }) => `${id}: ${target.join(" ")} ${failureSummary}`),
  );
}
