import assert from "node:assert/strict";
import test from "node:test";
import type { Page } from "playwright-core";
import { type Asker, newAsker } from "../../fixtures/asking.ts";
import { goTo, noBrowser, openPage, serveTo } from "../fixture.ts";
import { answerFromPage, waitingQuestion } from "../page-answer.ts";

function lastCall(asker: Asker): string {
  const [entry] = JSON.parse(asker.run(["audit", "list", "--json", "--limit", "1"]).out) as { call_id: string }[];
  return entry?.call_id ?? "";
}

const titles = (page: Page) => page.locator(".chapter h2").allInnerTexts();

test("the whole story of a call that a person allowed, while it happens", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  const page = await openPage(t, await serveTo(t, asker));
  const call = asker.begin(asker.call);
  const id = await waitingQuestion(asker);
  await goTo(page, `#/call/${lastCall(asker)}`);
  await page.getByText("Waits for an answer").waitFor();
  assert.deepEqual(await titles(page), ["default asked for Exec", "A person was asked"]);
  assert.equal(await page.getByRole("link", { name: `The question ${id}` }).getAttribute("href"), `#/q/${id}`);

  await answerFromPage(page, id, { decision: "allow", scope: "once", reason: "it is only a note" });
  await call.done;
  await page.getByRole("heading", { name: /^Ended with exit 0 after/ }).waitFor();
  const told = await titles(page);
  assert.deepEqual(told.slice(0, 2), ["default asked for Exec", "A person was asked"]);
  assert.match(told[2] ?? "", / said yes, this once$/);
  assert.match(told[3] ?? "", /^Allowed by /);
  assert.equal(told[4], "It was started");
  const words = await page.locator("main").innerText();
  for (const part of [
    "/usr/bin/cat note",
    "it is only a note",
    "no grant covers it",
    `${asker.outside}`,
    "13 bytes",
    " later",
  ])
    assert.ok(words.includes(part), part);

  const raw = page.locator("details.raw");
  assert.equal(await raw.locator("pre").first().isVisible(), false);
  await raw.locator("summary").click();
  const shown = await raw.locator("pre").allInnerTexts();
  const story = JSON.parse(asker.run(["audit", "show", "1", "--json"]).out) as unknown[];
  assert.deepEqual(
    shown.map((text) => JSON.parse(text) as unknown),
    story,
  );
});

test("a refusal is told with its reason and what would pass", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t, "approvals: { mode: deny }\n");
  asker.run(asker.call);
  const page = await openPage(t, await serveTo(t, asker), { at: `#/call/${lastCall(asker)}` });
  await page.getByRole("heading", { name: "Refused: path not granted" }).waitFor();
  const [entry] = asker.events("tool.call.denied");
  const words = await page.locator("main").innerText();
  assert.ok(words.includes(String(entry?.outcome["message"])));
  assert.ok(words.includes(`What would pass: ${String(entry?.outcome["hint"])}`));
  assert.deepEqual(await page.locator(".story-state").allInnerTexts(), ["Refused"]);
});

test("a program that fails is told with its exit code and what it printed", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  asker.run(["call", "Exec", JSON.stringify({ argv: ["/bin/ls", "/usr/nothing here"] })]);
  const page = await openPage(t, await serveTo(t, asker), { at: `#/call/${lastCall(asker)}` });
  await page.getByRole("heading", { name: /^Ended exit 2 after/ }).waitFor();
  const words = await page.locator("main").innerText();
  assert.match(words, /\/bin\/ls '\/usr\/nothing here'/);
  assert.match(words, /output\s+nothing/);
  assert.match(words, /errors\s+\d+ bytes/);
});

test("a call that is not in the record is said to be missing", { skip: noBrowser }, async (t) => {
  const page = await openPage(t, await serveTo(t, newAsker(t)), { at: "#/call/nope" });
  await page.getByRole("alert").waitFor();
});
