// The layers of calls that have ended are removed while nobody waits for it, and nothing of them stays: by itself, by a gate that is closed,
// by the next gate after a kill. What has landed is untouched by it.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import test, { type TestContext } from "node:test";
import { markOfThisProcess } from "../../../src/process/process-mark.ts";
import { makeTestDirectories, openGate } from "../../fixtures/gate.ts";
import { layersOf, removedLayersOf } from "../../fixtures/layers.ts";
import { bash, until } from "../../fixtures/run.ts";

const dead = markOfThisProcess().replace(/^\d+\.\d+/, "4194303.1");

function setUp(t: TestContext) {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const { root, state } = directories;
  const paths = [
    { path: "/usr", mode: "r" },
    { path: root, mode: "rw" },
  ] as const;
  return { root, state, open: () => openGate(directories, { paths }) };
}

test("what a call leaves is gone by itself, also what it took the gate's rights to", async (t) => {
  const { root, state, open } = setUp(t);
  const gate = open();
  t.after(() => gate.close());
  await bash(gate, `cd ${root}; mkdir -p a/b; echo x > a/b/c; ln -s /etc link; chmod 0 a/b a`);
  assert.deepEqual(layersOf(state), []);
  await until("it is removed", () => removedLayersOf(state).length === 0);
  assert.deepEqual(readdirSync(`${state}/layers`), []);
  assert.deepEqual(readdirSync(root).sort(), ["a", "link"]);
});

test("a gate that is closed has removed all of it", async (t) => {
  const { root, state, open } = setUp(t);
  const gate = open();
  for (const round of [1, 2, 3]) await bash(gate, `mkdir -p ${root}/d; touch ${root}/d/${round}-{1..50}`);
  gate.close();
  assert.deepEqual(readdirSync(`${state}/layers`), []);
  assert.equal(readdirSync(`${root}/d`).length, 150);
});

test("what a killed gate had begun to remove is removed by the next one, and not landed again", async (t) => {
  const { root, state, open } = setUp(t);
  const left = `${state}/layers/${dead}-0123456789ab.gone`;
  mkdirSync(`${left}/0/upper/closed`, { recursive: true });
  writeFileSync(`${left}/0/upper/f`, "old\n");
  writeFileSync(`${left}/landing`, "");
  const step = { op: "put", place: 0, path: "f", before: null, size: 4, isPlain: true };
  const journal = { id: "0123456789ab", places: [{ directory: root, upper: `${left}/0/upper`, staging: "" }], steps: [step] }; // prettier-ignore
  writeFileSync(`${left}/journal`, JSON.stringify(journal));
  chmodSync(`${left}/0/upper/closed`, 0);
  const gate = open();
  t.after(() => gate.close());
  await until("it is removed", () => !existsSync(left));
  assert.deepEqual([readdirSync(`${state}/layers`), readdirSync(root)], [[], []]);
});

test("removing a layer does not change a landed file: the next call sees no change by somebody else", async (t) => {
  const { root, open } = setUp(t);
  const gate = open();
  t.after(() => gate.close());
  const many = `${root}/{1..200}`;
  await bash(gate, `touch ${many}`);
  const before = statSync(`${root}/200`, { bigint: true });
  assert.equal(before.nlink, 1n);
  await bash(gate, `for f in ${many}; do echo more >> $f; done`);
  assert.equal(readFileSync(`${root}/200`, "utf8"), "more\n");
});
