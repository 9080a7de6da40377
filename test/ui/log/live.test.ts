import assert from "node:assert/strict";
import test from "node:test";
import { newAsker } from "../../fixtures/asking.ts";
import { axeProblems, later, noBrowser, openPage, serveTo } from "../fixture.ts";
import { answerFromPage, waitingQuestion } from "../page-answer.ts";
import { fillRecord } from "./record.ts";
import { keysOf, listedEntries, shownKeys, walkTimeline } from "./rows.ts";

const echo = (word: string) => ["call", "Exec", JSON.stringify({ argv: ["/bin/echo", word] })];

test("what happens now comes on top, and waits while someone reads further down", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  fillRecord(asker, { entries: 600, from: Date.now() - 3_600_000, stepMs: 1_000 });
  const old = keysOf(listedEntries(asker));
  const page = await openPage(t, await serveTo(t, asker), { at: "#/log" });
  const row = (key: string | undefined) => page.locator(`.virtual-row[data-key='${key}']`);
  await row(old[0]).waitFor();

  asker.run(echo("first-word"));
  const first = page.locator("a.entry", { hasText: "/bin/echo first-word" });
  await first.getByText("exit 0").waitFor();
  const [firstKey = ""] = keysOf(listedEntries(asker));
  assert.deepEqual((await shownKeys(page)).slice(0, 3), [firstKey, ...old.slice(0, 2)]);

  await page.evaluate("scrollTo(0, 6000)");
  await row(firstKey).waitFor({ state: "detached" });
  const before = await shownKeys(page);
  asker.run(echo("second-word"));
  await page.getByRole("button", { name: "1 new" }).waitFor();
  // Rows of older pages may have joined below.
  assert.deepEqual((await shownKeys(page)).slice(0, before.length), before, "nothing moved");
  asker.run(echo("third-word"));
  await page.getByRole("button", { name: "2 new" }).click();
  await page.locator("a.entry", { hasText: "/bin/echo third-word" }).getByText("exit 0").waitFor();
  assert.equal(await page.getByRole("button", { name: /new$/ }).count(), 0);
  assert.deepEqual((await shownKeys(page)).slice(0, 10), keysOf(listedEntries(asker)).slice(0, 10));
});

test("a call that waits goes on in its row, and the open one in its entries", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  const page = await openPage(t, await serveTo(t, asker), { at: "#/log" });
  const call = asker.begin(["call", "Exec", JSON.stringify({ argv: ["/usr/bin/cat", "note"], cwd: asker.outside })]);
  const row = page.locator("a.entry.is-call");
  await row.getByText("Asked you").waitFor();
  await page.getByRole("button", { name: /^Entries of the call/ }).click();
  const inside = page.locator(".entry.has-above .entry-event");
  await inside.getByText("Asked you").waitFor();
  const question = await waitingQuestion(asker);
  await answerFromPage(page, question, { decision: "allow", scope: "once" });
  await call.done;
  await row.getByText("asked, allowed · exit 0").waitFor();
  await inside.getByText("Finished").waitFor();
  assert.deepEqual(await inside.allInnerTexts(), ["Called", "Asked you", "Answered", "Started", "Finished"]);
  assert.equal(await row.count(), 1);
  assert.match(await row.innerText(), /Exec[^]*\/usr\/bin\/cat note[^]* (?:ms|s)\b[^]*default/);
  assert.deepEqual(await axeProblems(page), []);
  await page.getByRole("button", { name: /^Entries of the call/ }).click();
  await inside.first().waitFor({ state: "detached" });
});

test("the first entry of a record comes to a page that saw none", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  const page = await openPage(t, await serveTo(t, asker), { at: "#/log" });
  await page.getByText("Nothing has happened yet.").waitFor();
  asker.run(echo("first"));
  await page.locator("a.entry", { hasText: "/bin/echo first" }).waitFor();
});

test("a filter holds for what happens now too", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  asker.run(echo("one"));
  const page = await openPage(t, await serveTo(t, asker), { at: "#/log?text=needle" });
  await page.getByText("No entry matches.").waitFor();
  asker.run(echo("hay"));
  asker.run(echo("needle"));
  const rows = page.locator(".virtual-row:not([data-key^=d])");
  await rows.getByText("exit 0").waitFor();
  assert.equal(await rows.count(), 1);
  assert.match(await rows.innerText(), /needle/);
});

test("after very many new entries the timeline begins anew, without a gap", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  const hour = 3_600_000;
  fillRecord(asker, { entries: 600, from: Date.now() - hour, stepMs: 1_000 });
  const page = await openPage(t, await serveTo(t, asker), { at: "#/log" });
  const newest = () => page.locator(`.virtual-row[data-key='${keysOf(listedEntries(asker))[0]}']`);
  const before = newest();
  await before.waitFor();
  await page.evaluate("scrollTo(0, 6000)");
  await before.waitFor({ state: "detached" });
  fillRecord(asker, { entries: 2_000, from: Date.now() - hour / 2, stepMs: 100, name: "later" });
  const more = page.getByRole("button", { name: /new$/ });
  await more.waitFor();
  await later(page, 1_500);
  await more.click();
  await newest().waitFor();
  assert.deepEqual((await walkTimeline(page)).keys, keysOf(listedEntries(asker)));
});
