// Lines of a `.gitignore`, rewritten for a directory below it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { ignoreRulesBelow } from "../../src/workspace/ignore-rules-below.ts";

const rules = [
  "# comment",
  "",
  "name",
  "!not-me",
  "only-directories/",
  "/at-root",
  "/p/one/anchored",
  "p/*/star",
  "p/o?e/[ab]x",
  "**/one/any",
  "p/**/deep",
  "**/last/",
  "/p/**",
  "!/p/one/**/back",
  "/p/two/other",
  "/p/one",
  "*.log  ",
  "p/one/dir/ ",
];

test("the rules that are left, and how they are written", () => {
  assert.equal(
    ignoreRulesBelow(rules.join("\n"), ["p", "one"]),
    [
      "name\n!not-me\nonly-directories/\n/anchored\n/star\n/[ab]x\n/**/one/any\n/any\n/**/deep\n/**/last/\n/**\n",
      "!/**/back\n*.log  \n/dir/ \n",
    ].join(""),
  );
});

test("many ways through a pattern take no longer than its parts times the names", () => {
  const names = Array.from({ length: 60 }, () => "a");
  const line = "**/a/".repeat(60);
  assert.equal(ignoreRulesBelow(`${line}b`, names).split("\n").length, 62);
});

test("git ignores the same paths by the rewritten rules as by those above", (t) => {
  const root = mkdtempSync(join(tmpdir(), "sallyport-rules-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const git = (directory: string, words: readonly string[], input = "") =>
    spawnSync("git", ["-C", directory, ...words], {
      input,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    }).stdout;
  const names = "name not-me only-directories at-root anchored star ax cx any deep last back other a.log dir".split(
    " ",
  );
  const paths = names.flatMap((name) => [name, `${name}/x`, `sub/${name}`, `sub/one/${name}`]);
  // Not the rules that ignore all of the directory.
  const text = rules.filter((rule) => rule !== "/p/one" && rule !== "/p/**").join("\n");
  mkdirSync(join(root, "above/p/one"), { recursive: true });
  mkdirSync(join(root, "below"));
  git(join(root, "above"), ["init", "--quiet"]);
  git(join(root, "below"), ["init", "--quiet"]);
  writeFileSync(join(root, "above/.gitignore"), text);
  writeFileSync(join(root, "below/.git/info/exclude"), ignoreRulesBelow(text, ["p", "one"]));
  const ignored = (directory: string) => git(directory, ["check-ignore", "--stdin"], `${paths.join("\n")}\n`);
  const expected = ignored(join(root, "above/p/one"));
  assert.ok(expected.split("\n").length > 20 && expected.split("\n").length < paths.length);
  assert.equal(ignored(join(root, "below")), expected);
});
