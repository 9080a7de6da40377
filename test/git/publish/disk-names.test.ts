import assert from "node:assert/strict";
import { test } from "node:test";
import { DiskNames } from "../../../src/git/publish/disk-names.ts";

const isOne = (a: string, b: string): boolean => {
  const names = new DiskNames();
  names.add(a);
  return names.same(b).length > 0;
};

const one: readonly (readonly [string, string])[] = [
  ["a.txt", "A.TXT"],
  ["\u00e9", "e\u0301"],
  ["x", "x\u200b"],
  ["straße", "STRASSE"],
  ["a.", "a"],
  ["a ", "A"],
  ["a. .", "a"],
  ["a.", "a "],
  ["d./x", "d/X"],
  ["a:s", "a"],
  ["a:S", "a:s"],
  ["a.:s", "a"],
  ["a::$DATA", "a"],
  ["a:s:$DATA", "a:s"],
  ["d::$INDEX_ALLOCATION/x", "d/x"],
  ["d:$I30:$INDEX_ALLOCATION", "d"],
  ["\u00e9.", "e\u0301"],
];

for (const [a, b] of one)
  test(`one file on some disk: ${JSON.stringify([a, b])}`, () => {
    assert.ok(isOne(a, b));
    assert.ok(isOne(b, a));
  });

const apart: readonly (readonly [string, string])[] = [
  ["a", "b"],
  ["a.b", "a"],
  [".a", "a"],
  [" a", "a"],
  ["a b", "ab"],
  ["10:30.log", "10:45.log"],
  ["a:b", "a.txt"],
  ["...", "...."],
  [":a", ":b"],
  ["d./x", "d/y"], // their parents are one, and are added as well
  ["x/a", "y/a"],
];

for (const [a, b] of apart)
  test(`two files: ${JSON.stringify([a, b])}`, () => {
    assert.ok(!isOne(a, b));
    assert.ok(!isOne(b, a));
  });

test("a name is one with itself once it was added", () => {
  const names = new DiskNames();
  assert.deepEqual(names.same("a:b"), []);
  names.add("a:b");
  assert.deepEqual(names.same("a:b"), ["a:b"]);
});
