// An answer for longer than once shows what else it answers, and answers it.

import assert from "node:assert/strict";
import test from "node:test";
import { axeProblems, noBrowser, openPage, serve, untilArmed } from "./fixture.ts";

const skip = noBrowser;

test(
  "each longer answer says how many others it answers, the editor lists them, and all calls go on",
  { skip },
  async (t) => {
    const served = await serve(t);
    const page = await openPage(t, served);
    const { exec } = served.asker;
    const calls = ["note", "./note", ".//note"].map((file) => served.asker.begin([...exec.slice(0, -1), file]));
    const rows = page.locator("a.queue-row");
    await rows.nth(2).waitFor();
    await rows.first().click();
    await page.getByRole("heading", { name: "Your answer" }).waitFor();
    await page.getByText("It also answers 2 waiting questions.").first().waitFor();
    assert.equal(
      await page.getByText("It also answers 2 waiting questions.").count(),
      3,
      "session, project, everywhere",
    );
    const once = page.locator('[data-answer="allow-once"]');
    assert.doesNotMatch(await once.innerText(), /also answers/);
    assert.deepEqual(await axeProblems(page), []);
    await untilArmed(page);
    await page.getByRole("button", { name: /^Always in this project/ }).click();
    const list = page.locator(".answer-also-list");
    await list.locator("li").nth(1).waitFor();
    assert.match(await list.innerText(), /It also answers 2 waiting questions\.[\s\S]*cat [./]*note[\s\S]*session /);
    assert.deepEqual(await axeProblems(page), []);
    const rules = page.getByRole("textbox");
    const before = await rules.inputValue();
    await rules.fill(before.replace("/outside", "/outside/none"));
    await list.locator("li").first().waitFor({ state: "detached" });
    await rules.fill(before);
    await list.locator("li").nth(1).waitFor();
    await untilArmed(page);
    await page.getByRole("button", { name: "Keep and approve" }).click();
    await page.getByText("2 other questions were answered with it.").waitFor();
    for (const { done } of calls) assert.match((await done).out, /from outside/);
    await page.getByRole("link", { name: "Back to the queue" }).click();
    await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
    const answered = served.asker.events("approval.answered");
    assert.equal(answered.length, 3);
    const [first] = answered.filter(({ outcome }) => outcome["scope"] === "project");
    assert.deepEqual(
      answered.flatMap(({ outcome }) => (outcome["with"] === undefined ? [] : [outcome["with"]])),
      [first?.outcome["question"], first?.outcome["question"]],
    );
  },
);

test("a question that was answered with another one says so on its page", { skip }, async (t) => {
  const served = await serve(t);
  const page = await openPage(t, served);
  const { exec } = served.asker;
  const calls = ["note", "./note"].map((file) => served.asker.begin([...exec.slice(0, -1), file]));
  const rows = page.locator("a.queue-row");
  await rows.nth(1).waitFor();
  const [, second] = served.asker.waiting();
  const other = await openPage(t, served, { at: `#/q/${second?.id}` });
  await other.getByRole("heading", { name: "Your answer" }).waitFor();
  await rows.first().click();
  await page.getByRole("heading", { name: "Your answer" }).waitFor();
  await untilArmed(page);
  await page.getByRole("button", { name: /^Approve for this session/ }).click();
  await page.getByText("1 other question was answered with it.").waitFor();
  await other.getByText("It came with the answer to another question.").waitFor();
  for (const { done } of calls) await done;
});
