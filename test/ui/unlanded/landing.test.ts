// What a session has not landed, on the page: seen live, landed, discarded and restored by a person.

import assert from "node:assert/strict";
import test from "node:test";
import { newChanger } from "../../fixtures/changed-session.ts";
import { axeProblems, noBrowser, openPage, serveTo, untilArmed } from "../fixture.ts";

const skip = noBrowser;

// Colours go by the scheme, places by the width: each of them once.
for (const [scheme, width] of [
  ["light", 1280],
  ["dark", 380],
] as const)
  test(`from the list to a commit on a branch, and into the files, ${scheme}, at ${width} px`, { skip }, async (t) => {
    const person = newChanger(t, { "a.txt": "one\n", "b.txt": "b\n" });
    person.bash("fix-login", "echo two >> a.txt; git commit -qam 'Say two'; echo n > new.txt");
    const served = await serveTo(t, person);
    const page = await openPage(t, served, { scheme, width, at: "#/changes" });
    const check = async (what: string) => {
      assert.deepEqual(await axeProblems(page), [], what);
      const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      assert.equal(await page.evaluate(overflow), 0, `${what} is as wide as the window`);
    };
    /** Lines are drawn only near the screen. */
    const inDiff = async (text: string) => {
      await page.locator(".diff").scrollIntoViewIfNeeded();
      await page.locator(".diff").getByText(text).waitFor();
    };
    const row = page.getByRole("link", { name: /fix-login/ });
    await row.waitFor();
    assert.match(await row.innerText(), /2 files[^]*\+2 −0[^]*default[^]*1 commit inside/);
    await check("the list");
    await row.click();
    await page.getByRole("heading", { level: 1, name: "fix-login" }).waitFor();
    await page.getByText("Say two").waitFor();
    await inDiff("two");
    await check("a session");

    // The session goes on: the page shows it, and says so.
    person.bash("fix-login", "echo three >> a.txt");
    await page.getByText("The session has gone on").waitFor();
    await inDiff("three");
    await check("a session that went on");

    await untilArmed(page);
    await page.getByRole("textbox", { name: "Branch" }).fill("topic");
    await page.getByRole("textbox", { name: "Message" }).fill("Say two and three");
    await page.getByRole("button", { name: "Show what would land" }).click();
    await page.getByRole("heading", { level: 1, name: "Land 1 commit on topic" }).waitFor();
    await inDiff("three");
    await check("a landing on a branch");
    assert.equal(person.git("branch", "--list", "topic"), "");
    await untilArmed(page);
    await page.getByRole("button", { name: "Land this commit" }).click();
    await page.getByRole("heading", { name: "Landed" }).waitFor();
    await check("landed");
    assert.equal(person.git("show", "topic:a.txt"), "one\ntwo\nthree\n");
    assert.equal(person.git("log", "--format=%an %s", "-1", "topic"), "Ann Say two and three\n");
    await page.getByRole("link", { name: "Back to the list" }).click();
    await page.getByText("No session has work that has not landed.").waitFor();
    await check("the empty list");

    // Into the files, where the person has changed the same line.
    person.bash("other", "echo agent > b.txt");
    person.write("b.txt", "mine\n");
    await page.getByRole("link", { name: /^other/ }).click();
    await page.getByRole("radio", { name: "Into the files here, without a commit" }).check();
    await untilArmed(page);
    await page.getByRole("button", { name: "Show what would land" }).click();
    await page.getByText("Conflict with your changes.").waitFor();
    await inDiff("<<<<<<< here");
    await check("a landing in the files");
    await untilArmed(page);
    await page.getByRole("button", { name: "Leave it" }).click();
    await page.getByRole("heading", { name: "Left as it is" }).waitFor();
    assert.equal(person.read("b.txt"), "mine\n");

    // Discarded, and taken back.
    await page.getByRole("link", { name: "Back to the changes", exact: true }).click();
    await page.getByRole("button", { name: "Discard…" }).click();
    const dialog = page.getByRole("dialog", { name: /Discard what other has changed/ });
    await dialog.waitFor();
    await check("the dialog");
    await untilArmed(page);
    await dialog.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("heading", { name: "Discarded within the last day" }).waitFor();
    await check("discarded");
    assert.match(person.changes("list").out, /^No session has work/);
    await page.getByRole("button", { name: "Restore other" }).click();
    await page.getByRole("link", { name: /^other/ }).waitFor();
  });
