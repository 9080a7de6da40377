import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import {
  environmentBlock,
  initArguments,
  parseInitReport,
  readInitProgram,
  resourceLimits,
} from "../../src/sandbox/init-program.ts";
import { parseLimits } from "../../src/sandbox/own-limits.ts";

function record(kind: number, value: number): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32LE(kind, 0);
  bytes.writeInt32LE(value, 4);
  return bytes;
}

test("every exit code and every signal is told apart", () => {
  for (let code = 0; code < 256; code += 1)
    assert.deepEqual(parseInitReport(record(1, code << 8)), { kind: "ended", exitCode: code, signal: null });
  for (const [name, number] of Object.entries(constants.signals)) {
    const report = parseInitReport(record(1, number));
    assert.ok(report?.kind === "ended" && report.exitCode === null && report.signal !== null, name);
    assert.equal(constants.signals[report.signal as NodeJS.Signals], number);
    assert.deepEqual(parseInitReport(record(1, number | 0x80)), report, "with or without a core file");
  }
  assert.deepEqual(parseInitReport(record(1, 40)), { kind: "ended", exitCode: null, signal: "SIG40" });
});

test("a refusal says what and why", () => {
  for (const [kind, what] of [
    [2, "exec"],
    [3, "cgroup"],
    [4, "limit"],
    [5, "fork"],
    [6, "environment"],
    [7, "input"],
    [8, "terminal"],
  ] as const) {
    assert.deepEqual(parseInitReport(record(kind, constants.errno.ENOENT)), { kind: "refused", what, errno: "ENOENT" });
  }
  assert.deepEqual(parseInitReport(record(2, 9999)), { kind: "refused", what: "exec", errno: "errno 9999" });
});

test("anything else is no report, and nothing is thrown", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const report = parseInitReport(Buffer.from(bytes));
      if (bytes.length < 32) assert.equal(report, null);
    }),
  );
  for (const kind of [0, 9, 255, 0xffffffff]) assert.equal(parseInitReport(record(kind, 0)), null);
});

test("the words of a program stay behind the two dashes, whatever they are", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("--", "l", "e", "c", "g", "-x", "", "3"), { minLength: 1 }), (argv) => {
      const words = initArguments({
        statusFd: 4,
        cgroupFds: [6, 7],
        limits: [{ resource: 1, soft: 2, hard: 3 }],
        environmentFd: 5,
        goFd: 8,
        argv,
      });
      const first = words.indexOf("--");
      assert.deepEqual(words.slice(0, first), ["4", "c", "6", "c", "7", "l", "1", "2", "3", "e", "5", "g", "8"]);
      assert.deepEqual(words.slice(first + 1), argv);
    }),
  );
});

test("what a cgroup holds is not limited a second time", () => {
  const limits = { memoryBytes: 1000, fsizeBytes: 2000, nofile: 30, nproc: 40, cpuS: 5 };
  const resources = (byCgroup: { memory?: string; pids?: string }) =>
    resourceLimits(limits, byCgroup).map(({ resource }) => resource);
  assert.deepEqual(new Set(resources({})), new Set([0, 1, 2, 4, 6, 7]));
  assert.deepEqual(new Set(resources({ memory: "/x", pids: "/x" })), new Set([0, 1, 4, 7]));
  for (const { soft, hard } of resourceLimits(limits, {})) assert.ok(soft <= hard);
});

test("an environment is names and values, each with its end", () => {
  assert.equal(
    environmentBlock([
      ["A", "1"],
      ["B", ""],
      ["C", "x=y\n"],
    ]),
    "A=1\0B=\0C=x=y\n\0",
  );
  assert.equal(environmentBlock([]), "");
});

test("the committed binaries have their pinned hashes, and there are no others", () => {
  for (const architecture of ["x64", "arm64"]) assert.ok(readInitProgram(architecture).length < 4096);
  for (const architecture of ["ia32", "mips", ""])
    assert.throws(() => readInitProgram(architecture), /no native\/init/);
});

test("no limit is above the gate's own, which nothing in a box can raise", () => {
  const wanted = { memoryBytes: 1e9, fsizeBytes: 4e9, nofile: 65_536, nproc: 4_096, cpuS: 60 };
  const hard = (own: { fsize: number; nofile: number; nproc: number }) =>
    resourceLimits(wanted, { memory: "by a cgroup" }, own).map((limit) => limit.hard);
  const unlimited = hard({ fsize: Infinity, nofile: Infinity, nproc: Infinity });
  assert.deepEqual(unlimited, [61, 4e9, 65_536, 1, 4_096]);
  assert.deepEqual(hard({ fsize: 1e6, nofile: 4_096, nproc: 100 }), [61, 1e6, 4_096, 1, 100]);
  const text = readFileSync("/proc/self/limits", "latin1");
  const { nofile } = parseLimits(text);
  assert.equal(nofile, Number(spawnSync("sh", ["-c", "ulimit -H -n"], { encoding: "utf8" }).stdout), text);
  assert.equal(
    parseLimits("Max file size             unlimited            unlimited            bytes\n").fsize,
    Infinity,
  );
});
