// A person is notified by the page: the browser's own notices, asked for by a click, once for all pages on a store.

import assert from "node:assert/strict";
import test from "node:test";
import { existsSync } from "node:fs";
import type { TestContext } from "node:test";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { axeProblems, later, noBrowser, openPage, serve, type Served } from "./fixture.ts";

// Debian's headless shell denies notices, whatever a page is granted.
const executablePath = "/usr/bin/chromium";
const skip = noBrowser !== false ? noBrowser : existsSync(executablePath) ? false : `${executablePath} is missing`;

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
}

/** Keeps what the browser was given to show, and gives it to the browser. `looks`: whether somebody has the page before them. */
const watchNotices = (looks: boolean) => `
  globalThis.looks = ${looks};
  Document.prototype.hasFocus = () => globalThis.looks;
  globalThis.shown = [];
  const Real = Notification;
  globalThis.Notification = class extends Real {
    constructor(title, options) {
      super(title, options);
      shown.push({ title, ...options });
      globalThis.last = this;
    }
  };`;

async function newBrowser(t: TestContext, { url }: Served): Promise<BrowserContext> {
  const browser = await chromium.launch({
    executablePath,
    args: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
    ignoreDefaultArgs: ["--headless", "--headless=old"],
  });
  t.after(() => browser.close());
  const context = await browser.newContext({ reducedMotion: "reduce" });
  await context.grantPermissions(["notifications"], { origin: url });
  return context;
}

async function newPage(context: BrowserContext, looks: boolean): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(watchNotices(looks));
  return page;
}

const waitingIcon = (page: Page) => page.locator('link[rel="icon"][href*="waiting"]');
const shownOn = async (page: Page) => (await page.evaluate("shown")) as Shown[];

async function untilShown(page: Page, count: number): Promise<readonly Shown[]> {
  await page.waitForFunction((least) => (globalThis as unknown as { shown: unknown[] }).shown.length >= least, count);
  return await shownOn(page);
}

test(
  "a click switches notices on; a question is told once by one of two pages, without a word of the agent",
  { skip },
  async (t) => {
    const served = await serve(t);
    const browser = await newBrowser(t, served);
    const first = await newPage(browser, false);
    await first.goto(served.link);
    const bell = first.getByRole("button", { name: "Notify me" });
    assert.equal(await bell.getAttribute("aria-pressed"), "false", "off until somebody clicks");
    await bell.click();
    await first.locator('button.bell[aria-pressed="true"]').waitFor();
    assert.deepEqual(await axeProblems(first), []);
    const second = await newPage(browser, false);
    await second.goto(`${served.url}/`);
    await second.locator('button.bell[aria-pressed="true"]').waitFor();
    served.asker.begin(served.asker.call);
    await waitingIcon(first).waitFor({ state: "attached" });
    await later(first, 1_500);
    await later(second, 100);
    const shown = [...(await shownOn(first)), ...(await shownOn(second))];
    assert.deepEqual(shown, [{ title: "A question waits", body: "Sallyport: low risk", tag: "sallyport" }]);
    const [{ id } = { id: "" }] = served.asker.waiting();
    const at = (await shownOn(first)).length === 1 ? first : second;
    await at.evaluate("last.dispatchEvent(new Event('click'))");
    await at.getByRole("heading", { name: "Your answer" }).waitFor();
    assert.equal(new URL(at.url()).hash, `#/q/${id}`);
  },
);

test(
  "a page that somebody looks at needs no notice, and keeps other pages from one; the reply says so",
  { skip },
  async (t) => {
    const served = await serve(t, "approvals: { mode: ask, timeout_s: 4 }\n");
    const browser = await newBrowser(t, served);
    const looked = await newPage(browser, true);
    await looked.goto(served.link);
    await looked.getByRole("button", { name: "Notify me" }).click();
    const other = await newPage(browser, false);
    await other.goto(`${served.url}/`);
    await other.locator('button.bell[aria-pressed="true"]').waitFor();
    const { out } = await served.asker.begin(served.asker.call).done;
    assert.deepEqual([await shownOn(looked), await shownOn(other)], [[], []]);
    assert.match((JSON.parse(out) as { hint: string }).hint, /They were told by the page\.$/);
    await looked.evaluate("globalThis.looks = false");
    served.asker.begin([...served.asker.exec.slice(0, -1), "./note"]);
    const shown = [...(await untilAny(looked, other))];
    assert.equal(shown.length, 1, "the control: nobody looks");
  },
);

async function untilAny(...pages: readonly Page[]): Promise<readonly Shown[]> {
  await Promise.race(pages.map((page) => untilShown(page, 1)));
  return (await Promise.all(pages.map(shownOn))).flat();
}

test("switched off, nothing is shown; blocked by the browser, the button says so", { skip }, async (t) => {
  const served = await serve(t);
  const page = await newPage(await newBrowser(t, served), false);
  await page.goto(served.link);
  const bell = page.locator("button.bell");
  await bell.click();
  await page.locator('button.bell[aria-pressed="true"]').waitFor();
  await bell.click();
  await page.locator('button.bell[aria-pressed="false"]').waitFor();
  served.asker.begin(served.asker.call);
  await page.locator("a.queue-row").waitFor();
  await later(page, 1_000);
  assert.deepEqual(await shownOn(page), []);
  const blocked = await newPage(page.context(), false);
  await blocked.goto(`${served.url}/`);
  await blocked.addInitScript("Object.defineProperty(Notification, 'permission', { value: 'denied' });");
  await blocked.reload();
  await blocked.getByRole("button", { name: /Your browser blocks/ }).waitFor();
  assert.equal(await blocked.locator("button.bell").isDisabled(), true);
});

test("when nothing waits any more, the icon of the tab is plain again", { skip: noBrowser }, async (t) => {
  const served = await serve(t);
  const page = await openPage(t, served);
  const begun = served.asker.begin(served.asker.call);
  await waitingIcon(page).waitFor({ state: "attached" });
  const [{ id } = { id: "" }] = served.asker.waiting();
  begun.kill();
  await page.goto(`${served.url}/#/q/${id}`);
  await page.getByRole("button", { name: "Reject", exact: true }).waitFor();
  await later(page, 450);
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await waitingIcon(page).waitFor({ state: "detached" });
});
