// Requirements: each met and unmet, as values and through `expect`.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test, { after } from "node:test";
import {
  bashRequirements,
  checkRequirements,
  type Effect,
  type ExecutionResult,
  filesExist,
  gitDiffExists,
  noOutsideWrites,
  noSudo,
  nonInteractive,
  pythonRequirements,
  type Requirement,
  underOutputLimits,
  underTimeout,
} from "../../../src/index.ts";
import { createMemoryWorkspace } from "../../../src/workspace/memory.ts";
import { write } from "../../contracts/workspace.ts";
import { boxAlone, makeTestDirectories } from "../../fixtures/gate.ts";
import { ran } from "../../fixtures/run.ts";
import { openScriptGate } from "../../fixtures/script-gate.ts";

const directories = makeTestDirectories();
const shared = openScriptGate(directories, { policy: boxAlone });
after(() => {
  shared.close();
  directories.remove();
});

const usual = await shared.ranBash("true");
const workspace = createMemoryWorkspace();
await workspace.apply([write("a/b.txt", "x")]);

interface Given {
  readonly result?: Partial<ExecutionResult>;
  readonly effects?: readonly Effect[];
  readonly expect?: { readonly files?: readonly string[]; readonly git_diff?: readonly string[] };
}

async function check(requirement: Requirement, { result = {}, effects = [], expect = {} }: Given) {
  return await requirement.check({ ...usual, ...result }, { effects, workspace, expect });
}

const artifacts = [{ path: "/workspace/a/b.txt", operation: "update", size: 1 }];
const rows: [Requirement, Given, Given, RegExp][] = [
  [nonInteractive, {}, { effects: [{ kind: "interactive", argv: ["vim", "a"] }] }, /talk to a person with vim a/],
  [noSudo, {}, { effects: [{ kind: "privilege", argv: ["sudo", null] }] }, /gain privileges with sudo …/],
  [underTimeout, {}, { result: { timed_out: true, duration_s: 1 } }, /time limit after 1 s/],
  [underOutputLimits, {}, { result: { stdout_truncated: true, stderr_truncated: true } }, /stdout and stderr was cut/],
  [
    filesExist,
    { expect: { files: ["a/b.txt", "/workspace/a"] } },
    { expect: { files: ["a/b.txt", "c"] } },
    /\/workspace\/c is not there/,
  ],
  [
    gitDiffExists,
    { result: { artifacts }, expect: { git_diff: ["a/b.txt", "a"] } },
    { result: { artifacts }, expect: { git_diff: ["a/b"] } },
    /\/workspace\/a\/b was not changed/,
  ],
];

for (const [requirement, good, bad, reason] of rows)
  test(`${requirement.name}: met, and unmet with its reason`, async () => {
    assert.deepEqual(await check(requirement, good), { ok: true });
    const unmet = await check(requirement, bad);
    assert.equal(unmet.ok, false);
    assert.match(unmet.reason ?? "", reason);
  });

test("where the kernel does not hold the files, no_outside_writes is not met", async () => {
  const unmet = await check(noOutsideWrites, { result: { enforced: { ...usual.enforced, filesystem: "no" } } });
  assert.match(unmet.reason ?? "", /not held by the kernel/);
});

test("a path that cannot be one is unmet, not an error", async () => {
  for (const requirement of [filesExist, gitDiffExists]) {
    const unmet = await check(requirement, { expect: { files: ["../x"], git_diff: ["../x"] } });
    assert.match(unmet.reason ?? "", /leads upwards/);
  }
});

test("bundles are values: one left out, one of one's own added", async () => {
  const quiet: Requirement = {
    name: "quiet",
    check: ({ stdout }) => (stdout === "" ? { ok: true } : { ok: false, reason: "it spoke" }),
  };
  const own = [...bashRequirements.filter(({ name }) => name !== "under_timeout"), quiet];
  const checked = await checkRequirements(own, { ...usual, stdout: "x" }, { effects: [], workspace, expect: {} });
  assert.deepEqual(
    checked.map(({ name, ok }) => `${name} ${ok}`),
    ["non_interactive true", "no_sudo true", "no_outside_writes true", "under_output_limits true", "quiet false"],
  );
});

const bundle = ["non_interactive", "no_sudo", "no_outside_writes", "under_timeout", "under_output_limits"];

test("expect checks the tool's bundle and what it names; without it nothing is reported", async () => {
  assert.deepEqual(
    [bashRequirements, pythonRequirements].map((list) => list.map(({ name }) => name)),
    [bundle, bundle],
  );
  assert.equal(usual.requirements, undefined);
  const met = await shared.ranBash("echo x > made.txt", {
    expect: { files: ["made.txt"], git_diff: ["/workspace/made.txt"] },
  });
  assert.deepEqual(
    met.requirements,
    [...bundle, "files_exist", "git_diff_exists"].map((name) => ({ name, ok: true })),
  );
  const python = ran(await shared.python("print(1)", { expect: {} }));
  assert.deepEqual(
    python.requirements,
    bundle.map((name) => ({ name, ok: true })),
  );
});

test("each can be missed by a real run", async () => {
  const missed = async (script: string, more: Record<string, unknown> = {}) =>
    ((await shared.ranBash(script, { expect: {}, ...more })).requirements ?? [])
      .filter(({ ok }) => !ok)
      .map(({ name, reason }) => `${name}: ${reason}`);
  assert.deepEqual(await missed("false || true"), []);
  assert.match((await missed("sudo -n true; true")).join(), /^no_sudo: it would gain privileges with sudo -n true/);
  assert.match((await missed("nano x; true")).join(), /^non_interactive: /);
  assert.match((await missed("sleep 9", { timeout_s: 1 })).join(), /^under_timeout: /);
  assert.match(
    (await missed("seq 1 10000", { max_output_bytes: 1024 })).join(),
    /^under_output_limits: stdout was cut/,
  );
  assert.match(
    (await missed("true", { expect: { files: ["none"] } })).join(),
    /^files_exist: \/workspace\/none is not there/,
  );
  assert.match((await missed("cat made.txt", { expect: { git_diff: ["made.txt"] } })).join(), /^git_diff_exists: /);
  const hook = await missed("mkdir -p deep/er && git init -q deep/er", { cwd: directories.root });
  assert.deepEqual([hook, existsSync(`${directories.root}/deep/er/.git`)], [[], false], "the box holds this one");
});
