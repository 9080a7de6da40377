// No command runs in real bash that the reader had not listed or said to be unknown.

import assert from "node:assert/strict";
import test from "node:test";
import { commandsInBash, isListed, mutatedScripts } from "./script-oracle.ts";
import { reading } from "./reading.ts";

const count = 700;
const scripts = [...mutatedScripts(7, count)];
const inBash = commandsInBash(scripts);

test(`${count} mutated scripts: what bash starts was listed, word for word, or marked unknown`, () => {
  let byName = 0;
  for (const [index, script] of scripts.entries()) {
    const { commands } = reading(script);
    for (const argv of inBash[index] ?? []) {
      assert.ok(
        isListed(argv, commands),
        `bash runs ${JSON.stringify(argv)} of ${JSON.stringify(script)}: ${JSON.stringify(commands)}`,
      );
      if (commands.some(([name]) => name === argv[0])) byName++;
    }
  }
  assert.ok(byName > count, `only ${byName} commands were listed by name`);
});

test("control: a reader that looks only at the beginning of each line misses many", () => {
  let missed = 0;
  for (const [index, script] of scripts.entries()) {
    const names = script.split(/[\n;&|]+/).map((line) => line.trim().split(/\s/)[0]);
    for (const [name] of inBash[index] ?? []) if (!names.includes(name)) missed++;
  }
  assert.ok(missed > 50, `it missed ${missed}`);
});
