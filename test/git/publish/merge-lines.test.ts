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
    assert.deepEqual(mergeLines(base, ours, theirs, labels), byGit(directory, base, ours, theirs), name);
});

const text = fc
  .array(fc.constantFrom("a\n", "b\n", "c\n", "d\n", "\n"), { maxLength: 12 })
  .map((lines) => lines.join(""));

test("nothing of either side is lost: without a conflict each side's change is there, with one both versions are", () => {
  fc.assert(
    fc.property(text, text, text, (base, ours, theirs) => {
      assert.deepEqual(mergeLines(base, ours, base, labels), { text: ours, conflicts: 0 });
      assert.deepEqual(mergeLines(base, base, theirs, labels), { text: theirs, conflicts: 0 });
      assert.deepEqual(mergeLines(base, ours, ours, labels), { text: ours, conflicts: 0 });
      const merged = mergeLines(base, ours, theirs, labels);
      const marks = merged.text.split("\n").filter((line) => line.startsWith("<<<<<<< ")).length;
      assert.equal(marks, merged.conflicts);
      const swapped = mergeLines(base, theirs, ours, labels);
      assert.equal(swapped.conflicts === 0, merged.conflicts === 0);
      if (merged.conflicts === 0) assert.equal(swapped.text, merged.text);
    }),
    { numRuns: runs(2_000) },
  );
});
