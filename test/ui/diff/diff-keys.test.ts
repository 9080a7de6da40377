import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import type { Page } from "playwright-core";
import { axeProblems, noBrowser } from "../fixture.ts";
import { type Change, diffOf } from "../../fixtures/push-question.ts";
import { openDiff } from "./diff-page.ts";
import { settled, until } from "./read-rows.ts";

const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, at) => `${word} ${at + 1}\n`).join("");
const change = (name: string): Change => [name, lines(60, name), lines(60, name).replaceAll("5\n", "5 changed\n")];
const focused = async (page: Page): Promise<string> =>
  String(await page.evaluate("document.activeElement.closest('[data-file]')?.dataset.file"));

test("keys: from file to file, fold, and another way to show", { skip: noBrowser }, async (t) => {
  const page = await openDiff(t, diffOf([change("a"), change("b"), change("c")]), { width: 1280 });
  await settled(page);
  const press = async (key: string) => {
    await page.keyboard.press(key);
    await settled(page);
  };
  await press("n");
  assert.equal(await focused(page), "0");
  await press("n");
  assert.equal(await focused(page), "1");
  const gap = (await page.evaluate(`document.querySelector('[data-file="1"] .diff-header').getBoundingClientRect().top -
    document.querySelector(".diff-top").getBoundingClientRect().bottom`)) as number;
  assert.ok(Math.abs(gap) <= 1, "the file's header stands below the bar");
  await press("f");
  assert.equal(await page.locator('[data-file="1"] .diff-row').count(), 0);
  assert.equal(await page.locator('[data-file="1"] .diff-fold').getAttribute("aria-expanded"), "false");
  assert.equal(await focused(page), "1");
  await press("f");
  assert.ok((await page.locator('[data-file="1"] .diff-row').count()) > 0);
  await press("p");
  assert.equal(await focused(page), "0");
  assert.ok((await page.locator(".diff-panes.is-split").count()) > 0);
  await press("s");
  assert.equal(await page.locator(".diff-panes.is-split").count(), 0);
  await page.reload();
  await settled(page);
  assert.equal(await page.locator(".diff-panes.is-unified").first().count(), 1, "the choice is remembered");
  await page.getByRole("button", { name: "Fold all" }).click();
  await settled(page);
  assert.equal(await page.locator(".diff-row").count(), 0);
  await page.getByRole("button", { name: "Unfold all" }).click();
  await settled(page);
  assert.ok((await page.locator(".diff-row").count()) > 0);
});

test("keys: from change to change, across files, and back", { skip: noBrowser }, async (t) => {
  const far = (name: string): Change => [name, lines(200, name), lines(200, name).replaceAll("50\n", "50 changed\n")];
  const page = await openDiff(t, diffOf([far("a"), far("b"), ["c", null, lines(100, "c")]]), { width: 1280 });
  await settled(page);
  // The row that stands right below the header of its file.
  const at = async (): Promise<string> =>
    String(
      await page.evaluate(`(() => {
        const below = document.querySelector(".diff-top").getBoundingClientRect().bottom + 40;
        const row = [...document.querySelectorAll(".diff-row")].find(
          (one) => Math.abs(one.getBoundingClientRect().top - below) <= 2,
        );
        return row?.closest("section").dataset.file + " " + row?.textContent.trim();
      })()`),
    );
  const seen: string[] = [];
  for (const key of ["j", "j", "j", "j", "j", "k", "k", "k"]) {
    await page.keyboard.press(key);
    await settled(page);
    seen.push(await at());
  }
  assert.deepEqual(seen, [
    "0 @@ -47,7 +47,7 @@a 46",
    "0 @@ -147,7 +147,7 @@a 146",
    "1 @@ -47,7 +47,7 @@b 46",
    "1 @@ -147,7 +147,7 @@b 146",
    "2 @@ -0,0 +1,100 @@",
    "1 @@ -147,7 +147,7 @@b 146",
    "1 @@ -47,7 +47,7 @@b 46",
    "0 @@ -147,7 +147,7 @@a 146",
  ]);
});

test("narrow pages show lines one below the other, wide ones side by side", { skip: noBrowser }, async (t) => {
  const files = diffOf([change("a")]);
  for (const [width, mode] of [
    [360, "unified"],
    [700, "unified"],
    [1280, "split"],
    [2000, "split"],
  ] as const) {
    const page = await openDiff(t, files, { width });
    await settled(page);
    assert.equal(await page.locator(`.diff-panes.is-${mode}`).count(), 1, `${width}`);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    assert.equal(overflow, 0, `the page is wider than the screen at ${width}`);
  }
});

test(
  "the search goes through files that were never in view, unfolds them, and goes round",
  { skip: noBrowser },
  async (t) => {
    const many = Array.from({ length: 60 }, (_, at) => change(`file-${at + 10}`));
    const page = await openDiff(
      t,
      diffOf([...many, ["zz.txt", null, `${lines(200, "z")}the Needle\nand the needle\n`]]),
    );
    await settled(page);
    await page.keyboard.press("f");
    await page.getByRole("button", { name: "Fold all" }).click();
    await page.keyboard.press("/");
    await page.keyboard.type("needle");
    const found = page.locator(".diff-found");
    await until(page, "document.querySelector('.diff-found').textContent === '1 of 2'");
    await page.locator(".is-current mark").waitFor();
    assert.equal(await page.locator(".is-current mark").innerText(), "Needle");
    assert.equal(
      await page.evaluate("document.querySelector('.is-current').getBoundingClientRect().bottom < innerHeight"),
      true,
    );
    await page.keyboard.press("Enter");
    await page.locator(".is-current mark").getByText("needle", { exact: true }).waitFor();
    assert.equal(await found.innerText(), "2 of 2");
    await page.keyboard.press("Enter");
    assert.equal(await found.innerText(), "1 of 2");
    await page.keyboard.press("Shift+Enter");
    assert.equal(await found.innerText(), "2 of 2");
    // Letters typed here are not keys of the page.
    await page.keyboard.press("s");
    assert.equal(await page.locator(".diff-field").inputValue(), "needles");
    await until(page, "document.querySelector('.diff-found').textContent === 'nothing'");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("mark").count(), 0);
  },
);

test("both sides move sideways together, and their numbers stay", { skip: noBrowser }, async (t) => {
  const long = `${"abcdefghij ".repeat(40)}\n`;
  const page = await openDiff(t, diffOf([["a.txt", long, long.replace("a", "A")]]), { width: 1280, isWrapped: false });
  await settled(page);
  const pane = page.locator(".diff-pane");
  assert.equal(await pane.count(), 2);
  await pane.first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await until(page, "document.querySelectorAll('.diff-pane')[1].scrollLeft > 0");
  // The browser moves in small steps of its own: it has to come to rest.
  const rest = async () =>
    await page.evaluate("[...document.querySelectorAll('.diff-pane')].map((one) => one.scrollLeft)");
  for (let before = await rest(); ; before = await rest()) {
    await page.waitForTimeout(200);
    if (String(await rest()) === String(before)) break;
  }
  const [left, right] = (await rest()) as [number, number];
  assert.equal(left, right);
  await page.evaluate("document.querySelector('.diff-sideways').scrollLeft = 200");
  await until(page, "[...document.querySelectorAll('.diff-pane')].every((one) => one.scrollLeft === 200)");
  const number = await page.locator(".diff-number").last().boundingBox();
  const side = await pane.last().boundingBox();
  assert.ok(Math.abs((number?.x ?? 0) - (side?.x ?? 100)) <= 2);
});

/** A picture of one colour. */
function png(width: number, height: number, colour: readonly [number, number, number]): Uint8Array {
  const row = [0, ...Array.from({ length: width }, () => colour).flat()];
  const chunk = (type: string, data: Uint8Array): Buffer => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc(body));
    return Buffer.concat([length, body, check]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.from(Array.from({ length: height }, () => row).flat()));
  const begin = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([begin, chunk("IHDR", head), chunk("IDAT", pixels), chunk("IEND", new Uint8Array(0))]);
}

function crc(bytes: Uint8Array): number {
  let value = ~0;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value >>> 0;
}

test("pictures stand beside each other, and one over the other", { skip: noBrowser }, async (t) => {
  const [before, after] = [png(60, 40, [200, 60, 60]), png(80, 40, [60, 120, 200])];
  const svg = (script: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="30"><script>${script}</script><rect width="30" height="30"/></svg>\n`;
  const bytes = (text: string) => new TextEncoder().encode(text);
  const files = [
    ...diffOf([["a.png", before, after]]).map((file) => ({ ...file, before, after })),
    ...diffOf([["b.png", null, bytes("\0not a picture")]]).map((file) => ({
      ...file,
      after: bytes("\0not a picture"),
    })),
    ...diffOf([["c.svg", svg("1"), svg("parent.hurt = 1")]]).map((file) => ({
      ...file,
      before: bytes(svg("1")),
      after: bytes(svg("parent.hurt = 1")),
    })),
  ];
  const page = await openDiff(t, files, { width: 1280, height: 1500 });
  const first = page.locator('[data-file="0"]');
  await first.getByText("After: 80 × 40").waitFor();
  await first.getByText("Before: 60 × 40").waitFor();
  await page.locator('[data-file="1"]').getByText("This picture cannot be shown.").waitFor();
  // A picture that is text has its lines too; what is written in it does not run.
  await page.locator('[data-file="2"] .diff-row.is-added').waitFor();
  await page.locator('[data-file="2"]').getByText("After: 30 × 30").waitFor();
  assert.equal(await page.evaluate("window.hurt"), undefined);
  await first.getByLabel("Swipe").check();
  await first.getByRole("slider").fill("25");
  const clip = await page.evaluate("getComputedStyle(document.querySelector('.is-after .diff-frame')).clipPath");
  assert.match(String(clip), /^inset\(0px 0px 0px calc\(75%|^inset\(0px 0px 0px 75%/);
  assert.deepEqual(await axeProblems(page), []);
});
