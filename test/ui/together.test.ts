// The queue with many questions: what is alike stands together, filters narrow the list, and several are answered with one action.

import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import type { Question } from "../../src/approval/approver.ts";
import { LocalStore } from "../../src/runtime/local-store.ts";
import { questionAbout, type QuestionParts } from "../fixtures/approver.ts";
import { until } from "../fixtures/run.ts";
import { axeProblems, later, noBrowser, openPage, serve, type Served, untilArmed } from "./fixture.ts";

const skip = noBrowser;

interface Many {
  readonly ask: (path: string, parts?: QuestionParts, more?: Partial<Question>) => Promise<Question>;
  readonly waiting: () => Promise<readonly string[]>;
}

/** Questions of other processes, in the queue of this person. */
function openMany(t: { after(fn: () => unknown): void }, { asker }: Served): Many {
  const store = new LocalStore({
    stateDirectory: asker.state,
    configDirectory: join(asker.root, "none"),
    home: asker.root,
  });
  t.after(() => store.close());
  let serial = 0;
  return {
    async ask(path, parts = {}, more = {}) {
      serial += 1;
      const question = questionAbout([{ kind: "read", path }], { mark: `${serial}`, session: "s1", ...parts });
      const action = { ...question.action, digest: serial.toString(16).padStart(64, "0") };
      return await store.queue.put({
        ...question,
        action,
        id: `q-${serial.toString(16).padStart(8, "0")}`,
        askedAt: Date.now() + serial,
        ...more,
      });
    },
    waiting: async () => (await store.queue.waiting()).map(({ question }) => question.id),
  };
}

test(
  "200 questions, 20 of them alike: they stand together; filters and orders are in the address",
  { skip },
  async (t) => {
    const served = await serve(t);
    const { ask } = openMany(t, served);
    for (let n = 0; n < 180; n += 1) await ask(`/srv/${n}`, { session: n % 2 === 0 ? "s1" : "s2" });
    for (let n = 0; n < 20; n += 1) await ask("/var/log");
    const grave = await ask("/etc/x", { agent: "reader" }, { severity: "high", claimedBy: "claude-code 2" });
    const page = await openPage(t, served);
    await page.getByRole("heading", { name: "201 questions wait" }).waitFor();
    const rows = page.locator("a.queue-row");
    assert.ok((await rows.count()) <= 100);
    assert.deepEqual(await axeProblems(page), []);
    await page.getByRole("searchbox", { name: "Search" }).fill("/var/log");
    await page.getByRole("heading", { name: "20 of 201 questions wait" }).waitFor();
    assert.equal(await rows.count(), 3);
    await page.getByText("20 alike: read /var/log").waitFor();
    await page.getByRole("link", { name: "17 more like these" }).waitFor();
    assert.equal(new URL(page.url()).hash, "#/?text=%2Fvar%2Flog");
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("heading", { name: "201 questions wait" }).waitFor();
    await page.getByRole("combobox", { name: "Order", exact: true }).selectOption("risk");
    await page.locator(`a.queue-row.is-high[href="#/q/${grave.id}"]`).waitFor();
    // It may have stood there already, in another place.
    await until("it comes first", async () => (await rows.first().getAttribute("href")) === `#/q/${grave.id}`);
    await page.getByRole("combobox", { name: "Risk", exact: true }).selectOption("high");
    await page.getByRole("heading", { name: "1 of 201 questions wait" }).waitFor();
    await page.getByRole("combobox", { name: "Agent", exact: true }).selectOption("default");
    await page.getByText("No question that waits fits this filter; 201 wait.").waitFor();
    await page.reload();
    await page.getByText("No question that waits fits this filter; 201 wait.").waitFor();
    assert.deepEqual(await axeProblems(page), []);
    await page.setViewportSize({ width: 380, height: 800 });
    const width = (await page.evaluate("document.documentElement.scrollWidth")) as number;
    assert.equal(width, 380, "no sideways scrolling");
  },
);

test(
  "several with one action: a yes for those whose every line was on the screen, a no for all that are chosen",
  { skip },
  async (t) => {
    const served = await serve(t);
    const { ask, waiting } = openMany(t, served);
    const asked: Question[] = [];
    for (let n = 0; n < 12; n += 1) asked.push(await ask("/var/log"));
    const other = await ask("/srv");
    const page = await openPage(t, served);
    await page.getByRole("link", { name: "Review together" }).click();
    await page.getByRole("heading", { name: /^12 alike: read \/var\/log/ }).waitFor();
    const items = page.locator(".together-item");
    assert.equal(await items.count(), 12);
    await later(page, 300);
    const status = page.getByRole("status").filter({ hasText: "looked at whole" });
    const first = Number(/^(\d+) of 12/.exec((await status.innerText()) ?? "")?.[1]);
    assert.ok(first >= 1 && first < 12, `${first}: what is further down was not on the screen`);
    assert.deepEqual(await axeProblems(page), []);
    await items.first().getByRole("checkbox").uncheck();
    for (const n of Array.from({ length: 12 }).keys()) {
      await items.nth(n).scrollIntoViewIfNeeded();
      await later(page, 100);
    }
    await page.getByRole("button", { name: "Approve 11 once" }).scrollIntoViewIfNeeded();
    await page.getByText("11 of 11 looked at whole.").waitFor();
    await untilArmed(page);
    await page.getByRole("button", { name: "Approve 11 once" }).click();
    await page.getByText("11 approved once.").waitFor();
    assert.deepEqual(await waiting(), [asked[0]?.id, other.id]);
    const answered = served.asker.events("approval.answered");
    assert.deepEqual(
      [
        answered.length,
        ...new Set(answered.map(({ outcome }) => `${String(outcome["decision"])} ${String(outcome["scope"])}`)),
      ],
      [11, "allow once"],
    );
    await untilArmed(page);
    await items.first().getByRole("checkbox").check();
    await page.getByLabel("If no, why").fill("not in the logs");
    await page.getByRole("button", { name: "Reject 1" }).click();
    await page.getByText("1 rejected.").waitFor();
    assert.deepEqual(await waiting(), [other.id]);
    assert.equal(
      served.asker.events("approval.answered").filter(({ outcome }) => outcome["reason"] === "not in the logs").length,
      1,
    );
  },
);

test("a click of a script answers nothing, however often", { skip }, async (t) => {
  const served = await serve(t);
  const { ask, waiting } = openMany(t, served);
  const asked = [await ask("/var/log"), await ask("/var/log")];
  const page = await openPage(t, served);
  await page.getByRole("link", { name: "Review together" }).click();
  const approve = page.getByRole("button", { name: /^Approve 2 once/ });
  await approve.waitFor();
  await approve.evaluate((button) => (button as unknown as { click(): void }).click());
  await later(page, 600);
  await approve.evaluate((button) => (button as unknown as { click(): void }).click());
  await later(page, 300);
  assert.deepEqual(
    await waiting(),
    asked.map(({ id }) => id),
  );
  await approve.click();
  await page.getByText("2 approved once.").waitFor();
});
