// What becomes of a session's work elsewhere while a person looks at it on the page, and a diff that is too large to draw at once.

import assert from "node:assert/strict";
import test from "node:test";
import { newChanger } from "../../fixtures/changed-session.ts";
import { isFull } from "../../fixtures/runs.ts";
import { noBrowser, openPage, serveTo, untilArmed } from "../fixture.ts";

const skip = noBrowser;

// The first is the control: if nothing happens meanwhile, the same yes lands.
const meanwhile = [
  ["nothing happens", null, "Landed"],
  ["it is discarded", ["discard", "fix", "--yes"], "Nothing has landed"],
  ["it lands on another branch", ["land", "fix", "--branch", "other", "--yes"], "Nothing has landed"],
] as const;
const ways = ["As one commit on a branch", "Into the files here, without a commit"];

for (const [at, [what, words, end]] of meanwhile.entries())
  for (const way of isFull ? ways : ways.filter((_, index) => index === at % 2))
    test(`${what} before the yes to: ${way}`, { skip }, async (t) => {
      const person = newChanger(t, { "a.txt": "one\n" });
      person.bash("fix", "echo two >> a.txt");
      const served = await serveTo(t, person);
      const looking = await openPage(t, served, { at: "#/changes" });
      await looking.getByRole("link", { name: /^fix/ }).click();
      await looking.getByRole("heading", { level: 1, name: "fix" }).waitFor();
      const hash = (await looking.evaluate("location.hash")) as string;
      const page = await openPage(t, served, { at: hash });
      await page.getByRole("radio", { name: way }).check();
      await untilArmed(page);
      await page.getByRole("button", { name: "Show what would land" }).click();
      await page.getByRole("heading", { name: "Your answer" }).waitFor();
      if (words !== null) {
        const done = person.changes(...words);
        assert.equal(done.code, 0, done.out + done.err);
        await looking.getByRole("heading", { name: "Nothing of this session is left to land" }).waitFor();
      }
      const before = person.git("for-each-ref") + person.read("a.txt");
      await page.locator(".diff").scrollIntoViewIfNeeded();
      await page.locator(".diff").getByText("two").first().waitFor();
      await untilArmed(page);
      await page.locator("button[data-allow]").click();
      await page.getByRole("heading", { name: end }).waitFor();
      const isSame = person.git("for-each-ref") + person.read("a.txt") === before;
      assert.equal(isSame, words !== null, "all of it lands, or nothing");
      if (words === null) return;
      assert.match(await page.locator(".answer .problem").innerText(), /\S/);
      await page.getByRole("link", { name: "Back to the changes", exact: true }).click();
      await page.getByRole("heading", { name: "Nothing of this session is left to land" }).waitFor();
    });

test("a diff of two thousand files and a file of 300,000 lines open", { skip }, async (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("huge", 'mkdir many; for n in $(seq 2000); do echo "$n" > "many/$n"; done; seq 300000 > long.txt');
  const served = await serveTo(t, person);
  const page = await openPage(t, served, { at: "#/changes" });
  const row = page.getByRole("link", { name: /^huge/ });
  await row.waitFor();
  assert.match(await row.innerText(), /2001 files/);
  await row.click();
  await page.getByRole("heading", { level: 1, name: "huge" }).waitFor();
  await page.locator(".diff").scrollIntoViewIfNeeded();
  await page.locator(".diff").getByText("long.txt").first().waitFor();
  const drawn = (await page.evaluate("document.querySelectorAll('*').length")) as number;
  assert.ok(drawn < 40_000, `${drawn} elements: of the lines, only those near the screen are drawn`);
});
