// Programs that will not end, print too much, or take too much: the call ends, the rest of the machine does not notice.

import { strict as assert } from "node:assert";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { constants } from "node:os";
import { displayText } from "../../src/shared/display.ts";
import { runs } from "../fixtures/runs.ts";
import { type Bench, ran } from "./bench.ts";
import { contained, type Contained, ends, failed, nothingIsLeft, timedOut } from "./contained.ts";
import { happens, processesOf, sleep } from "./leftovers.ts";
import { gateKilledWhileRunning } from "./situations.ts";
import { environmentFile, injection } from "./world-files.ts";

const python = "/usr/bin/python3";
const euro = "€";

export const containedProcess: Readonly<Record<string, Contained>> = {
  "proc-time-sleep": ends(timedOut),
  "proc-time-ignore-term": ends((result) => {
    timedOut(result);
    assert.equal(result.signal, "SIGKILL");
  }),
  "proc-time-child-holds-pipe": ends(({ timed_out, exit_code, stdout, duration_s }) => {
    assert.deepEqual([timed_out, exit_code, stdout], [false, 0, "done\n"]);
    assert.ok(duration_s < 60, "it waited for a child that holds the pipe"); // for as long as the child sleeps
  }),
  "proc-time-setsid": ends(timedOut),
  "proc-time-double-fork": ends(({ exit_code, timed_out }) => assert.deepEqual([exit_code, timed_out], [0, false])),
  "proc-time-systemd-run": ends(failed, ["/usr/bin/systemd-run"]),
  "proc-time-cpu-loop": ends(timedOut),
  "proc-time-stdin-cat": ends(({ exit_code, stdout, timed_out }) =>
    assert.deepEqual([exit_code, stdout, timed_out], [0, "", false]),
  ),
  "proc-time-tty-prompt": ends(
    ({ exit_code, timed_out }) => assert.deepEqual([exit_code, timed_out], [255, false]),
    ["/usr/bin/ssh"],
  ),
  "proc-time-runtime-sigkill": { check: gateKilledWhileRunning },
  "proc-time-cancel": { check: checkCancel },

  "proc-out-cap-stdout": contained(({ stdout, stdout_truncated, stdout_bytes, stderr_truncated }) => {
    assert.deepEqual([stdout_truncated, stdout_bytes, stderr_truncated], [true, 1_000_000, false]);
    assert.ok(Buffer.byteLength(stdout) <= 1024 && stdout.includes("bytes left out"));
  }),
  "proc-out-yes": { alone: true, check: checkEndlessOutput },
  "proc-out-utf8-split": contained(({ stdout }) => assert.equal(stdout, euro)),
  "proc-out-utf8-cut": contained(({ stdout, stdout_truncated }) => {
    assert.equal(stdout_truncated, true);
    assert.ok(Buffer.byteLength(stdout) <= 1024);
    assert.match(stdout, /^€{100,}\n\[\.\.\. \d+ bytes left out \.\.\.\]\n€{100,}$/);
  }),
  "proc-out-invalid-utf8": contained(({ stdout, stdout_bytes }) =>
    assert.deepEqual([stdout, stdout_bytes], ["\ufffd\ufffd", 2]),
  ),
  "proc-out-ansi-output": contained(({ stdout }) => {
    assert.equal(stdout, "\u001b[2J\u001b]0;pwn\u0007"); // the model gets what was printed …
    assert.doesNotMatch(displayText(stdout), /\p{Cc}/u); // … a person's screen does not
  }),
  "proc-out-one-long-line": contained(({ stdout, stdout_truncated }) =>
    assert.deepEqual([stdout.length, stdout_truncated], [4_000_000, false]),
  ),
  "proc-out-close-stdout": contained((result) => timedOut(result)),
  "proc-out-write-after-exit": { check: checkLateOutput },
  "proc-out-secret-in-output": contained(({ stdout }, { gate }) => {
    assert.equal(stdout, environmentFile);
    const log = [...gate.journal.exportLines({ session: gate.session })].join("\n");
    assert.ok(!log.includes("violet-otter"), "what a program printed is in the log");
  }),
  "proc-out-prompt-injection-output": contained((result) => {
    const { stdout, ...rest } = result;
    assert.equal(stdout, injection);
    assert.ok(!JSON.stringify(rest).includes("previous instructions"), "data has left its field");
  }),

  "proc-lim-memory": contained((result) => outOfMemory(result), [python]),
  "proc-lim-fsize": { check: checkFileSize },
  "proc-lim-nofile": contained(
    ({ exit_code, stderr }) => {
      assert.equal(exit_code, 1);
      assert.match(stderr, /Too many open files/);
    },
    [python],
  ),
  "proc-lim-threads": { needs: [python], check: checkThreads },
  "proc-lim-disk-total": { check: checkDiskTotal },
  "proc-lim-deep-dirs": { needs: [python], check: checkDeepDirectories },
  "proc-lim-rlimit-inherit": contained(({ exit_code, stdout }) => {
    assert.equal(exit_code, 0);
    assert.equal(stdout.trimEnd().split("\n").at(-1), "256");
  }),
  "proc-lim-zombie": { alone: true, check: checkThousandCalls },
  "proc-lim-sparse-file": contained(({ signal, limit_hit }) =>
    assert.deepEqual([signal, limit_hit], ["SIGXFSZ", "fsize"]),
  ),
  "proc-lim-output-to-fifo": contained((result) => timedOut(result)),
  "proc-lim-oom-parent": { needs: [python], check: checkGateOutlivesMemory },
};

function outOfMemory({ exit_code, signal, limit_hit, stderr, enforced }: ReturnType<typeof ran>): void {
  if (enforced.memory === "kernel") assert.deepEqual([signal, limit_hit], ["SIGKILL", "memory"]);
  else assert.ok(exit_code === 1 && stderr.includes("MemoryError"));
}

/** A shell tells that its child was ended by the signal; where the program itself is, the result tells it. */
async function checkFileSize({ world, args, run }: Bench): Promise<void> {
  const told = ran(await run(args));
  assert.equal(told.exit_code, 128 + constants.signals.SIGXFSZ);
  assert.equal(statSync(`${world.root}/f`).size, 64 * 1024 * 1024);
  const direct = ran(await run({ ...args, argv: args.argv.map((word) => word.replace(/^head/, "exec head")) }));
  assert.deepEqual([direct.signal, direct.limit_hit], ["SIGXFSZ", "fsize"]);
}

/**
 * What the box brings itself has a size, in all: filled to its end here. In a directory of the machine that is granted rw
 * `disk_mb` bounds it (see `notHeld`): the same line there would write 2 GiB of its 2.4 GB.
 */
async function checkDiskTotal({ args, run }: Bench): Promise<void> {
  for (const cwd of ["/tmp", "/workspace", "/dev/shm"]) {
    const script = `cd ${cwd} && ${args.argv.at(-1)}; du -sm ${cwd} | cut -f1`;
    const { stdout, stderr } = ran(await run({ ...args, cwd: "/tmp", argv: ["/bin/sh", "-c", script] }));
    assert.match(stderr, /No space left on device/);
    assert.ok(Number(stdout) > 0 && Number(stdout) <= 256, stdout);
  }
}

async function checkThreads({ gate, args, run }: Bench): Promise<void | string> {
  const isCounted = gate.sandbox.probe.cgroupHome?.directories.pids !== undefined;
  const { exit_code, stderr, limit_hit, enforced } = ran(await run(args));
  if (!isCounted && process.getuid?.() === 0) {
    assert.equal(enforced.processes, "runtime", "it claims what does not hold");
    return "root's threads are counted by a pids cgroup only, and none can be made here";
  }
  assert.equal(exit_code, 1);
  assert.match(stderr, /can't start new thread/);
  assert.deepEqual([enforced.processes, limit_hit], ["kernel", isCounted ? "nproc" : null]); // a resource limit sends no signal
}

async function checkCancel({ world, gate, run, how }: Bench): Promise<void> {
  const controller = new AbortController();
  const script = `setsid sh -c "sleep 2; touch ${world.marker}" & echo up; sleep 60`;
  let isUp = false;
  let settled = 0;
  const reply = run(
    { argv: ["/bin/sh", "-c", script] },
    { signal: controller.signal, onOutput: () => void (isUp = true) },
  );
  const counted = reply.then(() => (settled += 1));
  assert.ok(await happens(() => isUp, 10_000));
  assert.notDeepEqual(processesOf(world.directory), [], "the scan finds what runs");
  controller.abort();
  controller.abort();
  await counted;
  const result = ran(await reply);
  assert.deepEqual([result.exit_code, result.timed_out, settled], [null, false, 1]);
  await nothingIsLeft(world);
  if (how === "hand") return;
  const early = await gate.call({ tool: "Exec", args: { argv: ["/bin/true"] } }, { signal: controller.signal });
  assert.equal(early.ok, false, "a call that is cancelled already does not start");
}

async function checkEndlessOutput({ args, run }: Bench): Promise<void> {
  const before = process.memoryUsage();
  let most = 0;
  const sample = setInterval(() => (most = Math.max(most, held(process.memoryUsage()) - held(before))), 50);
  const result = ran(await run(args));
  clearInterval(sample);
  timedOut(result);
  assert.equal(result.stdout_truncated, true);
  // Whoever keeps what was printed holds all of it; what is held here is little, and garbage.
  assert.ok(result.stdout_bytes > 128 * 1024 * 1024, "too little was printed to show anything");
  assert.ok(most < result.stdout_bytes / 2, `memory grew by ${most} bytes for ${result.stdout_bytes}`);
}

function held({ heapUsed, external }: NodeJS.MemoryUsage): number {
  return heapUsed + external;
}

async function checkLateOutput({ args, run }: Bench): Promise<void> {
  assert.equal(ran(await run(args)).stdout, "now\n");
  const next = run({ argv: ["/bin/sh", "-c", "sleep 1.5; echo next"] });
  await sleep(500);
  assert.equal(ran(await run({ argv: ["/bin/echo", "other"] })).stdout, "other\n");
  assert.equal(ran(await next).stdout, "next\n");
}

/** Five thousand directories deep: no program can name the last one. The gate looks over the tree and goes on. */
async function checkDeepDirectories({ args, run }: Bench): Promise<void> {
  const made = ran(await run(args));
  assert.equal(made.exit_code, 0, made.stderr);
  assert.equal(ran(await run({ argv: ["/bin/cat", "a.txt"] })).stdout, "a\n");
  assert.equal(ran(await run({ argv: ["/bin/rm", "-rf", "d"] })).exit_code, 0);
  assert.equal(ran(await run({ argv: ["/bin/ls", "-d", "d"] })).exit_code, 2);
}

async function checkThousandCalls({ how, run }: Bench): Promise<void> {
  const some = async (count: number) => {
    let calls = 0;
    const caller = async () => {
      while (calls++ < count) assert.equal(ran(await run({ argv: ["/bin/true"] })).exit_code, 0);
    };
    await Promise.all([caller(), caller(), caller()]);
  };
  await some(30);
  const descriptors = readdirSync("/proc/self/fd").length;
  await some(how === "gate" ? runs(1000, 120) : runs(250, 60));
  await sleep(100);
  assert.ok(readdirSync("/proc/self/fd").length <= descriptors, "descriptors are left open");
  assert.deepEqual(zombies(), []);
}

function zombies(): string[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8");
  const state = (pid: string) => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.[0];
  return children.split(" ").filter((pid) => pid !== "" && state(pid) === "Z");
}

async function checkGateOutlivesMemory({ gate, run }: Bench): Promise<void> {
  // Shared memory, which no resource limit counts; without a cgroup the ordinary kind.
  const shared = "import mmap\nm=mmap.mmap(-1,2*1024**3)\nfor i in range(0,len(m),4096): m[i]=1";
  const isCounted = gate.sandbox.probe.cgroupHome?.directories.memory !== undefined;
  outOfMemory(ran(await run({ argv: [python, "-c", isCounted ? shared : "b=bytearray(2*1024**3)"] })));
  assert.equal(ran(await run({ argv: ["/bin/echo", "alive"] })).stdout, "alive\n");
  assert.equal(gate.journal.stats().entries > 0, true);
}
