// An answer for longer than once shows what else it answers, and answers it.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
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

test(
  "a ready-made width is chosen, not typed: its rule stands below, and what it opens beside it",
  { skip },
  async (t) => {
    const served = await serve(t);
    const page = await openPage(t, served);
    const { outside } = served.asker;
    const calls = ["one", "two"].map((name) => {
      mkdirSync(join(outside, name));
      return served.asker.begin(["exec", "--cwd", join(outside, name), "--", "pwd"]);
    });
    const rows = page.locator("a.queue-row");
    await rows.nth(1).waitFor();
    await rows.first().click();
    await page.getByRole("heading", { name: "Your answer" }).waitFor();
    assert.equal(await page.getByText("It also answers").count(), 0, "exactly this answers nothing else");
    await untilArmed(page);
    await page.getByRole("button", { name: /^Always in this project/ }).click();
    const [exact, around] = [
      page.getByRole("radio", { name: /^Exactly this/ }),
      page.getByRole("radio", { name: /^The directory around it/ }),
    ];
    assert.equal(await exact.isChecked(), true);
    assert.deepEqual(await axeProblems(page), []);
    await around.check();
    const kept = `{ decide: allow, effect: read, path: ${outside} }`;
    assert.equal(await page.getByRole("textbox").inputValue(), kept);
    await page.getByText("It also answers 1 waiting question.").waitFor();
    await page.getByRole("textbox").fill(kept.replace(" }", ", because: logs }"));
    assert.deepEqual(
      [await exact.isChecked(), await around.isChecked()],
      [false, false],
      "an edited rule is none of them",
    );
    await around.check();
    await untilArmed(page);
    await page.getByRole("button", { name: "Keep and approve" }).click();
    await page.getByText("1 other question was answered with it.").waitFor();
    for (const { done } of calls) assert.equal((await done).code, 0);
    assert.equal(served.asker.run(["exec", "--cwd", outside, "--", "pwd"]).code, 0, "the directory itself");
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
