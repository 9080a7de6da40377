// B8: a program put the box's first process behind all others on a full processor, and so outlived its time-out.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { bare, bash, hasCompiler } from "../fixtures/run.ts";

const directories = makeTestDirectories();
const gate = openGate(directories);
test.after(() => (gate.close(), directories.remove()));

/** What can be asked about a process, and each way to change it, as a program of its own: `attack PID` prints the ways that worked. */
const source = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
struct attributes { unsigned size, policy; unsigned long flags; int nice; unsigned priority; unsigned long rest[6]; };
static void tell(const char *what, long result) { if (result >= 0) printf("%s\\n", what); }
static void write_to(int pid, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  tell(name, open(path, O_WRONLY));
  snprintf(path, sizeof path, "/proc/%d/task/%d/%s", pid, pid, name);
  tell(name, open(path, O_WRONLY));
}
int main(int count, char **words) {
  int pid = atoi(words[1]);
  long high = (1L << 32) | pid; // the kernel takes the lower half
  int lower = getpriority(PRIO_PROCESS, 0) + 1; // not everybody may raise a priority
  cpu_set_t all;
  struct sched_param none = { 0 };
  struct attributes idle = { sizeof idle, SCHED_IDLE, 0, lower };
  struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
  sched_getaffinity(pid, sizeof all, &all);
  tell("affinity", sched_setaffinity(pid, sizeof all, &all));
  tell("affinity, with bits above", syscall(SYS_sched_setaffinity, high, sizeof all, &all));
  tell("priority", setpriority(PRIO_PROCESS, pid, lower));
  tell("priority, with bits above", syscall(SYS_setpriority, 1L << 32, high, lower));
  tell("priority of its group", setpriority(PRIO_PGRP, pid, lower));
  tell("priority of its user", setpriority(PRIO_USER, getuid(), lower));
  tell("priority of the caller's user", setpriority(PRIO_USER, 0, lower));
  tell("disk", syscall(SYS_ioprio_set, 1, pid, 3 << 13));
  tell("disk of its group", syscall(SYS_ioprio_set, 2, pid, 3 << 13));
  tell("disk of its user", syscall(SYS_ioprio_set, 3, getuid(), 3 << 13));
  tell("limit", syscall(SYS_prlimit64, pid, RLIMIT_CPU, &limit, NULL));
  tell("attributes", syscall(SYS_sched_setattr, pid, &idle, 0));
  tell("parameters", sched_setparam(pid, &none));
  tell("scheduler", sched_setscheduler(pid, SCHED_IDLE, &none));
  write_to(pid, "oom_score_adj");
  write_to(pid, "autogroup");
  write_to(pid, "sched");
  write_to(pid, "timerslack_ns");
  return 0;
}
`;

function compile(name: string, text: string): string {
  const path = join(directories.root, name);
  writeFileSync(`${path}.c`, text);
  execFileSync("/usr/bin/gcc", ["-O1", "-w", "-static", "-o", path, `${path}.c`]);
  return path;
}

const skip = !hasCompiler && "there is no compiler";

test("no call changes the first process", { skip }, async () => {
  const attack = compile("attack", source);
  const state = "chrt -p 1; taskset -p 1; ionice -p 1; perl -e 'print getpriority(0, 1)'";
  const { stdout } = await bash(gate, `(${state}) > /tmp/before 2>&1; ${attack} 1; (${state}) > /tmp/after 2>&1; cmp /tmp/before /tmp/after; wc -l < /tmp/after`); // prettier-ignore
  const [lines, ...worked] = stdout.trim().split("\n").reverse();
  assert.deepEqual(worked, []);
  assert.ok(Number(lines) >= 3, "the state was told");
  // With processes of its own: what sets the priority of a user's processes sets that of all it sees.
  const alone = [
    "/usr/bin/unshare",
    ...(process.getuid?.() === 0 ? [] : ["--map-root-user"]),
    "--pid",
    "--fork",
    "--mount-proc",
  ];
  const control = bare([...alone, "/bin/bash", "-c", `setsid sleep 60 & sleep 0.2; ${attack} $!; kill $!`]).stdout;
  for (const way of [
    "affinity",
    "priority, with bits above",
    "priority of its group",
    "disk",
    "limit",
    "attributes",
    "scheduler",
    "oom_score_adj",
  ])
    // prettier-ignore
    assert.ok(control.split("\n").includes(way), `control: without us, ${way} of another process of one's own changes`);
});

test("a program still sets its own, and those of what it starts", async () => {
  const ways = [
    "nice -n 3 true",
    "renice -n 19 -p $$",
    "renice -n 19 -g $$",
    "taskset -p $(taskset -p $$ | sed 's/.*: //') $$",
    "taskset 1 true",
    "chrt -i 0 true",
    "chrt -b -p 0 $$",
    "ionice -c 3 true",
    "ionice -c 3 -p $$",
    "prlimit --pid $$ --core=0",
    "sleep 5 & renice -n 19 -p $!",
    "sleep 5 & taskset -p 1 $!",
  ];
  for (const way of ways) {
    const { exit_code, stderr } = await bash(gate, `${way} > /dev/null`);
    assert.deepEqual([exit_code, stderr], [0, ""], way);
  }
});

test("a program has no higher priority than others, whatever the gate's user may", async () => {
  assert.equal((await bash(gate, "ulimit -He; ulimit -Hr; chrt -f 1 true 2> /dev/null || nice -n -1 true 2>&1")).stdout.slice(0, 4), "0\n0\n"); // prettier-ignore
});

test("nothing of the first process can be read", async () => {
  const { stdout } = await bash(
    gate,
    "cd /proc/1; cat /proc/1/* /proc/1/task/1/* 2> /dev/null; readlink /proc/1/exe /proc/1/cwd /proc/1/fd/*",
  );
  assert.equal(stdout, "");
});
