// B9, and containers: `doctor` names why no box can be built, and what mends that; a directory in PATH that may not be
// looked at counts as absent. Each obstacle is put on for real, around the command, with bubblewrap or unshare.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { seccompProgram } from "../../src/sandbox/seccomp.ts";
import { newCliUser, type CliUser, runner } from "../fixtures/cli.ts";

interface Report {
  readonly sandbox: { readonly problem: { readonly message: string; readonly mend: string } | null };
}

/** What the command says, started with these words before it. */
function doctor(person: CliUser, before: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const [program, ...words] = [...before, process.execPath, runner, "doctor", "--json"];
  const done = spawnSync(program, words, {
    env: { ...person.env, ...env },
    cwd: person.project,
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.match(done.stdout, /^\{/, done.stderr);
  return { problem: (JSON.parse(done.stdout) as Report).sandbox.problem, out: done.stdout };
}

const outer = ["bwrap", "--dev-bind", "/", "/", "--cap-add", "ALL"];

/** The filter of our own boxes refuses what a container's does: namespaces and mounts. */
function filtered(person: CliUser, more: readonly string[] = []): readonly string[] {
  const file = join(person.root, "filter");
  writeFileSync(file, seccompProgram({ architecture: process.arch as "x64" | "arm64", unix: true }));
  return ["/bin/sh", "-c", `exec "$0" "$@" 9<${file}`, ...outer, "--seccomp", "9", ...more];
}

const bareBox = ["bwrap", "--unshare-user", "--ro-bind", "/", "/"];

test("control: here a box can be built, and around each obstacle plain bubblewrap fails", (t) => {
  const person = newCliUser(t, []);
  assert.equal(doctor(person, []).problem, null);
  const ends = (words: readonly string[]) => {
    const [program = "", ...args] = words;
    return spawnSync(program, args).status;
  };
  assert.equal(ends([...outer, ...bareBox, "--unshare-pid", "--proc", "/proc", "/bin/true"]), 0);
  assert.notEqual(ends([...filtered(person), ...bareBox, "/bin/true"]), 0);
  const masked = [...outer, "--ro-bind", "/dev/null", "/proc/uptime"];
  assert.notEqual(ends([...masked, ...bareBox, "--unshare-pid", "--proc", "/proc", "/bin/true"]), 0);
  assert.equal(ends([...masked, ...bareBox, "/bin/true"]), 0, "only /proc is what fails");
});

test("a system call filter is named, and no setting of the kernel is recommended", (t) => {
  const person = newCliUser(t, []);
  const { problem } = doctor(person, filtered(person));
  assert.match(problem?.message ?? "", /system call filter/);
  assert.match(problem?.mend ?? "", /seccomp/);
  assert.doesNotMatch(problem?.mend ?? "", /sysctl|systempaths/);
});

test("a masked /proc is named, with what covers it; together with a filter both are", (t) => {
  const person = newCliUser(t, []);
  const mask = ["--ro-bind", "/dev/null", "/proc/uptime"];
  const { problem } = doctor(person, [...outer, ...mask]);
  assert.match(problem?.message ?? "", /^\/proc\/uptime is covered/);
  assert.match(problem?.mend ?? "", /systempaths=unconfined/);
  assert.doesNotMatch(problem?.mend ?? "", /sysctl|seccomp/);
  const both = doctor(person, filtered(person, mask)).problem;
  assert.match(both?.message ?? "", /system call filter.*\/proc\/uptime/);
  assert.match(both?.mend ?? "", /seccomp.*systempaths/);
});

test("programs of a user that is not mapped are said to be there", (t) => {
  const person = newCliUser(t, []);
  // Root here is user 1000 there, and the owner of the programs is a third one, which nobody maps.
  const owned = join(person.root, "bwrap");
  spawnSync("cp", ["/usr/bin/bwrap", owned]);
  assert.equal(spawnSync("chown", ["4321", owned]).status, 0);
  const { problem, out } = doctor(person, [
    ...outer,
    "--ro-bind",
    owned,
    "/usr/bin/bwrap",
    "unshare",
    "--user",
    "--map-user=1000",
  ]);
  assert.match(problem?.message ?? "", /^\/usr\/bin\/bwrap is there, but belongs to user 65534/);
  assert.doesNotMatch(out, /not installed|not found/);
});

test("a directory in PATH that cannot be looked at counts as absent", (t) => {
  const person = newCliUser(t, []);
  const tooLong = `/${"x".repeat(300)}`; // for root nothing is forbidden; this is refused to everybody
  assert.throws(() => process.getBuiltinModule("fs").statSync(`${tooLong}/node`, { throwIfNoEntry: false }));
  assert.equal(doctor(person, [], { PATH: `${tooLong}:/usr/bin:/bin` }).problem, null);
});
