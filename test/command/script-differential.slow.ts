// The same as the differential test, with thousands of scripts.

import assert from "node:assert/strict";
import test from "node:test";
import { commandsInBash, isListed, mutatedScripts } from "./script-oracle.ts";
import { reading } from "./reading.ts";

const seed = Number(process.env["SEED"] ?? 1);
for (let round = 0; round < 12; round++) {
  test(`round ${round} of 1,000 mutated scripts`, () => {
    const scripts = [...mutatedScripts(seed * 1000 + round, 1000)];
    const missed = commandsInBash(scripts).flatMap((lists, index) => {
      const script = scripts[index] as string;
      const { commands } = reading(script);
      return lists
        .filter((argv) => !isListed(argv, commands))
        .map((argv) => `${JSON.stringify(argv)} of ${JSON.stringify(script)}: ${JSON.stringify(commands)}`);
    });
    assert.deepEqual(missed, []);
  });
}
