// What an agent left in a draft stays text on the page: names of files, messages of commits, and diffs of any size.
// `hostile.test.ts` of the folder above has the control that the same markup runs where it is not text.

import assert from "node:assert/strict";
import test from "node:test";
import type { Page } from "playwright-core";
import { type Changer, newChanger } from "../../fixtures/changed-session.ts";
import { later, newPage, noBrowser, openPage, serveTo, untilArmed } from "../fixture.ts";

const skip = noBrowser;

const script = "<img src=x onerror=document.title='ran'><script>document.title='ran'</script>";
/** No slash may be in a name. */
const markup = script.replaceAll("/", "");
const reordering = "a\u202etxt.exe";
const long = "W".repeat(250);
const message = `${script} \u202egnp.exe\u001b[2J\u0007 ${"V".repeat(5_000)}\n\n${script}\n\u202e\u2066`;

/** The names that a commit can hold, and one with a line break, which it cannot. */
const names = [`${reordering}.md`, `${markup}.md`, `d/${long}`, " blank", "раypal.md"];
const split = "two\nlines.md";

function attack(person: Changer, session: string): void {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  person.bash(
    session,
    [
      "mkdir -p d",
      ...names.map((name) => `printf '%s\\n' ${quoted(`${script}\u202e`)} > ${quoted(name)}`),
      `git add -A && git commit -qm ${quoted(message)}`,
      `echo x > ${quoted(split)}`,
    ].join("\n"),
  );
}

async function isInert(page: Page, where: string): Promise<string> {
  await later(page, 300);
  const shown = (await page.evaluate("document.body.innerText")) as string;
  for (const character of ["\u202e", "\u2066", "\u001b", "\u0007"])
    assert.ok(!shown.includes(character), `${where}: ${character.codePointAt(0)?.toString(16)}`);
  assert.doesNotMatch(await page.title(), /ran/, where);
  assert.equal(await page.locator("main script, main img").count(), 0, where);
  const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  assert.equal(await page.evaluate(overflow), 0, `${where} is as wide as the window`);
  return shown;
}

test("the control: the name as markup runs, and as it is it reorders the text behind it", { skip }, async (t) => {
  const page = await newPage(t, { expect: /./ });
  await page.setContent(`<title>still</title>${markup}`);
  await page.waitForFunction("document.title === 'ran'");
  // Drawn from right to left: the last letter is left of the first one behind the mark.
  await page.setContent(`<p>${reordering}</p>`);
  const isReordered = (await page.evaluate(`(() => {
    const text = document.querySelector("p").firstChild;
    const left = (at) => { const range = document.createRange(); range.setStart(text, at); range.setEnd(text, at + 1); return range.getBoundingClientRect().left; };
    return left(text.length - 1) < left(2);
  })()`)) as boolean;
  assert.ok(isReordered);
});

for (const width of [360, 1280])
  test(`hostile names and messages are inert from the list to the landing, at ${width} px`, { skip }, async (t) => {
    const person = newChanger(t, { "a.txt": "one\n" });
    attack(person, "odd");
    const served = await serveTo(t, person);
    const page = await openPage(t, served, { width, at: "#/changes" });
    await page.getByRole("link", { name: /^odd/ }).click();
    await page.getByRole("heading", { level: 1, name: "odd" }).waitFor();
    const session = await isInert(page, "the session");
    assert.ok(session.includes(script.slice(0, 40)), "the message is text");
    assert.match(session, /\\u\{?202e/, "what would reorder is named");
    assert.doesNotMatch(session, /lines\.md/, "no commit can hold the name");

    for (const way of ["As the commit made inside", "Into the files here, without a commit"]) {
      await page.getByRole("radio", { name: way }).check();
      await untilArmed(page);
      await page.getByRole("button", { name: "Show what would land" }).click();
      await page.getByRole("heading", { name: "Your answer" }).waitFor();
      const landing = await isInert(page, way);
      assert.match(landing, /\\u\{?202e/);
      await page.getByRole("link", { name: "← Back to the changes" }).click();
      await page.getByRole("heading", { level: 1, name: "odd" }).waitFor();
    }
  });
