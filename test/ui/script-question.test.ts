// A script that waits: the person sees the script itself, first, on any screen; and what the log says of it.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { axeProblems, noBrowser, openPage, serve, type Served } from "./fixture.ts";

const skip = noBrowser;
const script =
  '# Tidy up\nset -e\ncd /workspace\nfor f in *.log; do\n\trm -- "$f"\ndone\ncurl https://example.com/done\n';

const agent = "  builder:\n    tool_grants: [Bash]\n    fs_grants: [{ path: /usr, mode: r }]\n";

async function waiting(t: TestContext, ...scripts: string[]): Promise<Served> {
  const served = await serve(t, agent);
  for (const text of scripts) {
    const args = JSON.stringify({ script: text, needs: { network: true } });
    served.asker.begin(["call", "--agent", "builder", "Bash", args]);
  }
  return served;
}

for (const [width, height] of [
  [360, 640],
  [1280, 800],
] as const)
  test(`at ${width} px the script heads its question and stands whole right under it`, { skip }, async (t) => {
    const served = await waiting(t, script);
    const page = await openPage(t, served, { width, height });
    const row = page.locator("a.queue-row");
    await row.locator(".queue-title", { hasText: "cd /workspace ⏎ for f in *.log; do" }).waitFor();
    assert.doesNotMatch(await row.innerText(), /sallyport-script/);
    await row.click();
    await page.getByRole("heading", { level: 1, name: "cd /workspace ⏎ for f in *.log; do" }).waitFor();
    const block = page.locator(".question-script");
    assert.equal(await block.innerText(), script.trimEnd().replace("\t", "⇥"));
    const { y } = (await block.boundingBox()) ?? { y: Number.POSITIVE_INFINITY };
    assert.ok(y < height, `it begins at ${y}, the screen ends at ${height}`);
    assert.ok(y < (await topOf(page, "Why it is asked")) && y < (await topOf(page, "How it would run")));
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width, "nothing is wider");
    assert.deepEqual(await axeProblems(page), []);
  });

async function topOf(page: Page, name: string): Promise<number> {
  return (await page.getByRole("heading", { name }).boundingBox())?.y ?? 0;
}

test("two scripts are two different rows, and the log says what each was, before its risk", { skip }, async (t) => {
  const served = await waiting(t, "make install", "curl -O https://example.com/x");
  const page = await openPage(t, served, { width: 360, height: 740 });
  await page.locator("a.queue-row").nth(1).waitFor();
  const titles = (await page.locator(".queue-title").allInnerTexts()).toSorted();
  assert.deepEqual(titles, ["curl -O https://example.com/x", "make install"]);
  await page.getByRole("link", { name: "Log" }).click();
  const entry = page.locator(".entry", { hasText: "Asked you" }).filter({ hasText: "make install" });
  await entry.waitFor();
  const [words, badge] = [entry.locator(".entry-words"), entry.locator(".badge")];
  assert.deepEqual([await words.innerText(), await badge.innerText()], ["make install", "high risk"]);
  const [said, risk] = [await words.boundingBox(), await badge.boundingBox()];
  assert.ok((risk?.x ?? 0) >= (said?.x ?? 0) + (said?.width ?? 0) && (risk?.x ?? 0) + (risk?.width ?? 0) <= 360);
  await entry.click();
  await page.locator(".chapter", { hasText: "A person was asked" }).getByText("make install").waitFor();
  const label = await page.locator(".story-meta dt", { hasText: "session" }).boundingBox();
  assert.ok((label?.height ?? 99) < 30, "the label is on one line");
});

test("a question that nobody knows is said once not to wait", { skip }, async (t) => {
  const served = await serve(t);
  const page = await openPage(t, served, { at: "#/q/q-nobody" });
  await page.getByRole("heading", { name: "The record does not know it" }).waitFor();
  assert.equal((await page.getByText("not wait any more").all()).length, 1);
});
