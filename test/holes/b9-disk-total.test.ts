// B9: five files of 60 MB under a limit of 64 MB for a file, and no complaint: a disk could be filled.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { createRegistry, type ExecutionResult, registerBashTool } from "../../src/index.ts";
import { makeTestDirectories, openGate, resultOf } from "../fixtures/gate.ts";

/** A directory on a disk: what is written to memory counts as memory. `npm test` has its temporary directories in memory. */
function onDisk(t: TestContext): string {
  const directory = mkdtempSync(join(import.meta.dirname, "../../node_modules/.cache/sallyport-disk-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function bashOn(t: TestContext, directory: string, disk_mb?: number) {
  const directories = makeTestDirectories();
  const registry = createRegistry();
  registerBashTool(registry);
  const paths = [
    { path: "/usr", mode: "r" },
    { path: directory, mode: "rw" },
  ] as const;
  const limits = { fsize_mb: 16, ...(disk_mb === undefined ? {} : { disk_mb }) };
  const gate = openGate(directories, { tools: ["Bash"], paths, limits }, { registry, statePath: `${onDisk(t)}/state` });
  t.after(() => (gate.close(), directories.remove()));
  return async (script: string): Promise<ExecutionResult> =>
    resultOf(
      await gate.call({ tool: "Bash", args: { script, cwd: directory, timeout_s: 60 } }),
    ) as unknown as ExecutionResult;
}

const total = (directory: string) =>
  readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0) / 2 ** 20;

const many = "for i in $(seq 1 60); do head -c 10M /dev/zero > f$i; sleep 0.02; done; echo all";

test("control: without us all of it is written; and below the limit it is with us", async (t) => {
  const [bare, boxed] = [onDisk(t), onDisk(t)];
  const script = many.replace("60", "5");
  assert.equal(spawnSync("/bin/bash", ["-c", script], { cwd: bare, encoding: "utf8" }).stdout, "all\n");
  const { stdout, limit_hit } = await bashOn(t, boxed, 100)(script);
  assert.deepEqual([stdout, limit_hit, total(boxed)], ["all\n", null, total(bare)]);
});

test("a call that writes more than it may, in files that are each small enough, is ended and says so", async (t) => {
  for (const [way, script] of [
    ["one after the other", many],
    ["by children of children", `( ( ${many} ) & wait ) ; true`],
    [
      "by one program",
      "perl -e 'for my $i (1..60) { open F, q(>), qq(f$i); print F q(x) x 10485760; close F; select undef, undef, undef, 0.02 } print qq(all)'",
    ],
  ] as const) {
    const directory = onDisk(t);
    const { limit_hit, signal, stdout, timed_out } = await bashOn(t, directory, 100)(script);
    assert.deepEqual([limit_hit, signal, timed_out], ["disk", "SIGKILL", false], way);
    assert.doesNotMatch(stdout, /all/);
    assert.equal(total(directory), 0, `${way}: nothing of it lands`);
  }
});

test("what is deleted again before it reaches the disk does not count, nor what is written to memory", async (t) => {
  const directory = onDisk(t);
  const bash = bashOn(t, directory, 60);
  const again = await bash("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do head -c 10M /dev/zero > f; rm f; done; echo all");
  assert.deepEqual([again.stdout, again.limit_hit], ["all\n", null]);
  const memory = await bash("for i in 1 2 3 4 5 6 7 8 9 10; do head -c 10M /dev/zero > /tmp/f$i; done; echo all");
  assert.deepEqual([memory.stdout, memory.limit_hit], ["all\n", null]);
  assert.equal(existsSync(join(directory, "f")), false);
});

test("space that is reserved without being written counts, because it has to be written; programs go on", async (t) => {
  const script = "for i in $(seq 1 30); do fallocate -l 15M f$i || exit 3; done; echo all";
  const [bare, boxed] = [onDisk(t), onDisk(t)];
  // Control: without us all of it is taken, though nothing was written.
  assert.equal(spawnSync("/bin/bash", ["-c", script], { cwd: bare, encoding: "utf8" }).stdout, "all\n");
  const bash = bashOn(t, boxed, 30);
  const reserved = await bash(script);
  assert.deepEqual([reserved.exit_code, reserved.stdout], [3, ""]);
  assert.match(reserved.stderr, /not supported/);
  assert.equal(total(boxed), 0);
  const library = `python3 -c 'import os
for i in range(30):
  f = os.open("g%d" % i, os.O_RDWR | os.O_CREAT); os.posix_fallocate(f, 0, 15 << 20); os.close(f)
  import time; time.sleep(0.02)
print("all")'`;
  assert.equal((await bash(library)).limit_hit, "disk");
  const small = `python3 -c 'import os, sqlite3
os.posix_fallocate(os.open("h", os.O_RDWR | os.O_CREAT), 0, 1 << 20)
db = sqlite3.connect("db"); db.execute("pragma journal_mode = wal"); db.execute("create table t (x)"); db.commit()
print(os.stat("h").st_size)' && git init -q r && cd r && echo a > a && git add a && git -c user.name=x -c user.email=x@x commit -qm m && git gc -q && echo committed`;
  const { stdout, stderr } = await bash(small);
  assert.equal(stdout, "1048576\ncommitted\n", stderr);
});
