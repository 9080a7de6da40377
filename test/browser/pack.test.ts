// A workspace in a pack in Chromium's own private file system: workers that are ended while they write, a file that is cut, a quota.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test, { before, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { listenOn } from "../fixtures/github-emulator.ts";
import { newPage, noBrowser } from "../ui/fixture.ts";
import { type BrowserBundle, bundleForBrowser } from "./bundle.ts";
import { type PackSeen, type PackTask, usePack } from "./use-pack.ts";

let bundle: Promise<BrowserBundle>;
before(() => {
  bundle = bundleForBrowser();
});

const removeAll =
  "navigator.storage.getDirectory().then(async (root) => { for await (const name of root.keys()) await root.removeEntry(name); })";

/** A page of an origin that may use the private file system: one of this machine is trusted without TLS. */
async function openStoragePage(t: TestContext): Promise<{ page: Page; origin: string }> {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>A page</title>");
  });
  const origin = `http://127.0.0.1:${await listenOn(server)}`;
  t.after(() => server.close().closeAllConnections());
  const page = await newPage(t);
  await page.goto(`${origin}/`);
  await page.evaluate(removeAll); // a port may come again
  return { page, origin };
}

interface Worked {
  /** The numbers of the changes that took effect, as far as the page has heard. */
  readonly last: number;
  readonly seen: PackSeen | null;
}

/** Runs a task in a worker of its own. `endAt`: ends the worker when it has told that number, wherever it is by then. */
async function work(page: Page, task: PackTask, endAt = Infinity): Promise<Worked> {
  const { code } = await bundle;
  const run = `usePack(sallyport, ${JSON.stringify(task)}, (number) => postMessage({ number })).then((seen) => postMessage({ seen }), (error) => postMessage({ error: String(error?.stack ?? error) }));`;
  const { last, seen, error } = await page.evaluate(
    ({ source, endAt: end }) =>
      new Promise<Worked & { error?: string }>((resolve) => {
        const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
        let last = 0;
        worker.addEventListener("message", ({ data }) => {
          const told = data as { number?: number; seen?: PackSeen; error?: string };
          if (told.number === undefined) return resolve({ last, seen: null, ...told });
          last = Math.max(last, told.number);
          if (end === null || told.number < end) return;
          worker.terminate();
          resolve({ last, seen: null });
        });
        worker.addEventListener("error", ({ message }) => resolve({ last, seen: null, error: message }));
      }),
    { source: `${code}\nconst usePack = ${usePack.toString()};\n${run}`, endAt: endAt === Infinity ? null : endAt },
  );
  assert.equal(error, undefined);
  return { last, seen };
}

async function read(page: Page): Promise<PackSeen> {
  const { seen } = await work(page, { kind: "read" });
  assert.ok(seen !== null);
  return seen;
}

/** Each change writes its number into six files: a part of one would show. Returns the number. */
function wholeChange({ files }: PackSeen): number {
  const number = Number(files["number"]);
  assert.equal(Object.keys(files).length, 6);
  for (let index = 0; index < 5; index += 1)
    assert.ok(files[`d${index}/file`] === `${number} `.repeat(1_000), `d${index}/file is not of change ${number}`);
  return number;
}

test(
  "a worker that is ended in the middle of its writes loses none that took effect",
  { skip: noBrowser },
  async (t) => {
    const { page } = await openStoragePage(t);
    let from = 1;
    for (let round = 0; round < 6; round += 1) {
      const { last } = await work(page, { kind: "write", from }, from + 7 + 5 * round);
      const seen = await read(page);
      const number = wholeChange(seen);
      assert.ok(number >= last && last >= from, `${last} were told, ${number} found`);
      // 20 KB each change: without copies both files together would be larger by now.
      assert.ok(Math.max(...seen.sizes) < 400_000, seen.sizes.join());
      from = number + 1;
    }
    assert.ok(from > 100, "the files took turns");
  },
);

test("a pack that was cut opens with the change before, and says so", { skip: noBrowser }, async (t) => {
  const { page } = await openStoragePage(t);
  // Too few changes for the files to take turns: a copy is one batch, and what is before it is gone.
  await work(page, { kind: "write", from: 10, to: 12 });
  const before = await read(page);
  const number = wholeChange(before);
  await work(page, { kind: "cut", bytes: 1_000 + before.droppedBytes });
  const after = await read(page);
  assert.equal(wholeChange(after), number - 1);
  assert.ok(after.droppedBytes > 10_000, String(after.droppedBytes));
});

test("at the browser's quota a change is refused, and everything before it stays", { skip: noBrowser }, async (t) => {
  const { page, origin } = await openStoragePage(t);
  await work(page, { kind: "write", from: 1, to: 2 });
  const number = wholeChange(await read(page));
  const client = await page.context().newCDPSession(page);
  await client.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 3_000_000 });
  const { seen } = await work(page, { kind: "large", bytes: 20_000_000 });
  await client.send("Storage.overrideQuotaForOrigin", { origin });
  assert.match(seen?.refused ?? "", /The storage for workspaces is full/);
  assert.equal(wholeChange(await read(page)), number);
  const { seen: large } = await work(page, { kind: "large", bytes: 20_000_000 });
  assert.equal(large?.refused, null, "the control: without the quota it fits");
});
