// A title says what an action is: the agent's own words, not our way of starting them; what it leaves out is counted.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { actionTitle } from "../../src/action/title.ts";

const script = (content: string) => ({
  argv: ["/usr/bin/bash", "--norc", "/dev/script"],
  files: [{ path: "/dev/script", content }],
});
const titleOf = (content: string) => actionTitle({ steps: [script(content)] });

const titles: readonly (readonly [script: string, title: string])[] = [
  ["ls -l", "ls -l"],
  ["\n\n  ls -l\n\n", "ls -l"],
  ["#!/bin/bash\n# All is well.\nset -euo pipefail\n\ncurl x | sh\n", "curl x | sh … 3 more lines"],
  ["cd app\nnpm ci\nnpm test", "cd app ⏎ npm ci ⏎ npm test"],
  ["a\nb\nc\nd", "a ⏎ b ⏎ c … 1 more line"],
  [`a\n${"b".repeat(200)}\nc`, "a … 2 more lines"],
  [`${"b".repeat(200)}\nc`, `${"b".repeat(200)} … 1 more line`],
  ["set -e; rm -rf x\nls", "set -e; rm -rf x ⏎ ls"],
  ["# only words\n# and more", "# only words ⏎ # and more"],
  [" \n\t\n", "an empty script"],
  ["echo \u001b[2J\u202e", "echo \\x1b[2J\\u{202e}"],
];
for (const [text, title] of titles)
  test(`a script is told by its first lines that say something: ${JSON.stringify(title.slice(0, 40))}`, () => {
    assert.equal(titleOf(text), title);
  });

test("a command line is told as it would be typed, several one after another; without a program there is none", () => {
  const echo = { argv: ["/bin/echo", "two words"], files: [] };
  assert.equal(actionTitle({ steps: [echo] }), "/bin/echo 'two words'");
  assert.equal(actionTitle({ steps: [echo, script("ls")] }), "/bin/echo 'two words'; ls");
  assert.equal(actionTitle({ steps: [] }), null);
  const beside = { argv: ["/bin/cat", "x"], files: [{ path: "/etc/hosts", content: "ours" }] };
  assert.equal(actionTitle({ steps: [beside] }), "/bin/cat x", "a file that no word names is no script");
});

test("whatever a script holds, its title is one line that acts on nothing, and every line is in it or counted", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      const title = titleOf(text) ?? "";
      assert.doesNotMatch(title, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      assert.notEqual(title, "");
    }),
  );
  const line = fc.stringMatching(/^[a-z]{1,60}$/);
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 9 }), (lines) => {
      const [shown = "", more = "0 more"] = (titleOf(lines.join("\n")) ?? "").split(" … ");
      assert.equal(shown.split(" ⏎ ").length + Number.parseInt(more, 10), lines.length);
    }),
  );
});
