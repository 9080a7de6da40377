import assert from "node:assert/strict";
import test from "node:test";
import type { Page } from "playwright-core";
import { type Asker, newAsker } from "../../fixtures/asking.ts";
import { runs } from "../../fixtures/runs.ts";
import { axeProblems, goTo, later, noBrowser, openPage, serveTo } from "../fixture.ts";
import { fillRecord } from "./record.ts";
import { walkTimeline } from "./rows.ts";

const hour = 3_600_000;
const from = Date.now() - 50 * hour;

function listed(asker: Asker, ...flags: string[]): number[] {
  const { out } = asker.run(["audit", "list", "--json", "--limit", "5000", ...flags]);
  return (JSON.parse(out) as { seq: number }[]).map(({ seq }) => seq);
}

async function settled(page: Page): Promise<void> {
  await later(page, 400); // the pause after typing
  await page.locator(".timeline[aria-busy=false]").waitFor();
}

const local = (ms: number) => {
  const time = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return time.toISOString().slice(0, 16);
};

test("what is searched and filtered is what the command line finds", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  fillRecord(asker, { entries: runs(900, 450), from, stepMs: 300_000 });
  asker.run(["call", "Exec", JSON.stringify({ argv: ["/bin/echo", "just now"] })]);
  const page = await openPage(t, await serveTo(t, asker), { at: "#/log" });
  const [early, late] = [from + 5 * hour, from + 9 * hour];
  const choose = (label: string, value: string) => page.getByLabel(label, { exact: true }).selectOption(value);
  const search = page.getByRole("searchbox");
  const cases: [name: string, flags: string[], set: () => Promise<unknown>, address: string][] = [
    ["text", ["--text", "todo"], () => search.fill("todo"), "text=todo"],
    ["a text with signs", ["--text", "'TODO' src"], () => search.fill("'TODO' src"), "text=%27TODO%27+src"],
    ["nothing", ["--text", "no such thing"], () => search.fill("no such thing"), "text=no+such+thing"],
    ["tool", ["--tool", "Bash"], () => choose("Tool", "Bash"), "tool=Bash"],
    ["event", ["--event", "denied"], () => choose("Event", "tool.call.denied"), "event=tool.call.denied"],
    ["agent", ["--agent", "reviewer"], () => choose("Agent", "reviewer"), "agent=reviewer"],
    ["session", ["--session", "session-2"], () => choose("Session", "session-2"), "session=session-2"],
    ["the last hour", ["--since", "1h"], () => choose("When", "1h"), "since=1h"],
    [
      "between two times",
      ["--since", local(early), "--until", local(late)],
      async () => {
        await choose("When", "between");
        await page.getByLabel("From").fill(local(early));
        await page.getByLabel("Until").fill(local(late));
      },
      `since=${encodeURIComponent(local(early))}&until=${encodeURIComponent(local(late))}`,
    ],
    [
      "several",
      ["--tool", "Git", "--event", "denied", "--text", "fs_denied"],
      async () => {
        await choose("Tool", "Git");
        await choose("Event", "tool.call.denied");
        await search.fill("fs_denied");
      },
      "text=fs_denied&tool=Git&event=tool.call.denied",
    ],
  ];
  const all = listed(asker);
  for (const [name, flags, set, address] of cases)
    await t.test(name, async () => {
      const expected = listed(asker, ...flags);
      assert.ok(
        expected.length < all.length && (name === "nothing") === (expected.length === 0),
        "the case says something",
      );
      await set();
      await settled(page);
      assert.equal(new URL(page.url()).hash, `#/log?${address}`);
      if (expected.length === 0) await page.getByText("No entry matches.").waitFor();
      else assert.deepEqual((await walkTimeline(page)).seqs, expected);
      // The address alone gives the same again.
      await page.reload();
      await settled(page);
      const first = page.locator(".virtual-row[data-key^='e']").first();
      if (expected.length > 0) assert.equal(await first.getAttribute("data-key"), `e${expected[0]}`);
      await page.getByRole("button", { name: "Clear", exact: true }).click();
      await settled(page);
      assert.equal(new URL(page.url()).hash, "#/log");
    });
  assert.deepEqual((await walkTimeline(page)).seqs, all);
});

test("who looks at a call and goes back is where they were", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  fillRecord(asker, { entries: 900, from, stepMs: 60_000 });
  const page = await openPage(t, await serveTo(t, asker), { at: "#/log" });
  await page.locator(".virtual-row").first().waitFor();
  await page.evaluate("scrollTo(0, 5000)");
  await page.locator(".virtual-row[data-key='e900']").waitFor({ state: "detached" });
  const row = page.locator("a.entry", { hasText: "Refused" }).last();
  await row.scrollIntoViewIfNeeded();
  const key = await row.locator("xpath=..").getAttribute("data-key");
  const top = await page.evaluate("scrollY");
  await row.click();
  await page.getByRole("heading", { level: 2, name: /^Refused/ }).waitFor();
  await page.goBack();
  await page.locator(`.virtual-row[data-key='${key}']`).waitFor();
  assert.equal(await page.evaluate("scrollY"), top);
});

test("all of it by keyboard", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  fillRecord(asker, { entries: 600, from, stepMs: 60_000 });
  const page = await openPage(t, await serveTo(t, asker), { at: "#/log" });
  await page.locator(".virtual-row[data-key^='e']").first().waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("make");
  await settled(page);
  await page.keyboard.press("Escape");
  await goTo(page, "#/log");
  await settled(page);
  await page.evaluate("document.activeElement.blur()");
  const focused = () => page.evaluate("document.activeElement.closest('[data-key]')?.getAttribute('data-key')");
  await page.keyboard.press("j");
  assert.equal(await focused(), "e600");
  for (let count = 0; count < 60; count += 1) await page.keyboard.press("ArrowDown");
  assert.equal(await focused(), "e540");
  await page.keyboard.press("ArrowUp");
  assert.equal(await focused(), "e541");
  // Away from the view and back: the focus stays where it was.
  await page.evaluate("scrollTo(0, 0)");
  await page.locator(".virtual-row[data-key='e600']").waitFor();
  assert.equal(await focused(), "e541");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.match(page.url(), /#\/call\/call-/);
});

test(
  "found text is marked, also where the line itself does not have it; a filtered list does not claim to be all",
  { skip: noBrowser },
  async (t) => {
    const asker = newAsker(t);
    asker.run(["exec", "--", "/bin/sh", "-c", `echo ${"x".repeat(600)} Needle <b>`]);
    asker.run(["exec", "--", "/bin/echo", "other"]);
    const page = await openPage(t, await serveTo(t, asker), { at: "#/log" });
    await page.getByText("The record begins here.").waitFor();
    const search = page.getByRole("searchbox");
    await search.fill("needle <B");
    await settled(page);
    await page.getByText("No older entry matches.").waitFor();
    assert.equal(await page.getByText("The record begins here.").count(), 0);
    const marks = page.locator(".entry mark");
    assert.ok((await marks.count()) > 0);
    assert.deepEqual([...new Set(await marks.allInnerTexts())], ["Needle <b"]);
    assert.deepEqual(await axeProblems(page), []);
    await search.fill("other");
    await settled(page);
    assert.deepEqual([...new Set(await marks.allInnerTexts())], ["other"]);
    await search.fill("");
    await settled(page);
    assert.equal(await marks.count(), 0);
  },
);
