import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { type Change, diffOf, pushQuestion, waitsIn } from "../../fixtures/push-question.ts";
import { runs } from "../../fixtures/runs.ts";
import { axeProblems, goTo, later, noBrowser, openPage, serve } from "../fixture.ts";
import { openDiff } from "./diff-page.ts";
import { readAll, settled, until } from "./read-rows.ts";

const skip = noBrowser;
const minifiedOf = (count: number): Change => ["min.js", null, `${"var a=1;".repeat(count)}evil_min()\n`];
const minified = minifiedOf(40_000);
const hidden: Change = [
  "one.js",
  null,
  `first();\n${"harmless(); ".repeat(300)}evil_at_end();\nok();${"\t".repeat(200)}evil_tabs();\nlast();\n`,
];
const tabs: Change = ["tabs.js", null, `ok();${"\t".repeat(200)}evil_tabs();\n`];
const ordinary: Change = ["z.ts", "const a = 1;\nkeep();\n", "const a = 2;\nkeep();\n"];

const seen = async (page: Page): Promise<number[]> =>
  ((await page.evaluate("seen")) as number[]).toSorted((one, other) => one - other);

/** In view: not under anything, from its first letter to its last. */
const isInView = (text: string) => `(() => {
  const walk = document.createTreeWalker(document.querySelector(".diff"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const at = walk.currentNode.data.indexOf(${JSON.stringify(text)});
    if (at < 0) continue;
    return [at, at + ${text.length - 1}].every((letter) => {
      const range = document.createRange();
      range.setStart(walk.currentNode, letter);
      range.setEnd(walk.currentNode, letter + 1);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return there !== null && walk.currentNode.parentNode.closest(".diff-row").contains(there);
    });
  }
  return false;
})()`;

/** By the key, until nothing is left. Whether each of the texts was in view at some time. */
async function lookAtAll(page: Page, texts: readonly string[]): Promise<readonly boolean[]> {
  const were = texts.map(() => false);
  for (let press = 0; press < 400; press += 1) {
    const [isEnd, ...are] = (await page.evaluate(
      `[document.querySelector(".diff-left[aria-disabled]") !== null, ${texts.map(isInView).join(", ")}]`,
    )) as [boolean, ...boolean[]];
    for (const [at, is] of are.entries()) were[at] ||= is;
    if (isEnd) return were;
    await page.keyboard.press("u");
    await settled(page);
    await settled(page);
  }
  throw new Error("there is always something left");
}

for (const [width, isWrapped] of [
  [360, true],
  [2_000, true],
  [1280, false],
] as const)
  test(
    `what is cut off counts when it was there: ${width} px, ${isWrapped ? "" : "not "}wrapped`,
    { skip },
    async (t) => {
      const page = await openDiff(
        t,
        diffOf([minifiedOf(width < 500 ? 5_000 : runs(40_000, 10_000)), hidden, ordinary]),
        {
          width,
          isWrapped,
        },
      );
      const ends = ["evil_min", "evil_at_end"];
      await readAll(page, async () => {
        assert.deepEqual(await page.evaluate(`[${ends.map(isInView).join(", ")}]`), [false, false]);
      });
      assert.deepEqual(await seen(page), [2], "only the ordinary file: the control");
      assert.equal(await page.locator(".diff-left").textContent(), "2 not looked at");
      await page.evaluate("scrollTo(0, 0)");
      await settled(page);
      const words = isWrapped ? /^line 1 is longer( than what is shown)?$/ : /^line 1 goes on( to the right)?$/;
      const why = page.locator('[data-file="0"] .diff-unseen');
      assert.match(await why.innerText(), words);
      // Its end alone is not all of it.
      await page.evaluate(`document.querySelector('[data-file="0"] .diff-more').click()`);
      await settled(page);
      assert.equal(await page.locator('[data-file="0"] .diff-more').count(), 0);
      await page.evaluate("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })");
      await settled(page);
      assert.deepEqual(await seen(page), [2]);
      assert.deepEqual(await lookAtAll(page, ends), [true, true]);
      assert.deepEqual(await seen(page), [0, 1, 2]);
    },
  );

test("without wrapping, what is far to the right counts when one has been there", { skip }, async (t) => {
  const page = await openDiff(t, diffOf([tabs, ordinary]), { width: 1280, isWrapped: false });
  await readAll(page);
  assert.deepEqual(await seen(page), [1]);
  const row = page.locator('[data-file="0"] [data-line="0"]');
  assert.equal(await row.getAttribute("data-goes-on"), "", "a sign that it goes on");
  assert.match(
    String(await page.evaluate("getComputedStyle(document.querySelector('[data-goes-on]'), '::after').content")),
    /→/,
  );
  assert.equal(await page.locator('[data-file="1"] [data-goes-on]').count(), 0);
  const moveTo = async (place: string) => {
    await page.evaluate(`document.querySelector('[data-file="0"] .diff-pane').scrollLeft = ${place}`);
    await settled(page);
  };
  await page.evaluate("scrollTo(0, 0)");
  await moveTo("1e6");
  assert.equal(await page.evaluate(isInView("evil_tabs")), true);
  assert.equal(await row.getAttribute("data-goes-on"), null);
  assert.deepEqual(await seen(page), [1], "what lies between was jumped over");
  for (let at = 0; at < 8_000; at += 800) await moveTo(String(at));
  assert.deepEqual(await seen(page), [0, 1]);
});

test("out of view, the way to the right does not count; wrapped, it counts as it is read", { skip }, async (t) => {
  const below = ["z.txt", null, "line\n".repeat(200)] as const;
  const page = await openDiff(t, diffOf([tabs, below]), { width: 1280, isWrapped: false });
  await settled(page);
  await page.evaluate("scrollTo(0, 350)");
  await settled(page);
  for (let at = 0; at < 8_000; at += 500) {
    await page.evaluate(`document.querySelector('[data-file="0"] .diff-pane').scrollLeft = ${at}`);
    await settled(page);
  }
  assert.deepEqual(await seen(page), []);
  await page.keyboard.press("w");
  await readAll(page);
  assert.deepEqual(await seen(page), [0, 1]);
  assert.equal(await page.locator("[data-goes-on]").count(), 0);
});

test("300,000 blanks before something are one sign, and what comes after them is a press away", { skip }, async (t) => {
  const page = await openDiff(t, diffOf([["a.js", null, `ok();${" ".repeat(300_000)}evil_blank();\n`]]), {});
  await settled(page);
  assert.deepEqual(await seen(page), []);
  await page.keyboard.press("u");
  await settled(page);
  assert.match(await page.locator(".diff-panes").innerText(), /ok\(\);␣×300,000[\s\S]*evil_blank\(\);/);
  assert.deepEqual(await seen(page), [0]);
  assert.match((await page.locator(".diff-left").textContent()) ?? "", /^All/);
});

test("a line of 320,000 characters, shown whole, is few elements wherever one is", { skip }, async (t) => {
  const page = await openDiff(t, diffOf([minified]), { width: 1280 });
  await settled(page);
  await page.locator(".diff-more").click();
  await settled(page);
  for (const share of [0, 0.3, 0.7, 1]) {
    await page.evaluate(`scrollTo({ top: ${share} * document.documentElement.scrollHeight, behavior: "instant" })`);
    await settled(page);
    const length = (await page.evaluate("document.querySelector('.diff').textContent.length")) as number;
    assert.ok(length > 2_000 && length < 40_000, `${length} characters at ${share}`);
  }
  assert.equal(await page.evaluate(isInView("evil_min")), true);
  assert.deepEqual(await seen(page), [], "four places of it are not all of it");
});

test("what is found in a part that is not shown is shown", { skip }, async (t) => {
  const page = await openDiff(t, diffOf([minified, ordinary]), { width: 1280 });
  await settled(page);
  await page.getByRole("searchbox").fill("evil_min");
  await page.locator(".is-current mark").waitFor();
  await later(page, 300);
  assert.equal(await page.evaluate(isInView("evil_min")), true);
});

test("the caution beside the answer stays until the ends were there", { skip }, async (t) => {
  const served = await serve(t);
  await waitsIn(served.asker.state, pushQuestion([tabs, ["long.js", null, `${"ok(); ".repeat(600)}evil_at_end();\n`]]));
  const page = await openPage(t, served, { height: 1_000 });
  await goTo(page, "#/q/q-0000abcd");
  await page.locator(".diff-row").first().waitFor();
  await readAll(page);
  await page.locator(".answer-caution").filter({ hasText: "1 of 2 files looked at." }).waitFor();
  await page.keyboard.press("u");
  await until(page, "document.querySelector('.answer-caution') === null");
});

for (const [scheme, width, isWrapped] of [
  ["light", 1280, false],
  ["dark", 360, true],
] as const)
  test(`axe finds nothing: ${scheme}, ${width} wide, ${isWrapped ? "cut" : "to the right"}`, { skip }, async (t) => {
    const page = await openDiff(t, diffOf([hidden, ordinary]), { width, scheme, isWrapped, height: 1_600 });
    await settled(page);
    await page.locator(".diff-unseen").waitFor();
    await later(page, 300);
    assert.deepEqual(await axeProblems(page), []);
    const wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    assert.equal(wide, 0);
  });
