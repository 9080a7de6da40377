// Limits: each holds where `enforced` says that it does, is told apart in `limit_hit`, and the gate survives it.

import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { describe, test } from "node:test";
import { bash, callNumbers, exec, isRoot, PERL, perl, ran } from "../../fixtures/run.ts";
import { keptLayers } from "../../fixtures/layers.ts";
import { type ContractContext, useGate, usePlace } from "./context.ts";

const MiB = 1024 * 1024;

/** Shared anonymous memory, really used: the kernel writes zeros into it. Prints how many MiB it got. */
const sharedMemory = (
  mib: number,
) => `$| = 1; open my $z, "<", "/dev/zero"; my $at = syscall(${callNumbers["mmap"]}, 0, ${mib * MiB}, 3, 0x21, -1, 0);
  for my $i (0 .. ${mib - 1}) { syscall(${callNumbers["read"]}, fileno($z), $at + $i * ${MiB}, ${MiB}) == ${MiB} or die "read: $!"; } print "used ${mib}\\n"`;

export function describeLimits(name: string, context: ContractContext): void {
  describe(`${name}: limits`, () => {
    const directories = usePlace();
    const limits = { memory_mb: 64, fsize_mb: 1, nofile: 32, nproc: 12, cpu_s: 1 };
    const gate = useGate(context, directories, { limits });
    const roomy = useGate(context, directories, {
      limits: { memory_mb: 1024, fsize_mb: 1024, nofile: 256, nproc: 64 },
    });

    test("memory: a program that takes too much of its own is stopped", async () => {
      const result = await perl(gate, 'my $x = "x" x (300 * 1024 * 1024); print length $x');
      assert.equal(result.stdout, "");
      if (result.enforced.memory === "kernel")
        assert.deepEqual([result.signal, result.limit_hit], ["SIGKILL", "memory"]);
      else assert.notEqual(result.exit_code, 0);
    });

    test("memory: `enforced` says `kernel` exactly where shared memory is stopped, too", async () => {
      const result = await perl(gate, sharedMemory(256));
      assert.equal(result.enforced.memory === "kernel", result.stdout === "", JSON.stringify(result));
      if (result.enforced.memory === "kernel") assert.equal(result.limit_hit, "memory");
      assert.equal(
        (await perl(roomy, sharedMemory(256))).stdout,
        "used 256\n",
        "with enough room the same program works",
      );
    });

    test("processes: `enforced` says `kernel` exactly where they are counted", async () => {
      const crowd =
        '$SIG{CHLD} = "IGNORE"; my $n = 0; for (1 .. 40) { my $p = fork; last unless defined $p; if (!$p) { sleep 100; exit } $n++ } print $n; kill 9, -$$';
      const result = await perl(gate, crowd.replace("; kill 9, -$$", ""));
      const count = Number(result.stdout);
      assert.equal(
        result.enforced.processes === "kernel",
        count < 40,
        `${count} were started, ${JSON.stringify(result.enforced)}`,
      );
      if (count < 40) assert.ok(count <= 12 && count >= 6, `${count} of 12`);
      if (isRoot && count < 40) assert.equal(result.limit_hit, "nproc");
    });

    test("processes: two calls at once do not count each other's", async () => {
      const some =
        'for (1 .. 8) { my $p = fork; die "no: $!" unless defined $p; if (!$p) { sleep 1; exit } } sleep 1; print "ok"';
      const results = await Promise.all([perl(gate, some), perl(gate, some), perl(gate, some)]);
      for (const result of results) assert.equal(result.stdout, "ok", result.stderr);
    });

    test("open files", async () => {
      const result = await perl(
        gate,
        'my @f; while (open my $f, "<", "/dev/null") { push @f, $f; last if @f > 100 } print scalar @f',
      );
      assert.ok(Number(result.stdout) > 10 && Number(result.stdout) < 32, result.stdout);
      assert.equal(result.limit_hit, null, "a program that gives up by itself says so itself");
    });

    test("file size", async () => {
      const file = `${directories.root}/big`;
      const result = ran(await exec(gate, ["/bin/dd", "if=/dev/zero", `of=${file}`, "bs=64k", "count=64"]));
      assert.deepEqual([result.signal, result.exit_code, result.limit_hit], ["SIGXFSZ", null, "fsize"]);
      assert.ok(!existsSync(file), "a call that a limit ended lands nothing");
      const [kept] = keptLayers(directories.state);
      assert.equal(statSync(`${directories.state}/layers/${kept}/0/upper/big`).size, MiB);
    });

    test("processor time", async () => {
      const result = ran(await exec(gate, [PERL, "-e", "1 while 1"], { timeout_s: 20 }));
      assert.deepEqual([result.signal, result.limit_hit, result.timed_out], ["SIGXCPU", "cpu", false]);
    });

    for (const [directory, mib] of [
      ["/tmp", 300],
      ["/workspace", 300],
      ["/dev/shm", 80],
    ] as const) {
      test(`the room in ${directory}`, async () => {
        const result = await bash(
          roomy,
          `head -c ${mib}M /dev/zero > ${directory}/fill; stat -c %s ${directory}/fill; rm ${directory}/fill; head -c 1M /dev/zero > ${directory}/fill && echo fine`,
        );
        assert.match(result.stderr, /No space left/);
        const [size, fine] = result.stdout.split("\n");
        assert.ok(Number(size) > 10 * MiB && Number(size) < mib * MiB, size);
        assert.equal(fine, "fine");
      });
    }

    test("output: the first and the last part, the count exact, and the flag", async () => {
      const result = await bash(
        roomy,
        "echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last; echo short >&2",
        { max_output_bytes: 4096 },
      );
      assert.equal(result.stdout_bytes, 5_000_000 + 6 + 1 + 5);
      assert.deepEqual([result.stdout_truncated, result.stderr_truncated, result.limit_hit], [true, false, "output"]);
      assert.ok(Buffer.byteLength(result.stdout) <= 4096);
      assert.match(result.stdout, /^first\nx+\n\[\.\.\. \d+ bytes left out \.\.\.\]\nx+\nlast\n$/);
      assert.equal(result.stderr, "short\n");
    });

    test("after all of them the gate works as before", async () => {
      assert.equal((await bash(gate, "echo fine")).stdout, "fine\n");
    });

    test("what holds here is told truly, and the same by probe and result", async () => {
      const { enforced } = await bash(gate, "true");
      const findings = Object.fromEntries(gate.sandbox.probe.findings.map(({ name: what, held }) => [what, held]));
      assert.deepEqual(findings, enforced);
      assert.deepEqual(
        { ...enforced, memory: null, processes: null },
        {
          filesystem: "kernel",
          network: "kernel",
          processes: null,
          memory: null,
          cpu: "kernel",
          wall_clock: "runtime",
          environment: "kernel",
          syscalls: "kernel",
        },
      );
    });
  });
}
