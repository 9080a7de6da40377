import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { noBrowser } from "../fixture.ts";
import { type Change, diffOf } from "../../fixtures/push-question.ts";
import { openDiff } from "./diff-page.ts";
import { readAll, rowsNow, settled } from "./read-rows.ts";

const numbered = (count: number, word: string): string =>
  Array.from({ length: count }, (_, at) => `${word} number ${at + 1} of them;\n`).join("");
const elements = async (page: Page): Promise<number> =>
  (await page.evaluate("document.querySelectorAll('*').length")) as number;

/** The lines in the middle of the screen, as a person would find them: by where they are. */
async function inView(page: Page): Promise<string[]> {
  return (await page.evaluate(`[...document.querySelectorAll(".diff-row")]
    .filter((row) => { const { top, bottom } = row.getBoundingClientRect(); return top > 150 && bottom < innerHeight; })
    .map((row) => row.querySelector(".diff-code")?.textContent ?? "")`)) as string[];
}

async function scrollTo(page: Page, share: number): Promise<void> {
  await page.evaluate(`scrollTo({ top: ${share} * document.documentElement.scrollHeight, behavior: "instant" })`);
  await settled(page);
}

test("50,000 lines in one file: the page holds few elements, and the right lines", { skip: noBrowser }, async (t) => {
  const small = await openDiff(t, diffOf([["a.ts", null, numbered(500, "let")]]));
  await settled(small);
  const bound = (await elements(small)) * 4;
  const page = await openDiff(t, diffOf([["a.ts", null, numbered(50_000, "let")]]));
  await settled(page);
  assert.ok(bound < 4_000, `${bound} elements for a small diff`);
  const heights = (await page.evaluate("document.documentElement.scrollHeight")) as number;
  assert.ok(heights > 50_000 * 20, "the scrollbar does not stand for the whole");
  for (const share of [0.5, 1, 0.25, 0.999, 0, 0.75]) {
    await scrollTo(page, share);
    const seen = await inView(page);
    assert.ok(seen.length > 20, `only ${seen.length} rows in view`);
    const numbers = seen.flatMap((text) => /number (\d+) of/.exec(text)?.slice(1).map(Number) ?? []);
    const first = numbers[0] as number;
    assert.deepEqual(
      numbers,
      numbers.map((_, at) => first + at),
    );
    const expected = Math.min(share, 1) * 50_000;
    assert.ok(Math.abs(first - expected) < 60, `${first} is in view at ${share}`);
    assert.ok((await elements(page)) < bound, `${await elements(page)} elements at ${share}`);
  }
});

/** Tells how many seconds the page has spent on scripts, styles and layout since this was called. */
async function stopwatch(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const read = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    const names = ["ScriptDuration", "RecalcStyleDuration", "LayoutDuration"];
    return metrics.filter(({ name }) => names.includes(name)).reduce((sum, { value }) => sum + value, 0);
  };
  const start = await read();
  return async () => (await read()) - start;
}

test("reading in 50,000 lines costs less than drawing them once would: the control", { skip: noBrowser }, async (t) => {
  const page = await openDiff(t, diffOf([["a.txt", null, numbered(50_000, "let")]]));
  const ours = await stopwatch(page);
  await page.reload();
  await settled(page);
  for (let step = 0; step < 20; step += 1) await scrollTo(page, ((step * 7) % 20) / 20);
  const control = await openDiff(t, []);
  const theirs = await stopwatch(control);
  await control.evaluate(`(() => {
    const table = document.createElement("table");
    for (let line = 1; line <= 50_000; line += 1) {
      const row = table.insertRow();
      for (const text of [line, "+", "let number " + line + " of them;"]) row.insertCell().textContent = text;
    }
    document.body.append(table);
    return table.offsetHeight;
  })()`);
  assert.ok((await elements(control)) > 150_000);
  const [one, other] = [await ours(), await theirs()];
  assert.ok(one > 0 && one < other, `${one} s against ${other} s`);
  t.diagnostic(`${(one / other).toFixed(2)} of the control`);
});

test("rolled through step by step, 50,000 changed lines are never blank", { skip: noBrowser }, async (t) => {
  const files = diffOf([["a.txt", numbered(25_000, "old"), numbered(25_000, "new")]]);
  const page = await openDiff(t, files, { width: 1280 });
  await settled(page);
  await scrollTo(page, 0.4);
  for (let step = 0; step < 25; step += 1) {
    await page.mouse.move(400, 400);
    await page.mouse.wheel(0, 350);
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const seen = await inView(page);
    assert.ok(seen.length >= 50, `${seen.length} cells in view`);
    assert.ok(seen.every((text) => /^(?:old|new) number \d+ of them;$/.test(text)));
  }
});

test("2,000 files: few of them exist at once, and each is there when it is come to", { skip: noBrowser }, async (t) => {
  const changes = Array.from({ length: 2_000 }, (_, at): Change => [
    `dir/file-${String(at).padStart(4, "0")}.txt`,
    numbered(25, "same"),
    numbered(25, "same").replace("number 13 of", `number ${at} changed`),
  ]);
  const files = diffOf(changes);
  const page = await openDiff(t, files);
  await settled(page);
  for (const share of [1, 0.5, 0]) {
    await scrollTo(page, share);
    assert.ok((await elements(page)) < 4_000, `${await elements(page)} elements at ${share}`);
  }
  await scrollTo(page, 1);
  await page.locator('[data-file="1999"] .diff-row.is-added').waitFor();
  assert.match(await page.locator('[data-file="1999"] .is-added .diff-code').innerText(), /number 1999 changed/);
  for (let press = 0; press < 5; press += 1) {
    await page.keyboard.press("p");
    await settled(page);
  }
  const focused = async () =>
    Number(await page.evaluate("document.activeElement.closest('[data-file]')?.dataset.file"));
  const at = await focused();
  assert.ok(at > 1_985 && at < 1_999, `file ${at} has the focus`);
  for (let press = 0; press < 20; press += 1) {
    await page.keyboard.press("n");
    await settled(page);
  }
  assert.equal(await focused(), 1_999);
});

test("what the reader looks at stays where it is when what is above comes or goes", { skip: noBrowser }, async (t) => {
  const change = (name: string): Change => [
    name,
    numbered(400, name),
    numbered(400, name).replaceAll("0 of", "0 was of").replaceAll("55 of", "55 was of"),
  ];
  const files = diffOf(["a", "b", "c", "d", "e", "f"].map(change));
  const page = await openDiff(t, files, { width: 1280 });
  await settled(page);
  await scrollTo(page, 0.6);
  const top = async (): Promise<{ text: string; y: number }> =>
    (await page.evaluate(`(() => {
      const row = [...document.querySelectorAll(".diff-row:not(.is-hunk)")].find(
        (one) => one.getBoundingClientRect().top > 200,
      );
      return { text: row.querySelector(".diff-code").textContent, y: row.getBoundingClientRect().top };
    })()`)) as { text: string; y: number };
  const before = await top();
  // Up by one screen and back: files above are loaded on the way, and become higher or lower than was thought.
  await page.evaluate("scrollBy({ top: -innerHeight, behavior: 'instant' })");
  await settled(page);
  await page.evaluate("scrollBy({ top: innerHeight, behavior: 'instant' })");
  await settled(page);
  assert.deepEqual(await top(), before);
  // Another way of showing keeps the line at the top.
  const topLine = async () =>
    (await page.evaluate(`(() => {
      const bar = document.querySelector(".diff-top").getBoundingClientRect().bottom;
      const row = [...document.querySelectorAll(".diff-row:not(.is-hunk)")].find(
        (one) => one.querySelector(".diff-code") && one.getBoundingClientRect().bottom > bar + 1,
      );
      return row.querySelector(".diff-code").textContent;
    })()`)) as string;
  const line = await topLine();
  await page.keyboard.press("s");
  await settled(page);
  assert.equal(await topLine(), line);
  await page.keyboard.press("s");
  await settled(page);
  assert.equal(await topLine(), line);
});

test(
  "a file counts as seen when all its lines were, not when its end was jumped to",
  { skip: noBrowser },
  async (t) => {
    const files = diffOf([
      ["a.txt", "a\n", "b\n"],
      ["b.txt", null, numbered(300, "b")],
      ["c.bin", new Uint8Array([0]), null],
      ["d.txt", null, numbered(3, "d")],
    ]);
    const page = await openDiff(t, files);
    await settled(page);
    const seen = async () => ((await page.evaluate("seen")) as number[]).toSorted((one, other) => one - other);
    assert.deepEqual(await seen(), [0]);
    await scrollTo(page, 1);
    await settled(page);
    assert.deepEqual(await seen(), [0, 2, 3]);
    await readAll(page);
    assert.deepEqual(await seen(), [0, 1, 2, 3]);
    assert.equal(
      (await rowsNow(page)).some((row) => row.file === 3),
      true,
    );
  },
);
