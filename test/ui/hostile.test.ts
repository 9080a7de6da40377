// What an agent wrote stays text: it cannot run, move, reorder or hide anything on the page.

import assert from "node:assert/strict";
import test from "node:test";
import { pushQuestion, waitsIn } from "../fixtures/push-question.ts";
import { goTo, later, newPage, noBrowser, openPage, serve } from "./fixture.ts";
import { stageCommit } from "./waiting.ts";

const skip = noBrowser;

const script = '<script>document.title="ran"</script><img src=x onerror=\'document.title="ran"\'>';
const hidden = "a\u202etxt.exe\u2066\u200b\u001b[2J\u0007";
const long = "W".repeat(6_000);
const hostile = `${script}${hidden}${long}`;

test("the control: the same text as markup runs, where no policy forbids it", { skip }, async (t) => {
  const page = await newPage(t, { expect: /./ });
  await page.setContent(`<title>still</title>${script}`);
  await page.waitForFunction("document.title === 'ran'");
});

for (const width of [360, 1280])
  test(`hostile names, messages, branches and commands are shown inert, at ${width} px`, { skip }, async (t) => {
    const served = await serve(t);
    const { asker } = served;
    await waitsIn(
      asker.state,
      pushQuestion([[`${script}${hidden}.md`, null, `${hostile}\n`]], {
        message: `${hostile}\n\n\n\n${hidden}`,
        branch: hidden + script,
        author: hostile,
        place: `/x/${hostile}`,
        warnings: [hostile],
      }),
    );
    stageCommit(asker.state, "c-1", hostile, `${hidden}.md`, hostile);
    asker.begin([
      "call",
      "Exec",
      JSON.stringify({ argv: ["/usr/bin/echo", hostile.replaceAll("\0", "")], cwd: asker.outside }),
    ]);
    const page = await openPage(t, served, { width });
    await page.locator("a.queue-row").nth(2).waitFor();
    const links = (await page.evaluate(
      "[...document.querySelectorAll('a.queue-row')].map(({ hash }) => hash)",
    )) as string[];
    for (const hash of ["#/", ...links]) {
      await goTo(page, hash);
      await page.locator("h1").first().waitFor();
      await later(page, 300);
      const shown = (await page.evaluate("document.body.innerText")) as string;
      assert.ok(shown.includes("<script>"), "it is text");
      assert.match(shown, /\\u\{?202e/, "what would reorder is named");
      for (const character of hidden.match(/[^a-zA-Z.[\d]/gu) ?? []) assert.ok(!shown.includes(character));
      assert.doesNotMatch(await page.title(), /ran/);
      assert.equal(await page.locator("main script, main img").count(), 0);
      const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      assert.equal(await page.evaluate(overflow), 0, `${hash} is as wide as the window`);
    }
  });
