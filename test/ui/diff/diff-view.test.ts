import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { axeProblems, later, noBrowser } from "../fixture.ts";
import { diffOf } from "../../fixtures/push-question.ts";
import { openDiff } from "./diff-page.ts";
import { hunkTexts, parseGitDiff } from "./git-diff.ts";
import { asGitText, readAll, rowsNow, settled } from "./read-rows.ts";

const sources = join(import.meta.dirname, "../../../src/git/publish");

/** Real source files, changed here and there, and what git says of it. */
function gitDiff(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-diff-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const git = (...words: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...words], {
      cwd: directory,
      encoding: "utf8",
      maxBuffer: 1e9,
    });
  git("init", "-q");
  mkdirSync(join(directory, "code"));
  const names = readdirSync(sources).slice(0, 10);
  for (const name of names) writeFileSync(join(directory, "code", name), readFileSync(join(sources, name)));
  writeFileSync(join(directory, "gone.txt"), "one\ntwo");
  git("add", ".");
  git("commit", "-qm", "one");
  let random = 7;
  const next = (below: number): number => (random = (random * 48_271) % 2_147_483_647) % below;
  for (const name of names) {
    const lines = readFileSync(join(sources, name), "utf8").split("\n");
    for (let change = 0; change < 6; change += 1) {
      const at = next(lines.length);
      const kind = next(3);
      if (kind === 0) lines.splice(at, 1 + next(3));
      else if (kind === 1) lines.splice(at, 0, `  // put in ${change}`, "");
      else lines[at] = `${lines[at] ?? ""} changed`;
    }
    writeFileSync(join(directory, "code", name), lines.join("\n"));
  }
  rmSync(join(directory, "gone.txt"));
  writeFileSync(join(directory, "new.txt"), "x\ny\n");
  git("add", ".");
  return git("diff", "--cached", "--no-renames", "--no-color");
}

test("what is read on the page is what git diff says, unified and side by side", { skip: noBrowser }, async (t) => {
  const text = gitDiff(t);
  const files = parseGitDiff(text);
  const page = await openDiff(t, files, { width: 1400 });
  const bySide = await readAll(page);
  await page.getByRole("button", { name: "Unified" }).click();
  const unified = await readAll(page);
  const wanted = hunkTexts(text);
  assert.ok(wanted.length >= 10);
  for (const [n, file] of files.entries()) {
    const rows = unified.filter((row) => row.file === n);
    assert.equal(asGitText(rows), wanted[n], file.path);
    const sides = [0, 1].map((pane) => bySide.filter((row) => row.file === n && row.pane === pane));
    const lines = file.hunks.flatMap((hunk) => hunk.lines);
    const oldest = lines.filter(({ sign }) => sign !== "+").map((line) => line.text);
    const newest = lines.filter(({ sign }) => sign !== "-").map((line) => line.text);
    const code = (side: typeof bySide) =>
      side.filter(({ isHunk, label }) => !isHunk && label !== "").map((row) => row.code);
    if (file.operation === "update") {
      assert.deepEqual(code(sides[0] ?? []), oldest);
      assert.deepEqual(code(sides[1] ?? []), newest);
    } else assert.deepEqual(code(sides[0] ?? []), file.operation === "create" ? newest : oldest);
  }
});

test("line numbers are those of the files", { skip: noBrowser }, async (t) => {
  const before = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
  const after = before.toSpliced(20, 2, "other").toSpliced(5, 0, "put in");
  const page = await openDiff(t, diffOf([["a.txt", before.join("\n"), after.join("\n")]]), { width: 800 });
  for (const row of await readAll(page)) {
    if (row.isHunk) continue;
    if (row.old !== "") assert.equal(before[Number(row.old) - 1], row.code);
    if (row.new !== "") assert.equal(after[Number(row.new) - 1], row.code);
    assert.equal(row.old === "", row.label === "added");
    assert.equal(row.new === "", row.label === "removed");
  }
});

test("each file says what happens to it", { skip: noBrowser }, async (t) => {
  const text = Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join("");
  const files = [
    ...diffOf([
      ["made.sh", null, "#!/bin/sh\n"],
      ["old/name.txt", text, null],
      ["new/name.txt", null, `${text}more\n`],
      ["picture.bin", new Uint8Array([0, 1, 2]), new Uint8Array([0, 1, 2, 3])],
      ["gone.txt", "x\n", null],
      ["empty.txt", null, ""],
    ]),
    ...diffOf([["tool", "same\n", { mode: "100755", content: "same\n" }]]),
    {
      ...(diffOf([["huge.txt", "a\n", "b\n"]])[0] as ReturnType<typeof diffOf>[number]),
      isTooLarge: true,
      hunks: [],
    },
    {
      ...(diffOf([["latin.txt", "a\n", "b\n"]])[0] as ReturnType<typeof diffOf>[number]),
      encoding: "latin1" as const,
    },
  ];
  const page = await openDiff(t, files, { width: 1280, height: 1600 });
  await settled(page);
  const section = async (path: string) =>
    (await page.locator(`.diff-file:has(.diff-name[title$="${path}"])`).innerText()).replace(/\s+/g, " ");
  assert.match(await section("made.sh"), /^made\.sh new \+1 added −0 removed @@ -0,0 \+1 @@/);
  assert.match(await section("new/name.txt"), /old\/ ?name\.txt → becomes new\/ ?name\.txt moved 9\d% alike \+1/);
  assert.match(
    await section("picture.bin"),
    /\+1 added −1 removed Not text: bytes like NUL are shown .*\\x00\\x01\\x02\\x03/,
  );
  assert.match(await section("gone.txt"), /deleted/);
  assert.match(await section("empty.txt"), /There is no line in it\./);
  assert.match(await section("tool"), /mode 100644 → 100755 executable .* Its content stays the same\./);
  assert.match(await section("huge.txt"), /Too large: its lines are not shown\./);
  assert.match(await section("latin.txt"), /Not UTF-8: shown byte by byte, as Latin-1\./);
});

test("words that changed, syntax, and what draws nothing are marked", { skip: noBrowser }, async (t) => {
  const files = diffOf([["a.ts", 'const alpha = "x";\nkeep();\n', 'const alpha = "y";  \nkeep();\r\nlast()']]);
  const page = await openDiff(t, files, { width: 1280 });
  await page.locator(".token-keyword").first().waitFor();
  const texts = async (selector: string) => await page.locator(selector).allTextContents();
  assert.deepEqual(await texts(".is-removed .is-word"), ["x"]);
  assert.ok((await texts(".is-added .is-word")).join("").startsWith("y"));
  assert.ok((await texts(".token-keyword")).every((text) => text === "const"));
  assert.deepEqual(await texts(".is-blank"), ["  "]);
  assert.deepEqual(await texts(".is-sign"), ["\\r"]);
  assert.deepEqual(await texts(".diff-mark"), ["no newline at end of file"]);
});

test("a file whose lines do not come says so and can be asked for again", { skip: noBrowser }, async (t) => {
  const page = await openDiff(t, diffOf([["a.txt", "a\n", "b\n"]]), { missing: [0], expect: /500/ });
  await page.getByText("Its lines did not come.").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator(".diff-row.is-added").waitFor();
  assert.equal(await page.getByText("Its lines did not come.").count(), 0);
});

test("no file, no lines: the view stands", { skip: noBrowser }, async (t) => {
  const page = await openDiff(t, []);
  assert.match(await page.locator(".diff-total").innerText(), /of 0/);
  assert.deepEqual(await rowsNow(page), []);
});

// Colours go by the scheme, places by the width and the mode: each of them once.
for (const [scheme, width, mode] of [
  ["light", 1280, "Side by side"],
  ["dark", 1280, "Unified"],
  ["dark", 360, "Unified"],
] as const)
  test(`axe finds nothing: ${scheme}, ${mode}, ${width} wide`, { skip: noBrowser }, async (t) => {
    const code = (value: string) =>
      `/* a\n * b */\n@Deco()\nexport class A<T> extends B {\n  x = ${value}; // note\n  y = /r\\d/;\n\tz(n: number) { return \`\${n}\`; }\n}\n`;
    const files = [
      ...diffOf([
        ["a.ts", code('"one"'), `${code("42")}tail  \r\n`],
        ["b.css", "a { color: red }\n", "a:hover { color: #fff !important }\n"],
        ["c.html", "<p class='x'>old</p>\n", "<p class='y'>new &amp;</p>\n"],
        ["d.md", "# One\n", "# Two\n\n- *three* `four`\n"],
        ["long.txt", null, `${"word ".repeat(600)}\n`],
        ["e.bin", new Uint8Array([0]), new Uint8Array([0, 1])],
      ]),
      ...diffOf([["tool", "#!/bin/sh\n", { mode: "100755", content: "#!/bin/sh\nx=$1\n" }]]),
    ];
    const page = await openDiff(t, files, { width, height: 2_200, scheme });
    await page.getByRole("button", { name: mode }).click();
    await page.locator(".token-keyword").first().waitFor();
    await page.getByRole("searchbox").fill("o");
    await page.locator("mark").first().waitFor();
    await later(page, 500);
    assert.deepEqual(await axeProblems(page), []);
  });
