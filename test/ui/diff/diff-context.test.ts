import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { axeProblems, goTo, later, noBrowser, openPage, serve } from "../fixture.ts";
import { diffOf } from "../../fixtures/push-question.ts";
import { stageChange } from "../waiting.ts";
import { openDiff, type ShownFile } from "./diff-page.ts";
import { readAll, rowsNow, settled, until } from "./read-rows.ts";

const skip = noBrowser;
const evil = "<img src=x onerror=alert(1)> \u{202e}turned\u{1b}[2J";
const before = Array.from({ length: 300 }, (_, at) => `const line${at + 1} = ${at}; // ${"word ".repeat(at % 30)}`);
before[60] = evil;
const after = before.toSpliced(200, 1, "changed", "and one more").toSpliced(100, 2);

function shownFile(): ShownFile {
  const whole = after.join("\n");
  const [file] = diffOf([["src/a.ts", before.join("\n"), whole]]);
  return { ...(file as NonNullable<typeof file>), whole };
}

async function press(page: Page, name: RegExp, at = 0): Promise<void> {
  const buttons = page.getByRole("button", { name });
  const rows = async () => Number(await page.locator(".diff-pane").last().getAttribute("aria-rowcount"));
  const count = await rows();
  await buttons.nth(at).click();
  await page.locator(".diff-more[aria-disabled]").first().waitFor({ state: "detached" });
  await settled(page);
  assert.ok((await rows()) >= count);
}

const numbers = async (page: Page, pane = 0): Promise<number[]> =>
  (await rowsNow(page)).filter((row) => row.pane === pane && row.new !== "").map((row) => Number(row.new));

for (const [mode, width, isWrapped] of [
  ["Unified", 360, false],
  ["Side by side", 2_000, true],
] as const)
  test(
    `all of it shown is the whole of both files: ${mode}, ${width} px${isWrapped ? ", wrapped" : ""}`,
    { skip },
    async (t) => {
      const page = await openDiff(t, [shownFile()], { width, isWrapped });
      await settled(page);
      await page.getByRole("button", { name: mode }).click();
      await settled(page);
      for (let left = 3; left > 0; left -= 1) {
        const all = page.getByRole("button", { name: /^all .* left out here$/ });
        while ((await all.count()) === 0) await page.keyboard.press("j");
        await press(page, /^all .* left out here$/);
        await page.evaluate("scrollTo(0, 0)");
        await settled(page);
        if ((await all.count()) === 0) {
          await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
          await settled(page);
        }
      }
      const rows = await readAll(page);
      assert.equal(
        rows.filter(({ isHunk }) => isHunk).length,
        mode === "Unified" ? 1 : 2,
        "one hunk, and nothing left out",
      );
      const shown = (side: "old" | "new") =>
        new Map(rows.filter((row) => row[side] !== "").map((row) => [Number(row[side]), row.code]));
      const wanted = (lines: readonly string[]) =>
        new Map(lines.map((line, at) => [at + 1, line.trimEnd() === "" ? "" : line]));
      // What acts is shown by signs; the rest is as it is.
      for (const [side, lines] of [
        ["old", before],
        ["new", after],
      ] as const) {
        const found = shown(side);
        assert.equal(found.size, lines.length, side);
        for (const [number, line] of wanted(lines))
          if (line !== evil) assert.equal(found.get(number), line, `${side} ${number}`);
        assert.equal(found.get(61), "<img src=x onerror=alert(1)> \\u{202e}turned\\x1b[2J");
      }
      assert.equal(await page.locator(".diff-code img").count(), 0);
      assert.equal(
        await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
        0,
      );
    },
  );

test("twenty at a time, from above and from below; the row that was asked stays in its place", { skip }, async (t) => {
  const page = await openDiff(t, [shownFile()], { width: 1280, height: 1_400 });
  await settled(page);
  await page.getByRole("button", { name: "Unified" }).click();
  await settled(page);
  assert.deepEqual((await numbers(page))[0], 98);
  const y = async (gap: number) => (await page.locator(`[data-gap="${gap}"]`).first().boundingBox())?.y as number;
  const start = await y(0);
  await press(page, /^20 more lines above/, 0);
  assert.equal((await numbers(page))[0], 78);
  assert.equal(await y(0), start);
  await press(page, /^20 more lines below/, 0);
  assert.deepEqual(
    (await numbers(page)).slice(0, 46),
    Array.from({ length: 46 }, (_, at) => 78 + at),
  );
  await press(page, /^20 more lines above/, 1);
  assert.ok((await numbers(page)).includes(176));
  assert.match(await page.locator(".is-hunk").first().innerText(), /@@ -78,48 \+78,46 @@/);
  // Read by keyboard alone: the button keeps the focus as long as it is there.
  await page.locator('[data-gap="0"][data-way="up"]').focus();
  for (const first of [58, 38, 18]) {
    await page.keyboard.press("Enter");
    await page.locator(`.diff-number.is-new`, { hasText: new RegExp(`^${first}$`) }).waitFor();
    assert.equal(await page.evaluate("document.activeElement.dataset.gap"), "0");
  }
  await page.keyboard.press("Enter");
  await page.locator(`.diff-number.is-new`, { hasText: /^1$/ }).waitFor();
  await settled(page);
  assert.equal(await page.evaluate("document.activeElement.className"), "diff-fold");
});

test("what the reader looks at does not move when lines are shown above it", { skip }, async (t) => {
  const page = await openDiff(t, [shownFile()], { width: 1280, height: 500 });
  await settled(page);
  const top = `(() => {
    const edge = document.querySelector(".diff-top").getBoundingClientRect().bottom + 40;
    const row = [...document.querySelectorAll("[data-line]")].find((one) => one.getBoundingClientRect().bottom > edge + 1);
    return row.textContent + " at " + Math.round(row.getBoundingClientRect().top);
  })()`;
  // The button is out of sight, above: it is pressed as a keyboard or a screen reader would.
  await page.evaluate("scrollTo({ top: 260, behavior: 'instant' })");
  await settled(page);
  const now = await page.evaluate(top);
  const height = Number(await page.evaluate("document.documentElement.scrollHeight"));
  await page.evaluate(`document.querySelector('[data-gap="0"][data-way="up"]').click()`);
  await until(page, `document.documentElement.scrollHeight > ${height}`);
  await settled(page);
  assert.equal(await page.evaluate(top), now);
});

test(
  "it is not offered where the content is not kept; a part that does not come can be asked again",
  { skip },
  async (t) => {
    const { whole: _, ...bare } = shownFile();
    const page = await openDiff(t, [bare, shownFile()], { height: 1_200, missing: [-2], expect: /500/ });
    await settled(page);
    assert.equal(await page.locator('[data-file="0"] [data-gap]').count(), 0);
    const up = page.locator('[data-file="1"] [data-gap="0"][data-way="up"]');
    await up.click();
    await page.getByText("They did not come.").waitFor();
    await up.click();
    await page.locator('[data-file="1"] .diff-number.is-new', { hasText: /^78$/ }).first().waitFor();
    assert.equal(await page.getByText("They did not come.").count(), 0);
  },
);

test("a file is looked at with its changes: what was left out is not asked for", { skip }, async (t) => {
  const page = await openDiff(t, [shownFile()], { height: 900 });
  await settled(page);
  assert.deepEqual(await page.evaluate("seen"), [0], "all its changes fit on the screen");
});

for (const isWrapped of [false, true])
  test(
    `every button is in view at 360 px${isWrapped ? ", wrapped" : ""}, and none makes lines wider`,
    { skip },
    async (t) => {
      const short = Array.from({ length: 100 }, (_, at) => `line ${at}`);
      const whole = short.with(20, "x").with(80, "y").join("\n");
      const [file] = diffOf([["a.txt", short.join("\n"), whole]]);
      const shown = [{ ...(file as NonNullable<typeof file>), whole }];
      const page = await openDiff(t, shown, { width: 360, height: 900, isWrapped });
      await settled(page);
      const buttons = page.locator("[data-gap]");
      assert.equal(await buttons.count(), 1 + 3 + 1);
      for (const button of await buttons.all()) {
        const box = await button.boundingBox();
        assert.ok(box !== null && box.x > 0 && box.x + box.width < 344, await button.innerText());
      }
      assert.equal(await page.locator(".diff-sideways").count(), 0);
    },
  );

test("what was found stays found when lines are put in above", { skip }, async (t) => {
  const page = await openDiff(t, [shownFile()], { width: 1280, height: 1_200 });
  await settled(page);
  await page.getByRole("searchbox").fill("and one more");
  await page.locator(".is-current mark").waitFor();
  await press(page, /^20 more lines above/, 0);
  assert.equal(await page.locator(".is-current mark").innerText(), "and one more");
});

test("on the page itself, from the store", { skip }, async (t) => {
  const served = await serve(t);
  stageChange(served.asker.state, "c-9", "Change", [["src/a.ts", before.join("\n"), after.join("\n")]]);
  const page = await openPage(t, served, { height: 1_000 });
  await goTo(page, "#/staged/c-9");
  await page.getByRole("button", { name: /^all 97 lines/ }).click();
  await page.locator(".diff-number.is-new", { hasText: /^1$/ }).first().waitFor();
  assert.deepEqual((await numbers(page, 1)).slice(0, 3), [1, 2, 3]);
});

for (const [scheme, width] of [
  ["light", 1280],
  ["dark", 360],
] as const)
  test(`axe finds nothing in what can be shown further: ${scheme}, ${width} wide`, { skip }, async (t) => {
    const page = await openDiff(t, [shownFile()], { width, height: 1_200, scheme });
    await settled(page);
    await page.locator(".token-keyword").first().waitFor();
    await later(page, 300);
    assert.deepEqual(await axeProblems(page), []);
    await press(page, /^20 more lines above/, 0);
    assert.deepEqual(await axeProblems(page), []);
  });
