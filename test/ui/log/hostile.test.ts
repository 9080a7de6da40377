import assert from "node:assert/strict";
import test from "node:test";
import type { Page } from "playwright-core";
import { newAsker } from "../../fixtures/asking.ts";
import { goTo, newPage, noBrowser, openPage, serveTo } from "../fixture.ts";

const markup = `<b>bold</b><img src="x" onerror="globalThis.pwned = true"><script>globalThis.pwned = true</script>`;
const reordered = "\u202egpj.exe\u202c\u200b\u0000\u001b[2J";
const hostile = `${markup}${reordered}`;

/** What acts on a screen: controls, what is not seen, what turns text around. Line feeds and tabs are the layout's. */
const unsafe = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\t]]/v;

async function look(page: Page, selector: string): Promise<void> {
  await page.locator(selector).first().waitFor();
  assert.equal(await page.locator("main :is(img, script, b, iframe, style)").count(), 0, "no element of it");
  assert.equal(await page.evaluate("globalThis.pwned"), undefined);
  const texts =
    (await page.evaluate(`[document.body.innerText, ...[...document.querySelectorAll("*")].flatMap((element) =>
    ["title", "aria-label", "placeholder"].map((name) => element.getAttribute(name) ?? ""))].join("\\n")`)) as string;
  assert.doesNotMatch(texts, unsafe);
  assert.ok(texts.includes("<b>bold</b>"), "it is shown as what it is");
}

test("nothing that an agent wrote acts on the page", { skip: noBrowser }, async (t) => {
  const asker = newAsker(t);
  const session = `s ${markup}\u202e`;
  asker.run(["call", "Exec", JSON.stringify({ argv: ["/bin/echo", hostile.replace("\0", "")] }), "--session", session]);
  asker.run([
    "call",
    `Tool${hostile.replace("\0", "")}`,
    JSON.stringify({ [hostile]: [hostile, { deep: hostile }], script: `a\n${hostile}` }),
  ]);
  const page = await openPage(t, await serveTo(t, asker), { at: "#/log" });
  await look(page, ".entry");
  const links = await page
    .locator("a.entry")
    .evaluateAll((rows) => [...new Set(rows.map((row) => String(row.getAttribute("href"))))]);
  assert.equal(links.length, 2);
  for (const link of links) {
    await goTo(page, link);
    await look(page, ".chapter");
    await page.locator("details").evaluateAll((all) => all.forEach((one) => one.setAttribute("open", "")));
    await look(page, "details.raw pre");
  }
  await goTo(page, "#/sessions");
  await look(page, ".session");
  await goTo(page, `#/log?${new URLSearchParams({ session }).toString()}`);
  await look(page, ".entry");
});

test("control: the same text as markup would have acted", { skip: noBrowser }, async (t) => {
  const page = await newPage(t, { expect: /./ });
  await page.setContent("<main></main>");
  await page.locator("main").evaluate((main, text) => Object.assign(main, { innerHTML: text }), hostile);
  await page.waitForFunction("globalThis.pwned === true");
  assert.ok((await page.locator("main :is(img, script, b)").count()) > 0);
  assert.match(String(await page.evaluate("document.body.innerText")), unsafe);
});
