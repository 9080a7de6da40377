// Layers with very many files: a landing of them takes bounded time, and the gate answers other calls meanwhile.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import test, { type TestContext } from "node:test";
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
