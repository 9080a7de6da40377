import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { mergeTexts } from "../../../src/git/publish/merge-texts.ts";
import fc from "../../fixtures/fast-check.ts";
import { runs } from "../../fixtures/runs.ts";
import { afterAllFiles } from "../../fixtures/test-files.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-merge-"));
afterAllFiles(() => rmSync(directory, { recursive: true, force: true }));

const bytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const merged = (base: string, ours: string, theirs: string): string | null => {
  const result = mergeTexts(bytes(base), bytes(ours), bytes(theirs));
  return result?.isClean === true ? Buffer.from(result.content).toString("latin1") : null;
};

/** Null if git finds a conflict. */
function mergedByGit(base: string, ours: string, theirs: string): string | null {
  for (const [name, text] of Object.entries({ base, ours, theirs }))
    writeFileSync(join(directory, name), text, "latin1");
  const words = ["merge-file", "-p", "-q", "ours", "base", "theirs"];
  const { status, stdout } = spawnSync("git", words, { cwd: directory, encoding: "latin1" });
  return status === 0 ? stdout : null;
}

const cases: readonly (readonly [what: string, base: string, ours: string, theirs: string, expected: string | null])[] =
  [
    ["both change other lines", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"],
    ["lines beside each other", "a\nb\n", "A\nb\n", "a\nB\n", null],
    ["the same change", "a\nb\n", "a\nX\n", "a\nX\n", "a\nX\n"],
    ["the same line in two ways", "a\n", "b\n", "c\n", null],
    ["one side deletes, the other changes", "a\nb\nc\n", "a\nc\n", "a\nB\nc\n", null],
    ["added at the end and at the beginning", "a\nb\n", "0\na\nb\n", "a\nb\n1\n", "0\na\nb\n1\n"],
    ["a last line without a line feed", "a\nb\nc", "a\nb\nC", "A\nb\nc", "A\nb\nC"],
    ["bytes that are not UTF-8", "a\nb\n\xff\n", "A\nb\n\xff\n", "a\nb\n\xfe\n", "A\nb\n\xfe\n"],
    ["carriage returns", "a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n"],
    ["from nothing", "", "a\n", "b\n", null],
  ];

for (const [what, base, ours, theirs, expected] of cases)
  test(`${what}: ${expected === null ? "a conflict" : "merged"}, as by git`, () => {
    assert.equal(merged(base, ours, theirs), expected);
    assert.equal(mergedByGit(base, ours, theirs), expected);
  });

test("what is not text is not merged", () => {
  assert.equal(mergeTexts(bytes("a\0b"), bytes("a\0c"), bytes("d\0b")), null);
});

test("a conflict names its line and has both sides", () => {
  const result = mergeTexts(bytes("a\nb\nc\nd\n"), bytes("a\nb\nX\nd\n"), bytes("a\nb\nY\nd\n"));
  assert.deepEqual(result, { isClean: false, conflicts: [{ line: 3, ours: "X\n", theirs: "Y\n" }] });
});

/** Lines that all differ, so that there is one way to match them, and edits of them. */
const edited = fc.array(fc.constantFrom("keep", "drop", "change", "add"), { minLength: 0, maxLength: 12 });
const edit = (edits: readonly string[], side: string): string =>
  edits
    .map(
      (what, at) =>
        ({ keep: `${at}\n`, drop: "", change: `${side} ${at}\n`, add: `${at}\n${side} new ${at}\n` })[what] ?? "",
    )
    .join("");

test("a text in which git finds no conflict comes out as git's; and nothing is merged in which git finds one", () => {
  execFileSync("git", ["--version"]);
  let [clean, conflicts] = [0, 0];
  fc.assert(
    fc.property(edited, edited, (first, second) => {
      const count = Math.min(first.length, second.length);
      const base = edit(
        Array.from({ length: count }, () => "keep"),
        "",
      );
      const [ours, theirs] = [edit(first.slice(0, count), "ours"), edit(second.slice(0, count), "theirs")];
      const expected = mergedByGit(base, ours, theirs);
      if (expected === null) conflicts += 1;
      else clean += 1;
      assert.equal(merged(base, ours, theirs), expected);
    }),
    { numRuns: runs(3_000, 150) },
  );
  assert.ok(clean > 10 && conflicts > 10, `${clean} ${conflicts}`);
});
