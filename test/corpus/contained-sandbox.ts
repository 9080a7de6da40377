// What a command in the box tries in order to get out of it. Each runs as `/bin/bash -c` in a directory it may change.

import { strict as assert } from "node:assert";
import { chmodSync, chownSync, existsSync, readdirSync, statSync } from "node:fs";
import { arch } from "node:os";
import { type Bench, ran } from "./bench.ts";
import { contained, type Contained, failed } from "./contained.ts";
import {
  descriptorsInherited,
  descriptorFromHost,
  gateKilledWhileRunning,
  gateInsideTheBox,
  gitDirectoryElsewhere,
  helperInTheWorkspace,
  renameAround,
} from "./situations.ts";
import { copyProgram } from "./world.ts";

export const containedSandbox: Readonly<Record<string, Contained>> = {
  // Not the host's; and the box's own first process is covered.
  "sbx-procfs-fresh": contained((result) => {
    failed(result);
    assert.equal(result.stdout, "");
    assert.match(result.stderr, /\/proc\/1\/cmdline: Permission denied/);
  }),
  "sbx-kill-host": { check: checkSignals },
  "sbx-symlink-escape": contained((result, { world }) => {
    failed(result);
    assert.deepEqual(readdirSync(world.out).includes("PWNED"), false);
  }),
  "sbx-hardlink": contained((result, { world }) => {
    failed(result);
    assert.equal(statSync(`${world.out}/secret`).nlink, 1);
  }),
  "sbx-procroot": contained(failed),
  "sbx-userns": contained(failed),
  "sbx-nonewprivs": contained(({ stdout }) => assert.equal(stdout, "NoNewPrivs:\t1\n")),
  "sbx-caps": contained(({ stdout }) => {
    const sets = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(":\t"));
    assert.deepEqual(
      sets.map(([name]) => name),
      ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"],
    );
    assert.deepEqual(new Set(sets.map(([, bits]) => bits)), new Set(["0000000000000000"]));
  }),
  "sbx-mknod": contained((result, { world }) => {
    failed(result);
    assert.equal(existsSync(`${world.root}/n`), false);
  }),
  "sbx-setuid": { check: checkSetuid },
  "sbx-dev-tty": contained(failed),
  "sbx-inherited-fd": { check: descriptorsInherited },
  "sbx-socketpair-scm": { needs: ["/usr/bin/python3"], check: descriptorFromHost },
  "sbx-core-pattern": { check: checkCore },
  "sbx-keyring": { needs: ["/usr/bin/perl"], check: checkKeyring },
  "sbx-readonly-git": contained((result, { world }) => {
    failed(result);
    assert.deepEqual(readdirSync(`${world.root}/.git/hooks`), []);
  }),
  "sbx-rename-dance": { check: renameAround },
  "sbx-gitdir-elsewhere": { check: gitDirectoryElsewhere },
  "sbx-read-other-root": contained((result, { world }) => {
    failed(result);
    assert.ok(!result.stdout.includes(world.secret));
  }),
  "sbx-bwrap-from-cwd": { check: helperInTheWorkspace },
  "sbx-nested-sandbox": { check: gateInsideTheBox },
  "sbx-die-with-parent": { check: gateKilledWhileRunning },
};

async function checkSignals({ args, run }: Bench): Promise<void> {
  for (const pid of [process.pid, process.ppid]) {
    const argv = args.argv.map((word) => word.replace("<pid of the host runtime>", String(pid)));
    assert.ok(argv.at(-1)?.endsWith(String(pid)));
    const result = ran(await run({ ...args, argv }));
    failed(result);
    assert.match(result.stderr, /No such process/);
  }
}

async function checkSetuid({ world, args, run }: Bench): Promise<void> {
  const uid = process.getuid?.() ?? 0;
  const { stdout } = ran(await run(args));
  assert.match(stdout, new RegExp(`^uid=${uid}\\b`));
  assert.doesNotMatch(stdout, /euid=/);
  const mounts = ran(await run({ argv: ["/bin/cat", "/proc/self/mountinfo"] })).stdout.split("\n");
  assert.match(mounts.find((line) => line.includes(` ${world.root} `)) ?? "", /\bnosuid\b/);
  if (uid !== 0) return; // only root can make a file of somebody else's
  copyProgram("/usr/bin/id", `${world.root}/as-somebody`, 0o755);
  chownSync(`${world.root}/as-somebody`, 12_345, 12_345);
  chmodSync(`${world.root}/as-somebody`, 0o4755); // after chown, which takes the bit away
  assert.doesNotMatch(ran(await run({ argv: [`${world.root}/as-somebody`] })).stdout, /12345/);
}

async function checkCore({ world, args, run }: Bench): Promise<void> {
  const before = readdirSync(world.root);
  const { signal, exit_code } = ran(await run(args));
  assert.deepEqual([signal, exit_code], ["SIGSEGV", null]);
  assert.deepEqual(readdirSync(world.root), before, "a core file was written");
  // Where core_pattern is a pipe, a limit of 0 does not keep the kernel from starting it; 1 does (core(5), fs/coredump.c).
  const own = ran(await run({ argv: ["/bin/grep", "core file", "/proc/self/limits"] })).stdout;
  assert.match(own, /^Max core file size\s+1\s+1\s/);
}

/** By the program, where there is one, and by the system call itself. */
async function checkKeyring({ args, run }: Bench): Promise<void> {
  failed(ran(await run(args)));
  const keyctl = arch() === "arm64" ? 219 : 250;
  const show = `my $id = syscall(${keyctl}, 0, -3, 0); print $id < 0 ? "refused: $!" : "keyring $id"`;
  assert.equal(ran(await run({ argv: ["/usr/bin/perl", "-e", show] })).stdout, "refused: Operation not permitted");
}
