import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import fc from "../../fixtures/fast-check.ts";
import { runs } from "../../fixtures/runs.ts";
import { mergeLines } from "../../../src/git/publish/merge-lines.ts";

const labels = { ours: "here", theirs: "session fix" };

/** What `git merge-file` makes of it, and the number of conflicts. */
function byGit(directory: string, base: string, ours: string, theirs: string): { text: string; conflicts: number } {
  for (const [name, text] of Object.entries({ base, ours, theirs })) writeFileSync(join(directory, name), text);
  const words = ["merge-file", "-p", "-L", labels.ours, "-L", "base", "-L", labels.theirs, "ours", "base", "theirs"];
  const { status, stdout, stderr } = spawnSync("git", words, { cwd: directory, encoding: "utf8" });
  assert.equal(stderr, "");
  return { text: stdout, conflicts: status ?? -1 };
}

function merged(base: string, ours: string, theirs: string): { text: string; conflicts: number } {
  const { text, conflicts } = mergeLines(base, ours, theirs, labels);
  return { text, conflicts: conflicts.length };
}

const eight = "1\n2\n3\n4\n5\n6\n7\n8\n";
const cases: readonly [name: string, base: string, ours: string, theirs: string][] = [
  ["one side", eight, eight, eight.replace("3", "three")],
  ["different places", eight, eight.replace("2", "two"), eight.replace("7", "seven")],
  ["the same change", eight, eight.replace("2", "two"), eight.replace("2", "two")],
  ["the same line", eight, eight.replace("4", "four"), eight.replace("4", "vier")],
  ["neighbours", eight, eight.replace("4", "four"), eight.replace("5", "five")],
  ["a line between", eight, eight.replace("4", "four"), eight.replace("6", "six")],
  ["added at one place", eight, `${eight}9\n`, `${eight}neun\n`],
  ["added in the same way, and more", eight, `${eight}9\n`, `${eight}9\n10\n`],
  ["deleted and changed", eight, eight.replace("4\n5\n", ""), eight.replace("5", "five")],
  [
    "two conflicts near each other",
    eight,
    eight.replace("3", "c").replace("5", "e"),
    eight.replace("3", "C").replace("5", "E"),
  ],
  [
    "two conflicts far apart",
    `${eight}9\n10\n`,
    `${eight}9\n10\n`.replace("1\n", "a\n").replace("8", "h"),
    `${eight}9\n10\n`.replace("1\n", "A\n").replace("8", "H"),
  ],
  ["both made it", "", "mine\nsame\n", "theirs\nsame\n"],
  ["no line feed at the end", "1\n2", "1\n2 mine", "1\n2 theirs"],
  ["one adds the line feed", "1\n2", "1\n2\n", "0\n1\n2"],
  ["emptied", eight, "", eight.replace("8", "eight")],
  ["carriage returns", "1\r\n2\r\n", "1\r\ntwo\r\n", "1\r\nzwei\r\n"],
];

test("it is what git merge-file makes, byte for byte", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-merge-"));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const [name, base, ours, theirs] of cases)
    assert.deepEqual(merged(base, ours, theirs), byGit(directory, base, ours, theirs), name);
});

/** Lines that all differ, so that there is one way to match them, and edits of them. */
const edits = fc.array(fc.constantFrom("keep", "drop", "change", "add"), { maxLength: 12 });
const edited = (words: readonly string[], side: string): string =>
  words
    .map(
      (what, at) =>
        ({ keep: `${at}\n`, drop: "", change: `${side} ${at}\n`, add: `${at}\n${side} new ${at}\n` })[what] ?? "",
    )
    .join("");

test("random edits come out as git's, or are a conflict where git finds one", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-merge-"));
  t.after(() => rmSync(directory, { recursive: true }));
  let [clean, conflicts] = [0, 0];
  fc.assert(
    fc.property(edits, edits, (first, second) => {
      const count = Math.min(first.length, second.length);
      const base = edited(
        Array.from({ length: count }, () => "keep"),
        "",
      );
      const [ours, theirs] = [edited(first.slice(0, count), "ours"), edited(second.slice(0, count), "theirs")];
      const expected = byGit(directory, base, ours, theirs);
      const found = merged(base, ours, theirs);
      assert.equal(found.conflicts > 0, expected.conflicts > 0);
      if (expected.conflicts > 0) return void (conflicts += 1);
      clean += 1;
      assert.equal(found.text, expected.text);
    }),
    { numRuns: runs(3_000, 150) },
  );
  assert.ok(clean > 10 && conflicts > 10, `${clean} ${conflicts}`);
});

test("a conflict says where it is, in the text that both began with", () => {
  assert.deepEqual(mergeLines("a\nb\nc\nd\n", "a\nb\nX\nd\n", "a\nb\nY\nd\n", labels).conflicts, [3]);
});

const text = fc
  .array(fc.constantFrom("a\n", "b\n", "c\n", "d\n", "\n"), { maxLength: 12 })
  .map((lines) => lines.join(""));

test("nothing of either side is lost: without a conflict each side's change is there, with one both versions are", () => {
  fc.assert(
    fc.property(text, text, text, (base, ours, theirs) => {
      assert.deepEqual(mergeLines(base, ours, base, labels), { text: ours, conflicts: [], sides: [] });
      assert.deepEqual(mergeLines(base, base, theirs, labels), { text: theirs, conflicts: [], sides: [] });
      assert.deepEqual(mergeLines(base, ours, ours, labels), { text: ours, conflicts: [], sides: [] });
      const merged = mergeLines(base, ours, theirs, labels);
      const marks = merged.text.split("\n").filter((line) => line.startsWith("<<<<<<< ")).length;
      assert.equal(marks, merged.conflicts.length);
      const swapped = mergeLines(base, theirs, ours, labels);
      assert.equal(swapped.conflicts.length === 0, merged.conflicts.length === 0);
      if (merged.conflicts.length === 0) assert.equal(swapped.text, merged.text);
    }),
    { numRuns: runs(2_000) },
  );
});
