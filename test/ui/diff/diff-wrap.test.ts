import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { DiffState } from "../../../ui/diff/diff-state.ts";
import { axeProblems, goTo, later, noBrowser, openPage, serve } from "../fixture.ts";
import { type Change, diffOf, pushQuestion, waitsIn } from "../../fixtures/push-question.ts";
import { openDiff } from "./diff-page.ts";
import { readAll, settled } from "./read-rows.ts";

const skip = noBrowser;
const wrap = async (page: Page): Promise<void> => {
  await page.keyboard.press("w");
  await settled(page);
};

/** Lines of all lengths, and with everything whose width is the font's matter. */
const odd = [
  "",
  "short",
  "const plain = 1; ".repeat(30),
  "\tif (tabs)\t{ ".repeat(25),
  "漢字かな交じり文。".repeat(20),
  "Съешь же ещё этих мягких французских булок ".repeat(8),
  "مرحبا بالعالم ".repeat(20),
  "👩‍👩‍👧 family 🏳️‍🌈 ".repeat(25),
  `esc \u{1b}[31m and \u{200b} nothing \u{202e} turned `.repeat(9),
  `${"blanks ".repeat(20)}${" ".repeat(90)}`,
  "x".repeat(5_000),
  "e\u{301}".repeat(150),
];
const changed = odd.map((line, at) => (at % 2 === 0 ? `${line} changed` : line));
const mixed: Change = ["mixed.ts", `${odd.join("\n")}\n`, changed.join("\n")];

// Run in the browser. Says what is wrong with where the rows stand.
const wrongRows = `[...document.querySelectorAll(".diff-panes")].flatMap((panes) => {
  const wrong = [];
  for (const pane of panes.children) {
    if (pane.scrollWidth > pane.clientWidth) wrong.push("wider than its pane: " + (pane.scrollWidth - pane.clientWidth));
    const edge = pane.getBoundingClientRect();
    const rows = [...pane.querySelectorAll(".diff-row")];
    for (const [at, row] of rows.entries()) {
      const box = row.getBoundingClientRect();
      if (Math.round(box.height) % 20 !== 0 || box.height === 0) wrong.push("height " + box.height + ": " + row.textContent);
      if (at > 0 && Math.abs(rows[at - 1].getBoundingClientRect().bottom - box.top) > 0.01) wrong.push("apart: " + at);
      const code = row.querySelector(".diff-code");
      if (code !== null && code.getBoundingClientRect().bottom > box.bottom + 0.01) wrong.push("cut: " + row.textContent);
      if (code !== null && code.getBoundingClientRect().right > edge.right) wrong.push("outside: " + row.textContent);
      const other = panes.children[1]?.querySelector('[aria-rowindex="' + row.getAttribute("aria-rowindex") + '"]');
      const place = other?.getBoundingClientRect();
      if (place !== undefined && (place.top !== box.top || place.height !== box.height)) wrong.push("not beside: " + at);
    }
    const last = rows.at(-1);
    const isEnd = last !== undefined && last.getAttribute("aria-rowindex") === pane.getAttribute("aria-rowcount");
    if (isEnd && Math.abs(last.getBoundingClientRect().bottom - edge.bottom) > 0.5)
      wrong.push("ends " + (last.getBoundingClientRect().bottom - edge.bottom) + " beyond what was counted");
  }
  return wrong;
})`;

for (const [width, mode] of [
  [360, "Unified"],
  [360, "Side by side"],
  [1280, "Side by side"],
  [2_000, "Unified"],
] as const)
  test(`wrapped, every line is whole and where it was counted: ${width} px, ${mode}`, { skip }, async (t) => {
    const page = await openDiff(t, diffOf([mixed, ["new.md", null, odd.join("\n")], ["gone", odd.join("\n"), null]]), {
      width,
      isWrapped: false,
    });
    await page.getByRole("button", { name: mode }).click();
    const shown = await readAll(page);
    await page.getByRole("button", { name: "Wrap long lines" }).click();
    const wrong = new Set<string>();
    const wrapped = await readAll(page, async () => {
      for (const one of (await page.evaluate(wrongRows)) as string[]) wrong.add(one);
    });
    assert.deepEqual([...wrong], []);
    assert.deepEqual(wrapped, shown, "the same lines are read");
    assert.equal(await page.locator(".diff-sideways").count(), 0);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"), 0);
  });

test("on unless turned off, by key and by button, remembered, and named in the help", { skip }, async (t) => {
  const page = await openDiff(t, diffOf([mixed]), { width: 1280 });
  const button = page.getByRole("button", { name: "Wrap long lines" });
  const is = async (isWrapped: boolean): Promise<void> => {
    await settled(page);
    assert.equal(await button.getAttribute("aria-pressed"), String(isWrapped));
    assert.equal(await page.locator(".diff-pane.is-wrapped").count(), isWrapped ? 2 : 0);
    assert.equal((await page.locator(".diff-sideways").count()) === 0, isWrapped, "the control: too wide unwrapped");
  };
  await is(true);
  await wrap(page);
  await is(false);
  await page.reload();
  await is(false);
  await button.click();
  await is(true);
  await page.reload();
  await is(true);

  const served = await serve(t);
  await waitsIn(served.asker.state, pushQuestion([mixed]));
  const whole = await openPage(t, served);
  await goTo(whole, "#/q/q-0000abcd");
  await whole.locator(".diff").waitFor();
  await whole.keyboard.press("?");
  assert.match(await whole.getByRole("dialog").innerText(), /w\s+Wrap long lines/);
});

test("a long line that is shown further grows, and what is below makes room", { skip }, async (t) => {
  const page = await openDiff(t, diffOf([["a.txt", null, `${"y".repeat(9_000)}\nthe end\n`]]), {
    width: 1280,
    height: 2_400,
  });
  await settled(page);
  const end = async () => (await page.locator('[data-line="1"]').boundingBox())?.y as number;
  const before = await end();
  await page.getByRole("button", { name: /more characters/ }).click();
  await settled(page);
  assert.ok((await end()) > before + 800, "it takes the room of 7,000 more characters");
  assert.deepEqual(await page.evaluate(wrongRows), []);
});

/** The first line that can be read, and where it is. */
const firstRead = `(() => {
  const edge = document.querySelector(".diff-top").getBoundingClientRect().bottom + 40;
  const row = [...document.querySelectorAll("[data-line]")].find((one) => one.getBoundingClientRect().bottom > edge + 1);
  return { line: row.dataset.line, below: row.getBoundingClientRect().top - edge };
})()`;

test("what the reader looks at stays where it is when lines are wrapped or not any more", { skip }, async (t) => {
  const text = (word: string) => Array.from({ length: 2_000 }, (_, at) => `${word} ${at} `.repeat(1 + ((at * 7) % 40)));
  const old = text("line");
  const files = diffOf([
    ["a.txt", old.join("\n"), old.map((line, at) => (at % 9 === 0 ? `${line}!` : line)).join("\n")],
    ["b.txt", null, old.join("\n")],
  ]);
  const page = await openDiff(t, files, { width: 1280, isWrapped: false });
  await settled(page);
  for (const mode of ["split", "unified"]) {
    for (const share of [0.2, 0.45, 0.7]) {
      await page.evaluate(`scrollTo({ top: ${share} * document.documentElement.scrollHeight, behavior: "instant" })`);
      await settled(page);
      const before = (await page.evaluate(firstRead)) as { line: string; below: number };
      for (const what of ["wrapped", "not any more"]) {
        await wrap(page);
        const now = (await page.evaluate(firstRead)) as { line: string; below: number };
        assert.equal(now.line, before.line, `${mode} at ${share}, ${what}`);
        // The browser scrolls by whole pixels.
        assert.ok(Math.abs(now.below - before.below) <= 1, `moved by ${now.below - before.below}, ${what}`);
      }
    }
    await page.keyboard.press("s");
    await settled(page);
  }
  // Deep in a wrapped line: the same line is still there when it is one row again.
  await wrap(page);
  await page.evaluate("scrollBy({ top: 200, behavior: 'instant' })");
  await settled(page);
  const { line } = (await page.evaluate(firstRead)) as { line: string };
  await wrap(page);
  assert.equal(((await page.evaluate(firstRead)) as { line: string }).line, line);
});

test("50,000 wrapped lines: few elements, the right lines, never blank", { skip }, async (t) => {
  const text = Array.from({ length: 50_000 }, (_, at) => `number ${at + 1}; ${"word ".repeat((at * 13) % 60)}`);
  const page = await openDiff(t, diffOf([["a.ts", null, text.join("\n")]]), { width: 1000, isWrapped: false });
  await settled(page);
  const plain = (await page.evaluate("document.documentElement.scrollHeight")) as number;
  await wrap(page);
  assert.ok(((await page.evaluate("document.documentElement.scrollHeight")) as number) > plain * 1.3);
  const inView = `[...document.querySelectorAll(".diff-row")].map((row) => ({ box: row.getBoundingClientRect(), row }))
    .filter(({ box }) => box.bottom > 150 && box.top < innerHeight)
    .map(({ box, row }) => ({ top: box.top, bottom: box.bottom, n: Number(/^number (\\d+);/.exec(row.querySelector(".diff-code")?.textContent ?? "")?.[1]) }))`;
  const look = async (): Promise<void> => {
    const rows = (await page.evaluate(inView)) as { top: number; bottom: number; n: number }[];
    const first = rows[0]?.n as number;
    assert.deepEqual(
      rows.map(({ n }) => n),
      rows.map((_, at) => first + at),
    );
    const end = (await page.evaluate("innerHeight")) as number;
    const isLast = rows.at(-1)?.n === 50_000;
    assert.ok((rows[0]?.top as number) <= 150 && (isLast || (rows.at(-1)?.bottom as number) >= end), "a part is blank");
    const elements = (await page.evaluate("document.querySelectorAll('*').length")) as number;
    assert.ok(elements < 2_000, `${elements} elements`);
  };
  for (const share of [0.5, 0.999, 0.25, 0.75]) {
    await page.evaluate(`scrollTo({ top: ${share} * document.documentElement.scrollHeight, behavior: "instant" })`);
    await settled(page);
    await look();
  }
  for (let step = 0; step < 15; step += 1) {
    await page.mouse.move(400, 400);
    await page.mouse.wheel(0, 350);
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    await look();
  }
});

test("what is found far down in a wrapped line is brought into view", { skip }, async (t) => {
  const text = Array.from({ length: 300 }, (_, at) => `line ${at}`);
  text[150] = `${"filler ".repeat(240)}needle ${"filler ".repeat(30)}`;
  const page = await openDiff(t, diffOf([["a.txt", null, text.join("\n")]]), { width: 360, height: 500 });
  await settled(page);
  await page.getByRole("searchbox").fill("needle");
  await page.locator(".is-current mark").waitFor();
  await later(page, 300);
  const box = await page.locator(".is-current mark").boundingBox();
  assert.ok(box !== null && box.y > 100 && box.y + box.height < 500, JSON.stringify(box));
});

test("a file that wrapped would be higher than a browser can draw stays as it is, and says so", async () => {
  const line = (length: number) => ({ sign: "+", text: "x".repeat(length), isUnterminated: false }) as const;
  const hunks = (count: number, length: number) => [
    { oldStart: 0, oldCount: 0, newStart: 1, newCount: count, section: "", lines: Array(count).fill(line(length)) },
  ];
  const contents = [hunks(25_000, 1_000), hunks(10, 1_000)];
  const files = contents.map((content, at) => ({
    ...(diffOf([[`f${at}`, null, "x\n"]])[0] as ReturnType<typeof diffOf>[number]),
    lines: content[0]?.lines.length ?? 0,
    isPicture: false,
  }));
  const state = new DiffState(
    files,
    async (n) => ({ hunks: contents[n] ?? [] }),
    () => {},
  );
  state.arrange({ mode: "unified", isNarrow: true, isWrapped: true, width: 300, cell: 8 });
  state.loader.want([0, 1]);
  while (state.lines(0) === null || state.lines(1) === null) await new Promise((done) => setTimeout(done, 1));
  assert.ok((state.tops.at(-1) as number) < 17_500_000);
  assert.deepEqual([state.columns(0), state.isTooLongToWrap(0)], [null, true]);
  assert.deepEqual([state.columns(1) !== null, state.isTooLongToWrap(1)], [true, false]);
  assert.ok(state.rowTops(1).height > 10 * 20 * 20);
  state.stop();
});

for (const [scheme, width] of [
  ["light", 1280],
  ["dark", 360],
] as const)
  test(`axe finds nothing in wrapped lines: ${scheme}, ${width} wide`, { skip }, async (t) => {
    const page = await openDiff(t, diffOf([mixed]), { width, height: 1_200, scheme });
    await settled(page);
    await page.locator(".token-keyword").first().waitFor();
    await later(page, 300);
    assert.deepEqual(await axeProblems(page), []);
  });
