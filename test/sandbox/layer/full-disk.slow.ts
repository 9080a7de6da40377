// A call whose changes do not fit on the disk where they land: a small file system in a mount namespace of this test, with the layers on
// another disk, so that each file is copied.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import test, { type TestContext } from "node:test";
import type { Gate } from "../../../src/index.ts";
import { makeTestDirectories, openGate, type TestDirectories } from "../../fixtures/gate.ts";
import { keptLayers, layersOf } from "../../fixtures/layers.ts";
import { bash, exec, isRoot, refused } from "../../fixtures/run.ts";

const OWN = "SALLYPORT_TEST_MOUNTS";

function onDisk(t: TestContext, options: string): TestDirectories & { readonly gate: Gate } {
  const directories = makeTestDirectories();
  const { root } = directories;
  assert.equal(spawnSync("mount", ["-t", "tmpfs", "-o", `${options},mode=700`, "small", root]).status, 0);
  writeFileSync(`${root}/a.txt`, "a\n");
  writeFileSync(`${root}/gone.txt`, "gone\n");
  const gate = openGate(directories);
  t.after(() => {
    gate.close();
    spawnSync("umount", [root]);
    directories.remove();
  });
  return { ...directories, gate };
}

/** The call's reply says that nothing landed, nothing has, what it wrote is kept, and the next call lands. */
async function assertNothingLands(
  { gate, root, state }: TestDirectories & { readonly gate: Gate },
  script: string,
  kept: string,
): Promise<void> {
  const said = refused(await exec(gate, ["/bin/bash", "-c", `cd ${root}; ${script}`]));
  assert.equal(said.error, "tool_failed");
  assert.match(said.message, /^Nothing of the call has landed: what the call wrote could not be written \(ENOSPC\)\.$/);
  assert.deepEqual(readdirSync(root, { recursive: true }).map(String).sort(), ["a.txt", "gone.txt"]);
  assert.deepEqual(
    [readFileSync(`${root}/a.txt`, "utf8"), readFileSync(`${root}/gone.txt`, "utf8")],
    ["a\n", "gone\n"],
  );
  const [layer = "", ...others] = keptLayers(state);
  assert.deepEqual([others, layersOf(state)], [[], [layer]]);
  assert.ok(said.hint?.includes(`What it wrote is kept for a day in ${state}/layers/${layer}`), said.hint);
  assert.ok(existsSync(`${state}/layers/${layer}/0/upper/${kept}`));
  await bash(gate, `cd ${root}; echo more >> a.txt`);
  assert.equal(readFileSync(`${root}/a.txt`, "utf8"), "a\nmore\n");
}

if (process.env[OWN] !== undefined) {
  test("files that do not fit: nothing lands, and what the call wrote is kept", async (t) => {
    const disk = onDisk(t, "size=1m");
    // The control: a plain copy leaves a part.
    mkdirSync(`${disk.base}/big`);
    writeFileSync(`${disk.base}/big/b`, Buffer.alloc(2 << 20));
    assert.notEqual(spawnSync("cp", ["-r", `${disk.base}/big`, `${disk.root}/copied`]).status, 0);
    assert.ok(existsSync(`${disk.root}/copied/b`));
    rmSync(`${disk.root}/copied`, { recursive: true });
    await assertNothingLands(disk, "echo x >> a.txt; rm gone.txt; mkdir d; echo d > d/x; head -c 2M /dev/zero > big", "big"); // prettier-ignore
  });

  test("the files fit, and their directories do not: the same", async (t) => {
    // The root, two files, the landing's own directory, three copies: one directory more has its place.
    const disk = onDisk(t, "size=1m,nr_inodes=8");
    await assertNothingLands(disk, "echo x >> a.txt; rm gone.txt; mkdir d e; echo d > d/x; echo e > e/x", "e/x");
  });
  test("a disk that has room for what is new, and for no second name beside it: all of it lands", async (t) => {
    // The root, two files, the landing's own directory, a directory, two copies.
    const { gate, root, state } = onDisk(t, "size=1m,nr_inodes=7");
    await bash(gate, `cd ${root}; echo x >> a.txt; mkdir d; echo d > d/x`);
    assert.deepEqual(readdirSync(root, { recursive: true }).map(String).sort(), ["a.txt", "d", "d/x", "gone.txt"]);
    assert.deepEqual([readFileSync(`${root}/a.txt`, "utf8"), readFileSync(`${root}/d/x`, "utf8")], ["a\nx\n", "d\n"]);
    assert.deepEqual(layersOf(state), []);
  });
} else
  test("a full disk where a call lands", { skip: !isRoot && "only root mounts", timeout: 120_000 }, () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const words = ["--mount", process.execPath, "--test-reporter=tap", import.meta.filename];
    const ran = spawnSync("unshare", words, { encoding: "utf8", env: { ...env, [OWN]: "1" } });
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
    assert.match(ran.stdout, /^# pass 3$/m);
  });
