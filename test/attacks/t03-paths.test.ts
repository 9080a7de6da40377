// T03: no spelling of a path, and no link, reaches what was not granted.

import assert from "node:assert/strict";
import { chmodSync, closeSync, copyFileSync, linkSync, mkdirSync, openSync, symlinkSync, writeFileSync } from "node:fs";
import test from "node:test";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { bare, bash, exec, ran, refused } from "../fixtures/run.ts";

function setUp(t: { after(work: () => void): void }) {
  const directories = makeTestDirectories();
  mkdirSync(`${directories.root}/sub`);
  writeFileSync(`${directories.outside}/tool`, "#!/bin/sh\necho outside ran\n");
  writeFileSync(`${directories.outside}/secret.txt`, "secret");
  chmodSync(`${directories.outside}/tool`, 0o755);
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  return { ...directories, gate };
}

test("an ungranted program does not start, however its path is spelled", async (t) => {
  const { root, outside, base, gate } = setUp(t);
  symlinkSync(`${outside}/tool`, `${root}/link`);
  symlinkSync(outside, `${root}/directory`);
  symlinkSync("/proc/self/root", `${root}/machine`);
  const spellings = [
    `${outside}/tool`,
    `${root}/../outside/tool`,
    `${root}/sub/../../outside/./tool`,
    `//${outside}//tool`,
    `${root}/link`,
    `${root}/directory/tool`,
    `/proc/self/root${outside}/tool`,
    `/proc/self/cwd/../..${outside}/tool`,
    `/proc/${process.pid}/root${outside}/tool`,
    `/usr/bin/../..${outside}/tool`,
    `${root}/machine${outside}/tool`,
  ];
  for (const spelling of spellings) {
    const control = bare([spelling], { cwd: base });
    if (!spelling.includes("self/cwd"))
      assert.equal(control.stdout, "outside ran\n", `control: ${spelling} starts it without us`);
    const { error } = refused(await exec(gate, [spelling]));
    assert.ok(["fs_denied", "invalid_args", "permission_denied"].includes(error), `${spelling}: ${error}`);
  }
});

test("a program is named by an absolute path: no search path, no current directory, no descriptor", async (t) => {
  const { root, outside, gate } = setUp(t);
  copyFileSync(`${outside}/tool`, `${root}/tool`);
  const fd = openSync(`${outside}/tool`, "r");
  t.after(() => closeSync(fd));
  const names = [
    "ls",
    "./tool",
    "tool",
    "",
    "sub/../tool",
    "~/tool",
    `/dev/fd/${fd}`,
    `/proc/self/fd/${fd}`,
    `/proc/${process.pid}/fd/${fd}`,
    "/proc/self/exe",
    "/dev/stdin",
  ];
  for (const name of names) {
    const { error } = refused(await exec(gate, [name], { cwd: root, env: { PATH: root } }));
    assert.ok(["invalid_args", "fs_denied"].includes(error), `${name}: ${error}`);
  }
  assert.match(
    bare(["/bin/sh", "-c", "PATH=. tool; ./tool"], { cwd: root }).stdout,
    /outside ran/,
    "control: a search path finds it",
  );
  assert.equal(bare([`/proc/${process.pid}/fd/${fd}`]).stdout, "outside ran\n", "control: a descriptor is a path");
  assert.equal(ran(await exec(gate, [`${root}/tool`])).stdout, "outside ran\n", "control: the granted copy runs");
});

test("an ungranted file is not read, however its path is spelled", async (t) => {
  const { root, outside, gate } = setUp(t);
  symlinkSync(`${outside}/secret.txt`, `${root}/link`);
  symlinkSync("/proc/1/root", `${root}/machine`);
  const secret = `${outside}/secret.txt`;
  const spellings = [
    secret,
    `${root}/../outside/secret.txt`,
    `${root}/link`,
    `/proc/self/root${secret}`,
    `/proc/1/root${secret}`,
    `/proc/1/cwd${secret}`,
    `/proc/self/cwd/../..${secret}`,
    `${root}/machine${secret}`,
    `/proc/thread-self/root${secret}`,
    `/dev/fd/../root${secret}`,
  ];
  for (const spelling of spellings) {
    assert.doesNotMatch(
      (await bash(gate, `cat ${spelling}; cat < ${spelling}; cd -P ${spelling.slice(0, -11)} && cat secret.txt`))
        .stdout,
      /secret/,
      spelling,
    );
  }
  assert.equal(bare(["/bin/cat", `/proc/self/root${secret}`]).stdout, "secret", "control: without us it is read");
});

test("a hard link is the file: who puts one into a granted directory has granted it; an agent cannot", async (t) => {
  const { root, outside, gate } = setUp(t);
  linkSync(`${outside}/secret.txt`, `${root}/put-there-by-a-person`);
  assert.equal(
    (await bash(gate, `cat ${root}/put-there-by-a-person`)).stdout,
    "secret",
    "this is not promised, and the threat model says so",
  );
  const { exit_code } = await bash(
    gate,
    `ln ${outside}/secret.txt ${root}/mine || ln /usr/bin/env ${root}/mine || ln /etc/passwd ${root}/mine`,
  );
  assert.notEqual(exit_code, 0);
  assert.equal(
    bare(["/bin/ln", `${outside}/secret.txt`, `${outside}/second`]).status,
    0,
    "control: on this disk links can be made",
  );
});

test("a directory of a granted name outside does not count: whole components", async (t) => {
  const { root, gate } = setUp(t);
  mkdirSync(`${root}-other`);
  writeFileSync(`${root}-other/secret.txt`, "secret");
  assert.equal((await bash(gate, `cat ${root}-other/secret.txt`)).stdout, "");
  assert.equal(refused(await exec(gate, ["/bin/pwd"], { cwd: `${root}-other` })).error, "fs_denied");
  assert.equal(bare(["/bin/cat", `${root}-other/secret.txt`]).stdout, "secret", "control");
});
