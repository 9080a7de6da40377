// Layers with very many files: a landing of them takes bounded time, and the gate answers other calls meanwhile.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import test, { type TestContext } from "node:test";
import { HostTree } from "../../../src/sandbox/layer/host-tree.ts";
import { TooManyChanges } from "../../../src/sandbox/layer/landing-plan.ts";
import { renamedFiles } from "../../../src/sandbox/layer/renamed-files.ts";
import { limits } from "../../../src/shared/limits.ts";
import { makeTestDirectories, openGate } from "../../fixtures/gate.ts";
import { bash, exec, refused } from "../../fixtures/run.ts";

function setUp(t: TestContext) {
  const directories = makeTestDirectories();
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  return { ...directories, gate };
}

test("100,000 files land in bounded time, while the gate answers others", async (t) => {
  const { root, gate } = setUp(t);
  const many = bash(
    gate,
    `cd ${root}; perl -e 'for my $d (0 .. 99) { mkdir $d; for (0 .. 999) { open my $f, ">", "$d/$_" } }'`,
    { timeout_s: 300 },
  );
  let others = 0;
  const other = (async () => {
    while (others < 20) others += (await bash(gate, "true")).exit_code === 0 ? 1 : 0;
  })();
  assert.equal((await many).exit_code, 0);
  await other;
  assert.equal(readdirSync(root).length, 100);
  assert.equal(readdirSync(`${root}/99`).length, 1000);
});

test("more files than may land are refused whole", { timeout: 300_000 }, async (t) => {
  const { root, gate } = setUp(t);
  const reply = refused(await exec(gate, ["/usr/bin/perl", "-e", `mkdir "${root}/d"; link("${root}/d/0", "${root}/d/$_") or (open my $f, ">", "${root}/d/$_") for (0 .. 200_050)`], { timeout_s: 300 })); // prettier-ignore
  assert.match(reply.message, /^Nothing of the call has landed: the call changed more than 200000 files/);
  assert.deepEqual(readdirSync(root), []);
});

test("the search for the old names of files is bounded like what may land", { timeout: 300_000 }, async (t) => {
  const { root } = setUp(t);
  const host = new HostTree(root);
  t.after(() => host.close());
  const entries = [
    { kind: "changed file", path: "missing", inode: 1n },
    { kind: "gone", path: "d" },
  ] as const;
  const fill = (from: number, to: number) =>
    execFileSync("/usr/bin/perl", ["-e", `mkdir "${root}/d"; open my $f, ">", "${root}/d/$_" for (${from} .. ${to})`]);
  fill(1, limits.landingSteps);
  assert.deepEqual(renamedFiles(entries, host), new Set(), "the control: as many as may land");
  fill(limits.landingSteps + 1, limits.landingSteps + 1);
  assert.throws(() => renamedFiles(entries, host), TooManyChanges);
});
