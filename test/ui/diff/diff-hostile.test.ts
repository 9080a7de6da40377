import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { noBrowser } from "../fixture.ts";
import { diffOf } from "../../fixtures/push-question.ts";
import { openDiff } from "./diff-page.ts";
import { readAll, settled, until } from "./read-rows.ts";

const markup = [
  "<script>window.hurt = 1</script>",
  '<img src=x onerror="window.hurt = 1">',
  "<svg onload=window.hurt=1>",
  "</span></div></section><h1>Approved</h1>",
  "&lt;b&gt; {{ hurt }} ${hurt}",
  "javascript:window.hurt=1",
];
const orders = [
  "access = \u202e\u2066// admin\u2069 \u2066",
  "\u200bzero\u200dwidth\ufeff",
  "\u001b[2J\u001b[31mred\u001b[0m",
  "a\u0001b\u0085c",
  `a${"\u0301".repeat(300)}`,
];

// oxlint-disable-next-line no-control-regex
const acts = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;

async function assertInert(page: Page): Promise<void> {
  assert.equal(await page.evaluate("window.hurt"), undefined);
  assert.equal(await page.locator(".diff img, .diff script, .diff svg, .diff h1, .diff b").count(), 0);
  const text = String(await page.evaluate("document.querySelector('.diff').textContent"));
  assert.doesNotMatch(text, acts);
  const titles = (await page.evaluate(
    "[...document.querySelectorAll('.diff *')].flatMap((one) => [...one.attributes].map(({ value }) => value)).join(' ')",
  )) as string;
  assert.doesNotMatch(titles, acts);
}

async function assertWhole(page: Page): Promise<void> {
  const broken = await page.evaluate(`(() => {
    const wrong = [];
    if (document.documentElement.scrollWidth > document.documentElement.clientWidth) wrong.push("page too wide");
    for (const row of document.querySelectorAll(".diff-row"))
      if (row.offsetHeight !== 20) wrong.push("row of " + row.offsetHeight);
    for (const header of document.querySelectorAll(".diff-header"))
      if (header.scrollWidth > header.clientWidth + 1) wrong.push("header too wide");
    return wrong;
  })()`);
  assert.deepEqual(broken, []);
}

for (const language of ["txt", "html", "js", "md"])
  test(`lines in .${language} that would run, reorder or hide are only text`, { skip: noBrowser }, async (t) => {
    const all = [...markup, ...orders];
    const files = diffOf([
      [`a.${language}`, `${all.join("\n")}\nold\n`, `${all.map((line) => `${line} 2`).join("\n")}\n`],
    ]);
    const page = await openDiff(t, files, { width: 900, isWrapped: false });
    await settled(page);
    if (language !== "txt") await page.locator("[class*=token-]").first().waitFor();
    await assertInert(page);
    await assertWhole(page);
    const rows = await readAll(page);
    for (const line of markup)
      assert.equal(rows.filter(({ code }) => code === line || code === `${line} 2`).length, 2, line);
    assert.ok(rows.some(({ code }) => code.includes("\\u{202e}\\u{2066}// admin")));
    assert.ok(rows.some(({ code }) => code.includes("\\x1b[2J")));
  });

test(
  "the same lines as markup do run, and the same letters do reorder: the control",
  { skip: noBrowser },
  async (t) => {
    const page = await openDiff(t, []);
    const blank = await page.context().newPage();
    await blank.setContent(`<p id="p"></p>`);
    await blank.evaluate(`document.getElementById("p").innerHTML = ${JSON.stringify(markup[1])}`);
    await until(blank, "window.hurt === 1");
    await blank.evaluate(`document.getElementById("p").textContent = ${JSON.stringify(orders[0])}`);
    assert.match(await blank.locator("p").innerText(), /\u202e/);
  },
);

test("names that would run, reorder, hide or burst the header are only text", { skip: noBrowser }, async (t) => {
  const names = [
    ...markup.map((line, at) => `${at}/${line.replaceAll("/", "_")}`),
    "docs/\u202egnp.exe",
    "a\nb\u001b[31m.ts",
    " lead and trail ",
    `${"deep/".repeat(60)}${"long-".repeat(50)}name.ts`,
    "x".repeat(255),
    "a".repeat(20) + " ".repeat(60) + ".txt",
  ];
  const files = diffOf(names.map((name) => [name, "a\n", "b\n"] as const));
  for (const width of [1280, 360]) {
    const page = await openDiff(t, files, { width, height: 1_700 });
    await settled(page);
    await assertInert(page);
    await assertWhole(page);
    const text = String(await page.evaluate("document.querySelector('.diff').textContent"));
    assert.ok(text.includes("\\u{202e}gnp.exe"));
    assert.ok(text.includes("a\\nb\\x1b[31m.ts"));
  }
});

test("a line of 1 MB is cut, can be shown further, and breaks nothing", { skip: noBrowser }, async (t) => {
  const files = diffOf([
    ["a.js", null, `let first;\n${"0123456789".repeat(100_000)}\nlet last;\n`],
    ["b.txt", `${"\u202e".repeat(50_000)}\n`, "short\n"],
  ]);
  const page = await openDiff(t, files, { width: 1280, isWrapped: false });
  await settled(page);
  await assertWhole(page);
  await assertInert(page);
  const longest = async () =>
    (await page.evaluate(
      "Math.max(...[...document.querySelectorAll('section:first-child .diff-code')].map((one) => one.textContent.length))",
    )) as number;
  assert.ok((await longest()) < 2_100);
  const elements = async () => (await page.evaluate("document.querySelectorAll('*').length")) as number;
  const before = await elements();
  await page.getByRole("button", { name: "… 998,000 more characters" }).click();
  await page.locator('[data-line="1"][data-piece="5"]').waitFor();
  assert.ok((await longest()) < 2_100, "each piece has a row of its own");
  assert.ok((await elements()) < before + 500, `${await elements()} elements, ${before} before`);
  await assertWhole(page);
  const rows = (await readAll(page)).filter(({ file }) => file === 0);
  const all = rows.filter(({ isHunk }) => !isHunk).map(({ code }) => code);
  assert.equal(all.join(""), `let first;${"0123456789".repeat(100_000)}let last;`);
});

test(
  "a piece that takes the highlighter too long stays without colours, and others have theirs",
  { skip: noBrowser },
  async (t) => {
    // Long enough for every definition to be slow in some way; what is asserted is only that the text is there.
    const slow = `${"((((".repeat(240)}\n`.repeat(200);
    const page = await openDiff(
      t,
      diffOf([
        ["a.md", null, slow],
        ["b.ts", null, "const b = 1;\n"],
      ]),
      { height: 5_000, isWrapped: false },
    );
    await page.locator('[data-file="1"] .token-keyword').waitFor();
    assert.match(await page.locator('[data-file="0"] .diff-code').first().innerText(), /^\(\(\(\(/);
  },
);
