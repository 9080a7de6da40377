// What the guards do around a run, without one: tests of real runs are in the sandbox contract.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import test from "node:test";
import type { View } from "../../src/action/action.ts";
import { DirectoryIndex } from "../../src/sandbox/directory-index.ts";
import { Guards } from "../../src/sandbox/guards.ts";
import { openGuardLedger } from "../../src/store/guards.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";

function setUp(t: { after(work: () => void): void }) {
  const directories = makeTestDirectories();
  const ledger = openGuardLedger(directories.state);
  t.after(() => (ledger.close(), directories.remove()));
  const guards = new Guards(ledger, new DirectoryIndex(), `${directories.state}/quarantine`);
  const view: View = {
    paths: [{ path: directories.root, mode: "rw", hide: [] }],
    links: [],
    workspace: { kind: "scratch" },
    network: "none",
  };
  return { ...directories, guards, view };
}

test("what was made is looked for when a hold ends, even if nobody asked what came of the run", (t) => {
  const { root, state, guards, view } = setUp(t);
  const held = guards.hold(view);
  mkdirSync(`${root}/new/.git`, { recursive: true });
  writeFileSync(`${root}/new/.git/config`, "x");
  held.release();
  assert.deepEqual(readdirSync(root, { recursive: true }), ["new"]);
  assert.ok(existsSync(`${state}/quarantine`));
});

test("it is looked for once, and what was found is told again", (t) => {
  const { root, guards, view } = setUp(t);
  const held = guards.hold(view);
  mkdirSync(`${root}/new`);
  writeFileSync(`${root}/new/.envrc`, "x");
  const found = held.afterwards();
  assert.deepEqual(
    found.map(({ path }) => path),
    [`${root}/new/.envrc`],
  );
  writeFileSync(`${root}/new/.envrc`, "a person's own, after the run");
  held.release();
  assert.equal(held.afterwards(), found);
  assert.ok(existsSync(`${root}/new/.envrc`));
});

test("without a box nothing can be bound, so nothing is put anywhere", (t) => {
  const { root, guards } = setUp(t);
  const held = guards.hold(null);
  assert.deepEqual(held.readOnly, []);
  assert.deepEqual(readdirSync(root), []);
  held.release();
});

test("placeholders stand while a hold lasts, and an empty file of a person's is kept", (t) => {
  const { root, guards, view } = setUp(t);
  writeFileSync(`${root}/.envrc`, "");
  const held = guards.hold(view);
  for (const name of [".git", ".vscode", ".bashrc", ".envrc"])
    assert.ok(held.readOnly.includes(`${root}/${name}`), name);
  assert.ok(existsSync(`${root}/.git`));
  held.release();
  assert.deepEqual(readdirSync(root), [".envrc"]);
});
