// The approval cases of the corpus: what a person sees, and what their answer is for.

import { strict as assert } from "node:assert";
import { after, describe, test } from "node:test";
import { noTerminal } from "../fixtures/cli.ts";
import { bound } from "./approval-bound.ts";
import { checkShown } from "./approval-shown.ts";
import { onTerminal } from "./approval-terminal.ts";
import { type CorpusCase, loadCases } from "./cases.ts";
import { Tally } from "./tally.ts";
import { configHome, fillIn, makeWorld, removeWorlds } from "./world.ts";

process.env["XDG_CONFIG_HOME"] = configHome;

const cases = loadCases(["approval"]);
const tally = new Tally(cases);

after(() => {
  console.log(tally.table());
  removeWorlds();
});

const isShown = ({ input }: CorpusCase) => typeof input === "object" && input !== null && "render" in input;

test("every approval case is covered once, and nothing is covered that is no case", () => {
  assert.equal(cases.length, 64);
  const covered = [...Object.keys(bound), ...Object.keys(onTerminal), ...cases.filter(isShown).map(({ id }) => id)];
  assert.deepEqual(covered.sort(), cases.map(({ id }) => id).sort());
});

describe("side by side", { concurrency: 4, timeout: 600_000 }, () => {
  for (const one of cases) {
    const { id, why } = one;
    const skip = id in onTerminal && noTerminal;
    test(`${id}: ${why}`, { timeout: 150_000, skip }, async (t) => {
      const terminal = onTerminal[id];
      if (terminal !== undefined) await terminal(t);
      else {
        const world = makeWorld(id);
        if (isShown(one)) await checkShown(one, world, fillIn(one.input, world));
        else await bound[id]?.(world);
      }
      tally.passed(one, "case");
    });
  }
});
