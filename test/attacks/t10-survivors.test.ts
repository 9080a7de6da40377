// T10: a call ends: nothing outlives it or the gate, and it cannot lie about how it ended.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { configText, makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { isInLayer } from "../fixtures/layers.ts";
import { bare, bash, mark, PERL, perl, processesWith, until } from "../fixtures/run.ts";

const outlive = (word: string) =>
  `setsid bash -c ': ${word}; trap "" TERM HUP; sleep 1000; :' < /dev/null > /dev/null 2>&1 & sleep 0.1`;

function killAll(word: string): void {
  for (const pid of processesWith(word)) process.kill(pid, "SIGKILL");
}

test("a process in a session of its own does not outlive the call", async (t) => {
  const directories = makeTestDirectories();
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  const [boxed, free] = [mark(), mark()];
  await bash(gate, outlive(boxed));
  await until("it is gone", () => processesWith(boxed).length === 0);
  bare(["/bin/bash", "-c", outlive(free)]);
  t.after(() => killAll(free));
  assert.ok(processesWith(free).length > 0, "control: without us it does");
});

test("nothing outlives a gate that is killed", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const [boxed, free] = [mark(), mark()];
  const script = (word: string) => `: ${word}; ${outlive(word)}; touch ${directories.root}/${word}; sleep 1000; :`;
  const options = {
    statePath: directories.state,
    project: directories.project,
    configText: configText(directories),
    args: { argv: ["/bin/bash", "-c", script(boxed)] },
  };
  const parents = [
    spawn(process.execPath, [join(import.meta.dirname, "../fixtures/gate-process.ts"), JSON.stringify(options)], {
      stdio: "ignore",
    }),
    spawn(
      process.execPath,
      [
        "-e",
        `require("child_process").spawn("/bin/bash", ["-c", ${JSON.stringify(script(free))}], { stdio: "ignore" })`,
      ],
      { stdio: "ignore" },
    ),
  ];
  t.after(() => killAll(free));
  await until("the boxed one runs", () => isInLayer(directories.state, boxed));
  await until("the other one runs", () => existsSync(`${directories.root}/${free}`));
  for (const parent of parents) parent.kill("SIGKILL");
  await until("it is gone", () => processesWith(boxed).length === 0);
  assert.ok(processesWith(free).length > 1, "control: without us they do");
});

/** A record as the box's first process writes it: ended, exit code 0. */
const forged = 'pack("LLQQQ", 1, 0, 0, 0, 0)';

test("a program cannot write the report of its own end", async (t) => {
  const directories = makeTestDirectories();
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  const attack = `for my $pid (1, getppid) { for my $fd (0 .. 40) { for my $mode (">", ">>", "+<") { if (open my $f, $mode, "/proc/$pid/fd/$fd") { syswrite $f, ${forged} if $fd > 2 } } } } kill 9, $$;`;
  const { exit_code, signal } = await perl(gate, attack);
  assert.deepEqual([exit_code, signal], [null, "SIGKILL"]);
  // A parent of the same user that does not hide: its descriptors can be opened by its child.
  const parent = `pipe(my $r, my $w); my $n = fileno($w); if (!fork) { open my $f, ">", "/proc/" . getppid . "/fd/$n" or exit 1; syswrite $f, "forged"; exit } wait; sysread $r, my $x, 6; print $x`;
  assert.equal(bare([PERL, "-e", parent]).stdout, "forged", "control: without our care it could");
});

test("a program cannot have the first process killed and so deny that anything ran", async (t) => {
  const directories = makeTestDirectories();
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  const attack =
    "prlimit --pid 1 --cpu=1:1 && echo limited; prlimit --pid 1 --nofile=0 && echo limited; kill -KILL 1; kill -TERM 1; exit 3";
  const { stdout, exit_code } = await bash(gate, `trap '' TERM; ${attack}`);
  assert.deepEqual([stdout, exit_code], ["", 3]);
  const control = bare(["/bin/bash", "-c", "sleep 5 & prlimit --pid $! --cpu=1:1 && echo limited; kill $!"]);
  assert.equal(control.stdout, "limited\n", "control: a process of one's own user can be limited");
});
