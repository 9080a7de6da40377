// What takes long says how far it has come, and ends at its end.

import assert from "node:assert/strict";
import test from "node:test";
import { makeGitGates } from "../fixtures/git-gates.ts";

const FILES = 700;

test("staging, pushing and pulling many files tell their progress", async (t) => {
  const world = makeGitGates();
  t.after(() => world.close());
  const { gate, done } = world.open();
  const script = `mkdir many; for i in {1..${FILES}}; do echo "$i" > many/$i.txt; done`;
  await done("Bash", { script });
  const told: { done: number; total: number | null; what: string }[] = [];
  const call = async (tool: string, args: object) => {
    told.length = 0;
    const reply = await gate.call(
      { tool, args },
      { onProgress: (count, total, what) => void told.push({ done: count, total, what }) },
    );
    assert.ok(reply.ok, JSON.stringify(reply));
    return reply.result;
  };
  const isCounting = (what: string, total: number) => {
    const steps = told.filter((one) => one.what === what);
    assert.ok(steps.length > 2 && steps.every((step) => step.total === total), `${what}: ${JSON.stringify(told)}`);
    assert.deepEqual(
      steps.map((step) => step.done),
      steps.map((step) => step.done).toSorted((a, b) => a - b),
    );
    assert.equal(steps.at(-1)?.done, total);
  };
  const files = Array.from({ length: FILES }, (_, index) => `many/${index + 1}.txt`);
  const { id } = await call("git_stage", { files, message: "Many" });
  isCounting("files staged", FILES);
  await call("git_push", { commitId: id, target: { type: "local", path: ".", branch: "many" } });
  isCounting("objects", FILES + 3); // the two trees and the commit
  await call("git_pull", { source: { type: "local", path: ".", branch: "many" }, paths: ["many/"] });
  isCounting("files pulled", FILES);
});
