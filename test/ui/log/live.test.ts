import assert from "node:assert/strict";
import test from "node:test";
import { newAsker } from "../../fixtures/asking.ts";
import { later, noBrowser, openPage, serveTo } from "../fixture.ts";
import { fillRecord } from "./record.ts";
import { shownSeqs, walkTimeline } from "./rows.ts";

const echo = (word: string) => ["call", "Exec", JSON.stringify({ argv: ["/bin/echo", word] })];

test("what happens now comes on top, and waits while someone reads further down", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  fillRecord(asker, { entries: 600, from: Date.now() - 3_600_000, stepMs: 1_000 });
  const page = await openPage(t, await serveTo(t, asker), { at: "#/log" });
  await page.locator(".virtual-row[data-key='e600']").waitFor();

  asker.run(echo("first-word"));
  await page.locator(".virtual-row[data-key='e603']").waitFor();
  assert.deepEqual((await shownSeqs(page)).slice(0, 5), [603, 602, 601, 600, 599]);
  await page.getByText("/bin/echo first-word").first().waitFor();

  await page.evaluate("scrollTo(0, 6000)");
  await page.locator(".virtual-row[data-key='e603']").waitFor({ state: "detached" });
  const before = await shownSeqs(page);
  asker.run(echo("second-word"));
  const more = page.getByRole("button", { name: "3 new" });
  await more.waitFor();
  assert.deepEqual(await shownSeqs(page), before, "nothing moved");
  asker.run(echo("third-word"));
  await page.getByRole("button", { name: "6 new" }).click();
  await page.locator(".virtual-row[data-key='e609']").waitFor();
  assert.equal(await page.getByRole("button", { name: /new$/ }).count(), 0);
  assert.deepEqual((await shownSeqs(page)).slice(0, 10), [609, 608, 607, 606, 605, 604, 603, 602, 601, 600]);
});

test("a filter holds for what happens now too", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  asker.run(echo("one"));
  const page = await openPage(t, await serveTo(t, asker), { at: "#/log?text=needle" });
  await page.getByText("No entry matches.").waitFor();
  asker.run(echo("hay"));
  asker.run(echo("needle"));
  await page.locator(".virtual-row[data-key^=e]").nth(1).waitFor();
  const rows = await page.locator(".virtual-row[data-key^=e]").allInnerTexts();
  assert.equal(rows.length, 2);
  assert.ok(rows.every((row) => row.includes("needle")));
});

test("after very many new entries the timeline begins anew, without a gap", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  const hour = 3_600_000;
  fillRecord(asker, { entries: 600, from: Date.now() - hour, stepMs: 1_000 });
  const page = await openPage(t, await serveTo(t, asker), { at: "#/log" });
  await page.locator(".virtual-row[data-key='e600']").waitFor();
  await page.evaluate("scrollTo(0, 6000)");
  await page.locator(".virtual-row[data-key='e600']").waitFor({ state: "detached" });
  fillRecord(asker, { entries: 2_000, from: Date.now() - hour / 2, stepMs: 100 });
  const more = page.getByRole("button", { name: /new$/ });
  await more.waitFor();
  await later(page, 1_500);
  await more.click();
  await page.locator(".virtual-row[data-key='e2600']").waitFor();
  const { seqs } = await walkTimeline(page);
  assert.deepEqual(
    seqs,
    Array.from({ length: 2_600 }, (_, index) => 2_600 - index),
  );
});
