// native/init: the committed binaries are what the source says, and do what they should, without a box around them.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import test from "node:test";
import { environmentBlock, initArguments, type InitReport, parseInitReport } from "../../src/sandbox/init-program.ts";
import { noBinary, testBuilt } from "./built.ts";

const root = join(import.meta.dirname, "../..");
const directory = mkdtempSync(join(tmpdir(), "sallyport-init-"));
test.after(() => rmSync(directory, { recursive: true, force: true }));

testBuilt("init");

interface Run {
  readonly report: InitReport | null;
  readonly stdout: string;
}

interface Words {
  readonly argv: readonly string[];
  readonly environment?: readonly (readonly [string, string])[];
  readonly limits?: readonly { resource: number; soft: number; hard: number }[];
  readonly input?: string;
  readonly terminateOn?: string;
  /** What the gate says; null: it ends without a word. */
  readonly go?: string | null;
}

/** Descriptors: 3 the status, 4 the environment, 5 the word to go. */
async function run(init: readonly string[], words: Words): Promise<Run> {
  const { argv, environment = [], limits = [], input, terminateOn, go = "g" } = words;
  const file = join(directory, `environment-${Math.random()}`);
  writeFileSync(file, environmentBlock(environment));
  const given = initArguments({
    statusFd: 3,
    cgroupFds: [],
    limits,
    ...(input === undefined ? {} : { input }),
    environmentFd: 4,
    goFd: 5,
    argv,
  });
  const [program, ...before] = init;
  const child = spawn(program as string, [...before, ...given], {
    stdio: ["ignore", "pipe", "ignore", "pipe", openSync(file, "r"), "pipe"],
    env: { FROM_OUTSIDE: "x" },
  });
  let stdout = "";
  const status: Buffer[] = [];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (terminateOn !== undefined && stdout.includes(terminateOn) && !child.killed) child.kill("SIGTERM");
  });
  child.stdio[3]?.on("data", (bytes: Buffer) => status.push(bytes));
  const word = (child.stdio as readonly unknown[])[5] as Writable;
  word.on("error", () => undefined).end(go ?? ""); // it may end without reading it
  await new Promise((resolve) => child.on("close", resolve));
  return { report: parseInitReport(Buffer.concat(status)), stdout };
}

const qemu = ["/usr/bin/qemu-aarch64", "/usr/bin/qemu-aarch64-static"].find((path) => existsSync(path));
const ways: readonly { readonly name: string; readonly init: readonly string[]; readonly skip: string | false }[] = [
  {
    name: `init-${arch()}`,
    init: [join(root, "native", `init-${arch()}`)],
    skip: noBinary,
  },
  {
    name: "init-arm64 under qemu",
    init: [qemu ?? "", join(root, "native/init-arm64")],
    skip: arch() === "arm64" ? "it runs without qemu here" : qemu === undefined && "there is no qemu-aarch64",
  },
];

for (const { name, init, skip } of ways) {
  test(`${name}: says how the program ended`, { skip }, async () => {
    for (const code of [0, 1, 137, 255])
      assert.deepEqual((await run(init, { argv: ["/bin/sh", "-c", `exit ${code}`] })).report, {
        kind: "ended",
        exitCode: code,
        signal: null,
      });
    assert.deepEqual((await run(init, { argv: ["/bin/sh", "-c", "kill -9 $$"] })).report, {
      kind: "ended",
      exitCode: null,
      signal: "SIGKILL",
    });
  });

  test(`${name}: starts nothing without a word to go`, { skip }, async () => {
    const argv = ["/bin/echo", "started"];
    assert.deepEqual(await run(init, { argv, go: null }), { report: null, stdout: "" });
    assert.equal((await run(init, { argv })).stdout, "started\n", "control: with it, it does");
  });

  test(`${name}: says why a program could not be executed`, { skip }, async () => {
    const text = join(directory, "text");
    writeFileSync(text, "text\n", { mode: 0o755 });
    const errors: [string, string][] = [
      ["/nowhere", "ENOENT"],
      [text, "ENOEXEC"],
      [directory, "EACCES"],
    ];
    for (const [program, errno] of errors)
      assert.deepEqual((await run(init, { argv: [program] })).report, { kind: "refused", what: "exec", errno });
  });

  test(`${name}: the program gets its environment and arguments, and no other`, { skip }, async () => {
    const { stdout } = await run(init, {
      argv: ["/usr/bin/env"],
      environment: [
        ["A", "1"],
        ["EMPTY", ""],
        ["LONG", "x".repeat(100_000)],
      ],
    });
    assert.equal(stdout, `A=1\nEMPTY=\nLONG=${"x".repeat(100_000)}\n`);
    assert.equal((await run(init, { argv: ["/usr/bin/printf", "[%s]", "--", "", "l 1 2"] })).stdout, "[--][][l 1 2]");
  });

  test(
    `${name}: the program reads from the file that is named, and from none where that cannot be opened`,
    { skip },
    async () => {
      const input = join(directory, "input");
      writeFileSync(input, "from the file\n");
      assert.equal((await run(init, { argv: ["/bin/cat"], input })).stdout, "from the file\n");
      assert.deepEqual(await run(init, { argv: ["/bin/echo", "started"], input: `${input}-absent` }), {
        report: { kind: "refused", what: "input", errno: "ENOENT" },
        stdout: "",
      });
    },
  );

  test(`${name}: SIGTERM goes to the program, which may catch it`, { skip }, async () => {
    const { report, stdout } = await run(init, {
      argv: ["/bin/bash", "-c", "trap 'echo caught; exit 9' TERM; echo ready; while :; do sleep 0.05; done"],
      terminateOn: "ready",
    });
    assert.equal(stdout, "ready\ncaught\n");
    assert.deepEqual(report, { kind: "ended", exitCode: 9, signal: null });
  });

  // qemu has descriptors of its own
  if (name.includes("qemu")) continue;
  test(`${name}: no descriptor of the gate's reaches the program`, { skip }, async () => {
    assert.equal(
      (
        await run(init, { argv: ["/bin/bash", "-c", "for n in {3..20}; do test -e /proc/$$/fd/$n && echo $n; done"] })
      ).stdout.replace("10\n", ""),
      "",
    );
  });
}

test("limits hold for the program", { skip: ways[0]?.skip }, async () => {
  const { stdout } = await run(ways[0]?.init ?? [], {
    argv: ["/bin/bash", "-c", "ulimit -n; ulimit -c"],
    limits: [
      { resource: 7, soft: 33, hard: 33 },
      { resource: 4, soft: 0, hard: 0 },
    ],
  });
  assert.equal(stdout, "33\n0\n");
});

test(
  "a limit that cannot be set, or an environment that is too long, starts nothing",
  { skip: ways[0]?.skip },
  async () => {
    const init = ways[0]?.init ?? [];
    const limit = await run(init, { argv: ["/bin/echo", "ran"], limits: [{ resource: 7, soft: 9, hard: 3 }] });
    assert.deepEqual([limit.stdout, limit.report], ["", { kind: "refused", what: "limit", errno: "EINVAL" }]);
    const long = await run(init, { argv: ["/bin/echo", "ran"], environment: [["A", "x".repeat(3 << 20)]] });
    assert.deepEqual([long.stdout, long.report], ["", { kind: "refused", what: "environment", errno: "E2BIG" }]);
  },
);
