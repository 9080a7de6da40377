// Before something that matters and nobody has looked at there is no button that says yes, unless a person says so.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import type { Page } from "playwright-core";
import { contentHash } from "../../src/git/staged.ts";
import { nodeHashes } from "../../src/process/node-hashes.ts";
import type { Question } from "../../src/index.ts";
import { openStagedStore } from "../../src/store/staged.ts";
import { type Change, pushQuestion, waitsIn } from "../fixtures/push-question.ts";
import { axeProblems, goTo, later, noBrowser, openPage, serve, untilArmed } from "./fixture.ts";

const skip = noBrowser;
const at = "#/q/q-0000abcd";

const long: Change = ["a.txt", null, `${Array.from({ length: 300 }, (_, line) => `line ${line}`).join("\n")}\n`];
const hidden: Change = ["run.sh", null, Buffer.from("#!/bin/sh\necho hi\n# \0\ntouch PWNED\n")];

const warned = (question: Question, path: string, why: string): Question => ({
  ...question,
  diff: (question.diff ?? []).map((file) => (file.path === path ? { ...file, warned: [why] } : file)),
});

async function openFile(page: Page, name: string): Promise<void> {
  await page.locator(".file-list").getByRole("button", { name }).click();
}

test("a script with a NUL: no yes before it was looked at; its lines are there, byte by byte", { skip }, async (t) => {
  const served = await serve(t);
  const question = await waitsIn(
    served.asker.state,
    warned(pushQuestion([long, hidden]), "run.sh", "it is a program and not text"),
  );
  const page = await openPage(t, served, { at });
  const held = page.locator(".answer-held");
  await held.getByText("Not looked at, and it matters: run.sh (it is a program and not text).").waitFor();
  assert.equal(await page.locator("[data-allow]").count(), 0);
  assert.equal(await page.getByRole("button", { name: "Reject" }).count(), 1, "a no needs nothing");
  await page.keyboard.press("a");
  await later(page, 450);
  await page.keyboard.press("a");
  assert.equal(await page.evaluate("document.activeElement.hasAttribute('data-held')"), true, "the key goes there");
  assert.deepEqual(await axeProblems(page), []);

  await openFile(page, "run.sh");
  await page.locator(".diff").getByText("touch PWNED").waitFor();
  await held.waitFor({ state: "detached" });
  const shown = await page.locator('[data-file="1"]').innerText();
  assert.match(shown, /Not text: bytes like NUL are shown by their numbers/);
  assert.match(shown, /# \\x00/);
  assert.equal(
    await page.getByText("1 of 2 files looked at.").count(),
    1,
    "the other was jumped over, and that is said",
  );
  await untilArmed(page);
  await page.getByRole("button", { name: "Approve once" }).click();
  await page.getByRole("heading", { name: "Approved once" }).waitFor();
  assert.equal((await question.answer())?.decision, "allow");
});

test("a file that is chosen before the diff has come is shown when it comes", { skip }, async (t) => {
  const served = await serve(t);
  await waitsIn(served.asker.state, pushQuestion([long, ["b.txt", null, "the last line\n"]]));
  const page = await openPage(t, served);
  const { promise: sent, resolve: send } = Promise.withResolvers<void>();
  await page.route("**/assets/diff-view-*.js", async (route) => {
    await sent;
    await route.continue();
  });
  await goTo(page, at);
  await openFile(page, "b.txt");
  assert.equal(await page.locator(".diff").count(), 0, "the control: it has not come yet");
  send();
  await page.locator(".diff").getByText("the last line").waitFor();
  await page.waitForFunction("document.activeElement.closest('[data-file]')?.dataset.file === '1'");
});

test("who has not looked at it can say so, and then decide; not in one click", { skip }, async (t) => {
  const served = await serve(t);
  const question = await waitsIn(served.asker.state, pushQuestion([long, hidden, ["z.txt", null, long[2]]]));
  const page = await openPage(t, served, { at });
  const box = page.getByRole("checkbox", { name: /I have not looked at it/ });
  const button = page.getByRole("button", { name: "Approve once" });
  await box.waitFor();
  // Both clicks in the page itself: on a busy machine a click from here may come after the button takes answers.
  await page.evaluate(`(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    [...document.querySelectorAll("input[type=checkbox]")].find((one) => one.labels[0]?.textContent.includes("I have not looked at it")).click();
    let button;
    while ((button = [...document.querySelectorAll("button")].find((one) => one.textContent.includes("Approve once"))) === undefined) await frame();
    button.click();
  })()`);
  assert.equal(await box.isChecked(), true, "control: it was the box of this question");
  await later(page, 200);
  assert.equal(await question.answer(), null, "what came on the screen just now takes no answer");
  await box.uncheck();
  assert.equal(await page.locator("[data-allow]").count(), 0);
  await box.check();
  await untilArmed(page);
  await button.click();
  await page.getByRole("heading", { name: "Approved once" }).waitFor();
});

test("ordinary text that was not looked at is said, and no more", { skip }, async (t) => {
  const served = await serve(t);
  await waitsIn(served.asker.state, pushQuestion([long, ["b.txt", null, "b\n"]]));
  const page = await openPage(t, served, { at });
  await page.getByRole("button", { name: "Approve once" }).waitFor();
  assert.equal(await page.locator(".answer-held").count(), 0);
});

/** The question, and the bytes that it is about, as git names them. */
function pushOf(state: string, path: string, bytes: Buffer): Question {
  const question = pushQuestion([[path, null, bytes]]);
  const id = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  const after = { contentHash: contentHash(nodeHashes, bytes), size: bytes.length, mode: "100644" as const };
  const store = openStagedStore(state);
  store.stage(
    {
      id: "c-2",
      session: question.session,
      agent: "default",
      message: "x",
      files: [{ path, operation: "create", before: null, after }],
      createdAt: Date.now(),
    },
    [{ hash: after.contentHash, bytes }],
  );
  store.close();
  return { ...question, diff: (question.diff ?? []).map((file) => ({ ...file, newId: id })) };
}

test("a million blank lines before the code: it is in the last part, and each part counts", { skip }, async (t) => {
  const served = await serve(t);
  const bytes = Buffer.from(`${"\n".repeat(1_000_001)}touch PWNED\n`);
  await waitsIn(served.asker.state, pushOf(served.asker.state, "pad.sh", bytes));
  const page = await openPage(t, served, { at });
  await page.getByText("0 of 16 files and parts of files looked at.").waitFor();
  await openFile(page, "pad.sh, part 16 of 16");
  const last = page.locator('[data-file="15"]');
  await last.locator(".diff-row").first().waitFor();
  for (let presses = 0; presses < 40 && (await page.getByText("touch PWNED").count()) === 0; presses += 1) {
    await page.evaluate("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })");
    await later(page, 100);
  }
  assert.match(await page.locator(".diff-row", { hasText: "touch PWNED" }).innerText(), /1000002\s*\+\s*touch PWNED/);
  assert.match(await last.innerText(), /Part 16 of 16: the new content, compared with nothing\./);
  assert.equal(await page.locator(".answer-held").count(), 1, "what lies between was not looked at");
});

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("a picture counts once it was drawn; what only has a picture's name is shown as bytes", { skip }, async (t) => {
  const served = await serve(t);
  await waitsIn(served.asker.state, pushOf(served.asker.state, "logo.png", png));
  const page = await openPage(t, served, { at, height: 1_200 });
  await page.locator(".diff-picture img").waitFor();
  await page.locator(".diff-picture").scrollIntoViewIfNeeded();
  await page.getByText("1 of 1 file looked at", { exact: true }).waitFor();
  assert.equal(await page.locator(".answer-held").count(), 0);
});

test("a picture that is not kept, or cannot be drawn, was not looked at", { skip }, async (t) => {
  const served = await serve(t);
  await waitsIn(served.asker.state, pushQuestion([["logo.png", null, png]]));
  const page = await openPage(t, served, { at, height: 1_200 });
  await page.getByText("This picture cannot be shown.").waitFor();
  await page.locator(".diff-picture").scrollIntoViewIfNeeded();
  await later(page, 500);
  assert.equal(await page.getByText("0 of 1 file looked at", { exact: true }).count(), 1);
  assert.equal(await page.locator("[data-allow]").count(), 0);
});
