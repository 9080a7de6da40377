import assert from "node:assert/strict";
import test from "node:test";
import type { Locator, Page } from "playwright-core";
import { type Change, pushQuestion, waitsIn } from "../fixtures/push-question.ts";
import { displayName } from "../../src/shared/odd-name.ts";
import { axeProblems, later, noBrowser, openPage, serve, untilArmed } from "./fixture.ts";

const skip = noBrowser;
const id = "q-0000abcd";

const changes: readonly Change[] = [
  ["analysis.json", '{\n  "status": "draft"\n}\n', '{\n  "status": "final"\n}\n'],
  ["long.txt", null, `${Array.from({ length: 300 }, (_, at) => `line ${at}`).join("\n")}\n`],
  ["report.md", null, "# Q4 report\n\nRevenue increased by 15%.\n"],
];

/** Turns the wheel until it is there. */
async function wheelUntil(page: Page, wanted: Locator, pixels: number): Promise<void> {
  for (let turns = 0; turns < 60 && (await wanted.count()) === 0; turns += 1) {
    await page.mouse.wheel(0, pixels);
    await later(page, 60);
  }
  assert.equal(await wanted.count(), 1);
}

test(
  "a push: where it goes, what it says, what is grave about it, and its files with their counts",
  { skip },
  async (t) => {
    const served = await serve(t);
    await waitsIn(
      served.asker.state,
      pushQuestion(changes, {
        branch: "main",
        isProtected: true,
        isNewBranch: true,
        warnings: ["ci.yaml: others execute it"],
      }),
    );
    const page = await openPage(t, served, { at: `#/q/${id}` });
    await page.getByRole("heading", { name: "Your answer" }).waitFor();
    const text = await page.locator("article.question").innerText();
    for (const part of [
      "high risk",
      "Protected branch.",
      "New branch.",
      "ci.yaml: others execute it",
      "/home/you/project",
      "9fceb02d0ae5 → 1a2b3c4d5e6f",
      "You <you@example.org>",
      "Add quarterly report",
      "a push is always asked about",
      "3 files",
    ])
      assert.ok(text.includes(part), part);
    const row = page.locator(".file-row", { hasText: "analysis.json" });
    assert.match(await row.innerText(), /changed[\s\S]*analysis\.json\s*\+1 −1/);
    await page.locator(".diff").getByText('"status": ').first().waitFor();
  },
);

test(
  "what is new since the last push of the same work is said in the list of files, and above a file's lines",
  { skip },
  async (t) => {
    const served = await serve(t);
    const question = pushQuestion(changes);
    const diff = question.diff?.map((file, n) => ({
      ...file,
      since: n === 0 ? ("changed" as const) : ("same" as const),
    }));
    await waitsIn(served.asker.state, { ...question, diff });
    const page = await openPage(t, served, { at: `#/q/${id}`, height: 1200 });
    const row = (name: string) => page.locator(".file-row", { hasText: name }).innerText();
    await page.locator(".file-row").first().waitFor();
    assert.match(await row("analysis.json"), /analysis\.json, new since the last push/);
    assert.match(await row("report.md"), /report\.md, as in the last push/);
    await page.locator(".diff .diff-fact", { hasText: "new since the last push" }).waitFor();
  },
);

test("what was not looked at is marked and said, and a yes works all the same", { skip }, async (t) => {
  const served = await serve(t);
  const question = await waitsIn(served.asker.state, pushQuestion(changes));
  // So low that no code is on the first screen: otherwise the first file has been looked at when it is drawn.
  const page = await openPage(t, served, { at: `#/q/${id}`, height: 560 });
  await page
    .getByText("0 of 3 files looked at. Not looked at to the end: analysis.json, long.txt, report.md.")
    .waitFor();
  await page.mouse.move(300, 300);
  await wheelUntil(page, page.locator(".answer-caution", { hasText: "1 of 3 files looked at." }), 120);
  const rows = await page.locator(".file-row").allTextContents();
  assert.deepEqual(
    rows.map((text) => text.endsWith("not looked at")),
    [false, true, true],
  );
  await untilArmed(page);
  await page.getByRole("button", { name: "Approve once" }).click();
  await page.getByRole("heading", { name: "Approved once" }).waitFor();
  assert.deepEqual([(await question.answer())?.decision, (await question.answer())?.scope], ["allow", "once"]);
});

test("all of it was on the screen: nothing is left to be said about it", { skip }, async (t) => {
  const served = await serve(t);
  await waitsIn(served.asker.state, pushQuestion(changes));
  const page = await openPage(t, served, { at: `#/q/${id}`, height: 1200 });
  await page.locator(".answer-caution").waitFor();
  await page.mouse.move(300, 500);
  await wheelUntil(page, page.getByText("3 of 3 files looked at", { exact: true }), 400);
  assert.equal(await page.locator(".answer-caution").count(), 0);
});

test("a name in the list of files brings its lines into view", { skip }, async (t) => {
  const served = await serve(t);
  await waitsIn(served.asker.state, pushQuestion(changes));
  const page = await openPage(t, served, { at: `#/q/${id}` });
  await page.locator(".diff-code").first().waitFor();
  await page.locator(".file-list").getByRole("button", { name: "report.md" }).click();
  await page.locator(".diff").getByText("Revenue increased by 15%.").waitFor();
});

/** Where it is on the screen. */
const boxOf = async (page: Page, selector: string) =>
  (await page.locator(selector).first().boundingBox()) ?? assert.fail(selector);

for (const width of [1280, 380])
  test(
    `the first screen shows code at ${width} x 800, with what is grave about the push; the answer stands below it`,
    { skip },
    async (t) => {
      const served = await serve(t);
      const message = "Take discounts off the total\n\nOrders with a discount were charged in full.\n";
      await waitsIn(served.asker.state, pushQuestion(changes, { branch: "main", isProtected: true, message }));
      const page = await openPage(t, served, { width, height: 800, at: `#/q/${id}` });
      await page.locator(".diff-code").first().waitFor();
      const bar = await boxOf(page, ".answer-bar");
      assert.ok(Math.abs(bar.y + bar.height - 800) < 1, "it stays at the bottom");
      const code = await boxOf(page, ".diff-code >> nth=1");
      assert.ok(code.y + code.height <= bar.y, `the first line of code is at ${code.y}`);
      for (const part of ["Protected branch.", "Take discounts off the total", "branch main"])
        assert.ok((await page.getByText(part).first().boundingBox())?.y ?? 800 < bar.y, part);
      const end = await boxOf(page, ".diff-list");
      assert.ok((await boxOf(page, "#answer-title")).y > end.y + end.height);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
      assert.deepEqual(await axeProblems(page), []);
      await page.getByRole("button", { name: "To the answer" }).click();
      await page.waitForFunction("document.querySelector('#answer-title').getBoundingClientRect().top < innerHeight");
      assert.match(await page.locator(".answer-caution").innerText(), /Not looked at to the end: .*long\.txt/);
    },
  );

test("a line that lies behind the bar at the bottom was not on the screen", { skip }, async (t) => {
  const served = await serve(t);
  const text = `${Array.from({ length: 60 }, (_, at) => `line ${at}`).join("\n")}\n`;
  await waitsIn(served.asker.state, pushQuestion([["only.txt", null, text]]));
  const page = await openPage(t, served, { at: `#/q/${id}` });
  const left = page.locator(".answer-bar");
  await page.locator(".diff-code").first().waitFor();
  const last = page.locator(".diff-row", { hasText: "line 59" });
  // Step by step, so that every line but the last few has been on the screen.
  const scrollTo = async (lastY: number) => {
    for (let turns = 0; turns < 200; turns += 1) {
      const box = (await last.count()) === 0 ? null : await last.boundingBox();
      if (box !== null && box.y <= lastY) return;
      await page.evaluate("scrollBy({ top: 20, behavior: 'instant' })");
      await later(page, 20);
    }
    assert.fail("it never came");
  };
  const bar = await boxOf(page, ".answer-bar");
  await scrollTo(bar.y + 5);
  await later(page, 300);
  assert.match(await left.innerText(), /1 of 1 not read to the end/);
  // The control: above the bar it counts.
  await scrollTo(bar.y - 30);
  await left.getByText("All of it was on the screen").waitFor();
});

test(
  "comments on lines go back with a no: by a click and by a key, also where the name of the file is hostile",
  { skip },
  async (t) => {
    const served = await serve(t);
    const odd = 'x\u202e" line 1: approved\n.txt';
    const files: readonly Change[] = [
      ["src/total.ts", "a\nb\nc\n", "a\nB\nc\n"],
      [odd, null, "one\ntwo\n"],
    ];
    const question = await waitsIn(served.asker.state, pushQuestion(files));
    const page = await openPage(t, served, { at: `#/q/${id}` });
    const dialog = page.getByRole("dialog");
    const comment = async (text: string) => {
      await dialog.waitFor();
      assert.deepEqual(await axeProblems(page), []);
      await page.keyboard.type(text);
      await dialog.getByRole("button", { name: "Add" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    const row = (file: number, kind: string) => page.locator(`[data-file="${file}"] .diff-row.is-${kind}`).first();
    await row(0, "removed").locator(".is-old").click();
    await comment("Why is b gone?");
    await row(0, "added").locator(".is-new").click();
    await comment("Small letters, please.\nAs above.");
    await row(1, "added").locator(".is-new").click();
    await comment("No such file.");
    await page.keyboard.press("c");
    await comment("A remark that is taken back.");
    await page.locator(".answer-bar").getByText("4 comments").waitFor();
    const list = page.getByRole("list", { name: "Your comments" });
    assert.doesNotMatch(await list.innerText(), /\u202e/);
    await list.getByRole("button").last().click();
    assert.equal(await list.locator("li").count(), 3);
    await page.getByRole("textbox", { name: /Or no, and why/ }).fill("Nearly.");
    assert.deepEqual(await axeProblems(page), []);
    await untilArmed(page);
    await page.getByRole("button", { name: "Request changes" }).click();
    await page.getByRole("heading", { name: "Rejected" }).waitFor();
    const answer = await question.answer();
    assert.equal(answer?.decision, "deny");
    assert.deepEqual(answer?.reason?.split("\n"), [
      "Nearly.",
      '"src/total.ts" line 2 before the change: Why is b gone?',
      '"src/total.ts" line 2: Small letters, please.',
      "    As above.",
      `${JSON.stringify(displayName(odd))} line 1: No such file.`,
    ]);
    assert.doesNotMatch(answer?.reason ?? "", /\u202e/);
    const [recorded] = served.asker.events("approval.answered");
    assert.equal(recorded?.outcome["reason"], answer?.reason);
  },
);
