// The side panel's first paint, and until it can be used, against a page of one line in an extension of its own; and the size of the zip.

import { execFileSync } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { built, noExtension, openExtensionBrowser, otherExtension } from "../test/extension/browser.ts";
import { withFixtures } from "../test/fixtures/script-context.ts";
import { type Candidate, ratioOf, sample } from "./measure.ts";
import type { TopicReport } from "./topic.ts";

const ROUNDS = 15;
const paint = "first-contentful-paint";

/** Milliseconds since the page was asked for. */
const firstPaint = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const [found] = list.getEntriesByName("${paint}");
    if (found !== undefined) resolve(found.startTime);
  }).observe({ type: "paint", buffered: true });
})`;
const firstHeading = `new Promise((resolve) => {
  const look = () => document.querySelector("h1") === null ? requestAnimationFrame(look) : resolve(performance.now());
  look();
})`;

export async function measurePanel(): Promise<TopicReport> {
  if (noExtension !== false) return { tables: [], goals: [], remarks: [`no panel was measured: ${noExtension}`] };
  return await withFixtures(measure);
}

async function measure(context: TestContext): Promise<TopicReport> {
  const line = otherExtension(context, "One line");
  writeFileSync(join(line, "page.html"), "<!doctype html><title>One line</title><h1>One line</h1>");
  const browser = await openExtensionBrowser(context, [line]);
  const other = (await browser.other("One line")).url().split("/", 3).join("/");
  const page = await browser.openPanel(380);
  const timed = (name: string, url: string, text: string, place = "review"): Candidate => ({
    name,
    async prepare() {
      await page.goto(`${browser.origin}/panel.html`);
      await page.evaluate(`localStorage["sallyport.place"] = "${place}"`);
      await page.goto("about:blank");
    },
    run: () => timeOf(page, url, text),
  });
  const panel = `${browser.origin}/panel.html`;
  const bare = timed("a page of one line", `${other}/page.html`, firstPaint);
  const painted = timed("the panel, first paint", panel, firstPaint);
  const rows = await sample(
    [
      bare,
      painted,
      timed("the panel, its first form", panel, firstHeading),
      timed("its place for working, with the gate", panel, firstHeading, "work"),
    ],
    { rounds: ROUNDS, warmUpRounds: 2 },
  );
  const zipBytes = sizeOfZip();
  return {
    tables: [{ title: "the side panel in Chromium, while the browser runs", base: bare.name, rows }],
    goals: [
      {
        what: "first paint of the side panel, of a page of one line",
        measured: ratioOf(rows, painted.name, bare.name),
        bound: 4,
        direction: "at most",
        unit: "×",
      },
      {
        what: "the extension's zip",
        measured: zipBytes / 1e6,
        bound: 10,
        direction: "at most",
        unit: "MB",
      },
    ],
    remarks: [`the zip has ${(zipBytes / 1e6).toFixed(2)} MB`],
  };
}

async function timeOf(page: Page, url: string, text: string): Promise<number> {
  await page.goto(url);
  return Number(await page.evaluate(text));
}

/** Of what is built now. */
function sizeOfZip(): number {
  const zip = `${built}.zip`;
  execFileSync(process.execPath, [join(import.meta.dirname, "../scripts/zip-extension.ts")], { stdio: "ignore" });
  if (!existsSync(zip)) throw new Error("there is no zip");
  return statSync(zip).size;
}
