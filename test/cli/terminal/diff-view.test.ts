import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import fc from "../../fixtures/fast-check.ts";
import { columnsOf } from "../../../src/cli/terminal/columns.ts";
import { diffRows } from "../../../src/cli/terminal/diff-rows.ts";
import { allLines, diffPage, lastPosition, movePosition } from "../../../src/cli/terminal/diff-view.ts";
import { lineSpans } from "../../../src/cli/terminal/diff-line.ts";
import type { ViewStyle } from "../../../src/cli/terminal/view-style.ts";
import { ChangeDialog } from "../../../src/cli/review/review-changes.ts";
import { entryText, fileEntries, FilesSeen } from "../../../src/cli/review/review-files.ts";
import { pushLines } from "../../../src/cli/review/review-push-view.ts";
import type { PushAction } from "../../../src/action/action.ts";
import type { DiffFile } from "../../../src/action/diff-file.ts";
import { type Change, diffOf, pushQuestion } from "../../fixtures/push-question.ts";
import { runs } from "../../fixtures/runs.ts";

function lookAt(width: number, isUnicode = true, hasColour = false): ViewStyle {
  const paint = (text: string, ...styles: readonly string[]) =>
    hasColour && styles.length > 0 ? `<${styles.join(" ")}>${text}</>` : text;
  return { width, height: 24, isUnicode, paint };
}

function shown(change: Change, look = lookAt(80)): string[] {
  return [...allLines(diffRows(diffOf([change])[0] as DiffFile), look)];
}

/** What stands behind the bar, of the lines with this sign. */
function behind(lines: readonly string[], sign: string): string[] {
  return lines.flatMap((line) => {
    const match = new RegExp(`^[ \\d]*${sign.replace(/[\\+^]/, "\\$&")}[│|](.*)$`, "u").exec(line);
    return match === null ? [] : [match[1] as string];
  });
}

const acts = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}]/u;

const corpus = readFileSync(new URL("../../corpus/cases.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map(
    (line) => JSON.parse(line) as { id: string; input: { render?: { diff?: string }; args?: { message?: string } } },
  );

test("the corpus's hostile diff lines are inert, and none of them leaves its place behind the bar", () => {
  const cases = corpus.filter(({ id }) => id.startsWith("appr-disp-diff-"));
  assert.ok(cases.length >= 5);
  for (const { id, input } of cases) {
    const text = (input.render?.diff ?? "").replace(/^\+/gm, "");
    for (const look of [lookAt(80), lookAt(40), lookAt(80, false)]) {
      const lines = shown(["f", null, `${text}\n`], look);
      for (const line of lines) {
        assert.doesNotMatch(line, acts, id);
        assert.ok(columnsOf(line) <= look.width, id);
      }
      assert.equal(behind(lines, "+").length, text.split("\n").length, `${id}: each line has its sign once`);
      assert.equal(behind(lines, "\\").length, 0, `${id}: no mark of ours but by us`);
    }
  }
});

test("blanks, tabs, CR and what draws nothing are seen, and cannot be told as what they are not", () => {
  const added = behind(shown(["f", "\tx\n", "\t  \nx \t \ny\r\n⇥␣\nz\u200b\u202e\n" + " ".repeat(40) + "q\n"]), "+");
  assert.deepEqual(added, ["⇥␣␣", "x␣⇥␣", "y\\r", "\\u{21e5}\\u{2423}", "z\\u{200b}\\u{202e}", "␣×40q"]);
  const ascii = behind(shown(["f", null, "\t  \né\n"], lookAt(80, false)), "+");
  assert.deepEqual(ascii, ["\\t\\x20\\x20", "\\u{e9}"]);
  assert.deepEqual(
    behind(shown(["f", null, "e\u0301 日本語 👨‍👩‍👧\n"]), "+"),
    ["e\u0301 日本語 👨‍👩‍👧"],
    "ordinary text stays",
  );
});

test("words that changed are marked: by a style, or by a line of their own where there is none", () => {
  const change: Change = ["f", "const a = one;\nsame\n", "const a = two;\nsame\n"];
  const plain = shown(change);
  const at = plain.findIndex((line) => line.endsWith("const a = one;"));
  assert.deepEqual(plain.slice(at, at + 4), [
    "1   -│const a = one;",
    "    ^│          ^^^",
    "  1 +│const a = two;",
    "    ^│          ^^^",
  ]);
  const coloured = shown(change, lookAt(80, true, true));
  assert.ok(coloured.some((line) => line.endsWith("<red>const a = </><red bold>one</><red>;</>")));
  assert.ok(!coloured.some((line) => line.includes("^")));
  // Data that looks like marks has the sign of data.
  assert.deepEqual(behind(shown(["f", null, "    ^│  ^^^\n"]), "+"), ["    ^│  ^^^"]);
});

test("facts of a file: what happens to it, its kind, its size, its lines", () => {
  const text = (change: Change) => shown(change).join("\n");
  assert.match(
    text(["a", null, { mode: "120000", content: "/etc/passwd" }]),
    /new +a\n.*symbolic link[^]*\\│No newline/,
  );
  assert.match(
    text(["a", { mode: "100644", content: "x\n" }, { mode: "100755", content: "x\n" }]),
    /an executable file \(100755\); was a file \(100644\)[^]*content stays the same/,
  );
  assert.match(text(["a", "1\n2\n", null]), /deleted +a[^]*4 bytes[^]*\+0 -2/);
  assert.match(text(["a", null, new Uint8Array([0, 1, 2])]), /3 bytes\n.*\+1 -0\n.*not text[^]*\+│\\x00\\x01\\x02$/m);
  assert.match(text(["a", null, Buffer.from("caf\u00e9\n", "latin1")]), /not UTF-8[^]*\+│café/);
  assert.match(
    text(["a", "hi\n", Buffer.from("\ufeffhi\n", "utf16le")]),
    /UTF-16, little endian[^]*it was UTF-8: every/,
  );
  const large: DiffFile = { ...(diffOf([["a", null, "x"]])[0] as DiffFile), isTooLarge: true, hunks: [] };
  assert.match([...allLines(diffRows(large), lookAt(80))].join("\n"), /Too large: its lines are not shown/);
  const [moved] = diffOf([
    ["old", "1\n2\n3\n4\n", null],
    ["new", null, "1\n2\n3\n4\n5\n"],
  ]);
  assert.match([...allLines(diffRows(moved as DiffFile), lookAt(80))].join("\n"), /moved +new\n│ from +old\n/);
});

test("a long line is broken with a mark, and all of it is there", () => {
  const long = `${"x".repeat(100_000)}EVIL`;
  const lines = shown(["f", null, `${long}\n`]);
  assert.equal([...behind(lines, "+"), ...behind(lines, "↪")].join(""), long);
  const [file] = diffOf([["f", null, `${long}\n`]]);
  const rows = diffRows(file as DiffFile);
  const last = rows.find("EVIL", 0) as number;
  assert.equal(last, rows.count - 1, "it is found in the row that shows it");
  const whole = `${"abc ".repeat(500)}end`;
  const broken = shown(["f", null, `${whole}\n`], lookAt(40));
  assert.equal([...behind(broken, "+"), ...behind(broken, "↪")].join(""), whole);
});

test("no line is wider than the screen and nothing in it acts, for any text, name and width", () => {
  const texts = fc.string({ unit: "binary", maxLength: 300 });
  fc.assert(
    fc.property(texts, texts, fc.integer({ min: 24, max: 120 }), fc.boolean(), (before, after, width, isUnicode) => {
      const look = lookAt(width, isUnicode);
      const question = pushQuestion([[`n${after}`, before, after]], { message: after, place: before, author: after });
      const lines = [
        ...pushLines(question, question.action.push as PushAction, look),
        ...(question.diff ?? []).flatMap((file) => [...allLines(diffRows(file), look)]),
      ];
      for (const line of lines) {
        assert.ok(columnsOf(line) <= width, `${columnsOf(line)} > ${width}: ${line}`);
        assert.doesNotMatch(line.replaceAll(/\p{RGI_Emoji}/gv, ""), acts);
        if (!isUnicode) assert.match(line, /^[ -~]*$/);
      }
    }),
    { numRuns: runs(300) },
  );
});

test("pages: together they are all lines, forwards and backwards", () => {
  const numbers = Array.from({ length: 400 }, (_, at) => `line ${at} ${"x".repeat((at * 37) % 200)}`);
  const rows = diffRows(diffOf([["f", null, `${numbers.join("\n")}\n`]])[0] as DiffFile);
  const look = lookAt(60);
  const all = [...allLines(rows, look)];
  const pages: string[] = [];
  let place = { row: 0, piece: 0 };
  for (;;) {
    const page = diffPage(rows, place, 20, look);
    pages.push(...page.lines);
    if (page.end.row >= rows.count) break;
    place = page.end;
  }
  assert.deepEqual(pages, all);
  const last = lastPosition(rows, 20, look);
  assert.deepEqual(diffPage(rows, last, 20, look).lines, all.slice(-20));
  assert.deepEqual(movePosition(rows, last, 1_000, 20, look), last);
  let back = last;
  for (let step = 0; step < all.length; step += 1) back = movePosition(rows, back, -1, 20, look);
  assert.deepEqual(back, { row: 0, piece: 0 });
});

test("of 50,000 lines only those of one screen are drawn", () => {
  const file = diffOf([["f", null, "a\n".repeat(50_000)]])[0] as DiffFile;
  let drawn = 0;
  const look: ViewStyle = { ...lookAt(80), paint: (text) => ((drawn += 1), text) };
  const rows = diffRows(file);
  for (const place of [
    { row: 0, piece: 0 },
    { row: 25_000, piece: 0 },
  ])
    movePosition(rows, place, 1, 22, look);
  lastPosition(rows, 22, look);
  diffPage(rows, { row: 49_000, piece: 0 }, 22, look);
  assert.ok(drawn < 2_000, `${drawn} pieces were painted`);
});

test("a name that looks like more than a name is in quotes; a file without a diff is still listed", () => {
  const files = [{ path: "a (9 B, +1 -0)", operation: "create" as const, size: 5 }];
  assert.deepEqual(fileEntries(files).map(entryText), ["+ 'a (9 B, +1 -0)' (5 B, no diff)"]);
  const moved = diffOf([
    ["old", "1\n2\n3\n4\n", null],
    ["new", null, "1\n2\n3\n4\n5\n"],
  ]);
  const both = [
    { path: "old", operation: "delete" as const, size: 0 },
    { path: "new", operation: "create" as const, size: 10 },
  ];
  assert.deepEqual(fileEntries(both, moved).map(entryText), ["R new from old (10 B, +1 -0)"]);
});

test("looked at: from the first row to the last, without a leap", () => {
  const files = new FilesSeen(
    fileEntries(
      [],
      diffOf([
        ["a", null, "x\n".repeat(50)],
        ["b", null, "y\n"],
      ]),
    ),
  );
  assert.equal(files.problem(), "2 of 2 files not looked at");
  const note = (at: number, from: number, to: number) =>
    files.note(at, { row: from, piece: 0 }, { row: to, piece: 0 }, 80);
  note(0, 0, 20);
  note(0, 40, files.rows(0).count); // the end alone
  assert.deepEqual([files.state(0), files.problem()], ["part", "1 of 2 files not looked at, 1 in part"]);
  note(0, 20, files.rows(0).count);
  note(1, 0, 3);
  assert.deepEqual([files.state(0), files.problem(), files.next(0)], ["all", "1 of 2 files looked at in part", 1]);
  note(1, 3, files.rows(1).count);
  assert.equal(files.problem(), null);
});

test("looked at: of a row that takes many lines of the screen, each of them", () => {
  const line = `echo ok ${"# padding ".repeat(240)}; touch PAYLOAD; ${"# padding ".repeat(240)}`;
  const diff = diffOf([["a.sh", null, `#!/bin/sh\n${line}\necho done\n`]]);
  const look = lookAt(80);
  // What was on the screen, and the box of the file after it.
  const afterKeys = (...keys: readonly (string | ViewStyle)[]): { isShown: boolean; box: string | undefined } => {
    const dialog = new ChangeDialog({
      choices: [],
      entries: fileEntries([], diff),
      head: () => ["head"],
      tail: () => [],
      help: () => [],
    });
    const screens: string[] = [];
    let now = look;
    for (const key of ["d", ...keys, "q"]) {
      if (typeof key === "string") dialog.press(key, now);
      else now = key;
      screens.push(...dialog.draw(now));
    }
    const listed = dialog.draw(now).find((shownLine) => shownLine.includes("a.sh"));
    return {
      isShown: screens.some((shownLine) => shownLine.includes("PAYLOAD")),
      box: /\[.\]/.exec(listed ?? "")?.[0],
    };
  };
  const pages = (count: number) => Array.from({ length: count }, () => "page-down");
  assert.deepEqual(afterKeys("G"), { isShown: false, box: "[~]" });
  assert.equal(afterKeys("G", "b", "G").box, "[~]", "back from the end");
  assert.equal(afterKeys("page-down", "G").box, "[~]");
  assert.deepEqual(afterKeys(...pages(9)), { isShown: true, box: "[x]" }, "page by page");
  // In a wider window, a place in the row is another one.
  const wide = { ...look, width: 100 };
  assert.equal(afterKeys("page-down", wide, "G").box, "[~]");
  assert.deepEqual(afterKeys("page-down", wide, ...pages(9)), { isShown: true, box: "[x]" });
});

test("a line of very many blanks is made ready at once", () => {
  const text = `${" ".repeat(400_000)}x`;
  const started = process.cpuUsage().user;
  assert.equal(lineSpans(text, [], true).at(-1)?.text, "x");
  assert.equal(
    lineSpans("x \t\r", [], true)
      .map((span) => span.text)
      .join(""),
    "x␣⇥\\r",
  );
  const used = process.cpuUsage().user - started;
  const control = process.cpuUsage().user;
  /[ \t\r]*$/.exec(`${" ".repeat(20_000)}x`);
  const quadratic = process.cpuUsage().user - control; // of a line twenty times shorter: still longer
  assert.ok(used < quadratic, `${used} of ${quadratic}`);
});

test("a hostile message is inert, each of its lines behind a bar of ours, and long ones are counted", () => {
  const look = lookAt(80);
  const frame = pushLines(pushQuestion([]), pushQuestion([]).action.push as PushAction, look).join("\n");
  const messages = corpus.flatMap(({ id, input }) =>
    id.startsWith("push-msg-") && input.args?.message !== undefined ? [input.args.message] : [],
  );
  for (const message of [...messages, frame, "x".repeat(1_000_000)]) {
    const question = pushQuestion([], { message });
    const lines = pushLines(question, question.action.push as PushAction, look);
    for (const line of lines) assert.doesNotMatch(line, acts);
    assert.equal(lines.filter((line) => /^[┌└]/.test(line)).length, 2);
    assert.equal(lines.filter((line) => line.startsWith("│ target")).length, 1);
    assert.equal(
      lines.filter((line) => line.includes("[o] yes, once")).length,
      1 + message.split("[o] yes, once").length - 1,
    );
    if (message.length > 20_000) assert.ok(lines.includes("│          980,000 more characters of it: not shown"));
  }
  const skip = pushQuestion([], { message: "fix [skip ci]" });
  assert.ok(pushLines(skip, skip.action.push as PushAction, look).includes("│   ╎ fix [skip ci]"));
});
