// After a yes to a push the page says what came of it: where it landed, or why it did not.

import assert from "node:assert/strict";
import test from "node:test";
import type { Page } from "playwright-core";
import { newPusher } from "../fixtures/waiting-push.ts";
import { axeProblems, noBrowser, openPage, serveTo, untilArmed } from "./fixture.ts";

const skip = noBrowser;

/** The commit is in the list before anybody asks to push it. */
async function openPush(page: Page): Promise<void> {
  await page.locator("a.queue-row", { hasText: "push to" }).click();
  await page.getByRole("heading", { name: "Your answer" }).waitFor();
  await untilArmed(page);
}

test(
  "it landed: on which branch, as which commit, with a link to the call; and a refusal after a yes says why",
  { skip },
  async (t) => {
    const pusher = newPusher(t);
    const served = await serveTo(t, pusher);
    const page = await openPage(t, served);
    const first = pusher.push("one\n");
    await openPush(page);
    await page.getByRole("button", { name: "Approve once" }).click();
    await page.getByRole("heading", { name: "Approved once" }).waitFor();
    const end = page.locator(".call-end");
    await end.getByText(/^It landed on branch work of /).waitFor();
    assert.equal((await first).code, 0);
    const landed = pusher.head("work");
    assert.ok((await end.innerText()).endsWith(`${pusher.repository} as ${landed.slice(0, 12)}.`));
    assert.deepEqual(await axeProblems(page), []);
    await page.getByRole("link", { name: "The call in the log" }).click();
    await page.getByText(landed.slice(0, 12)).first().waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "Back to the queue" }).click();

    const second = pusher.push("two\n");
    await openPush(page);
    pusher.moveOn("work");
    const meanwhile = pusher.head("work");
    await page.getByRole("button", { name: "Approve once" }).click();
    await page.getByRole("heading", { name: "Approved once" }).waitFor();
    await page
      .locator(".call-end.notice")
      .getByText(/^It failed: .*work/)
      .waitFor();
    assert.notEqual((await second).code, 0);
    assert.equal(pusher.head("work"), meanwhile);
    assert.equal(await page.getByText(/^It landed/).count(), 0);
  },
);
