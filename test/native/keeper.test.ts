// native/keeper: the committed binaries are what the source says, and do what they should, without a box in them.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import type { RunTreeChanges } from "../../src/process/outcome.ts";
import { mergedPath, onceArguments } from "../../src/sandbox/keeper-program.ts";
import { probe } from "../../src/sandbox/probe.ts";
import { TreeStream } from "../../src/sandbox/tree-stream.ts";
import { mark, processesWith, until } from "../fixtures/run.ts";
import { testBuilt } from "./built.ts";

const root = join(import.meta.dirname, "../..");
const directory = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "keeper-test-"));
test.after(() => rmSync(directory, { recursive: true, force: true }));

testBuilt("keeper");

const lower = join(directory, "lower");
const mountPoint = join(directory, "room");
mkdirSync(join(lower, "d"), { recursive: true });
mkdirSync(mountPoint);
writeFileSync(join(lower, "a"), "a\n");
writeFileSync(join(lower, "d/b"), "b\n");
const sizeBytes = 4 << 20;
const fileCount = 1000;

interface Ended {
  readonly status: number | null;
  readonly stderr: string;
  readonly changes: RunTreeChanges;
}

function wordsFor(script: string, outFd: number): string[] {
  const overlay = { lower, sizeBytes, fileCount };
  return onceArguments({ overlay, mountPoint, outFd, layers: [], bubblewrap: "/bin/bash", arguments: ["-c", script] });
}

/** With a shell in bubblewrap's place. */
async function run(program: readonly string[], script: string): Promise<Ended> {
  const [file, ...before] = program;
  const child = spawn(file as string, [...before, ...wordsFor(script, 3)], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const stream = new TreeStream({ sizeBytes, fileCount });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdio[3]?.on("data", (bytes: Buffer) => stream.push(bytes));
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { status, stderr, changes: stream.result() };
}

const canMount = probe().overlay;
const qemu = ["/usr/bin/qemu-aarch64", "/usr/bin/qemu-aarch64-static"].find((path) => existsSync(path));
const ways: readonly { readonly name: string; readonly program: readonly string[]; readonly skip: string | false }[] = [
  {
    name: `keeper-${arch()}`,
    program: [join(root, "native", `keeper-${arch()}`)],
    skip: !canMount && "no overlay can be mounted on this machine",
  },
  {
    name: "keeper-arm64 under qemu",
    program: [qemu ?? "", join(root, "native/keeper-arm64")],
    skip: !canMount
      ? "no overlay can be mounted on this machine"
      : arch() === "arm64"
        ? "it runs without qemu here"
        : qemu === undefined && "there is no qemu-aarch64",
  },
];

for (const { name, program, skip } of ways) {
  test(`${name}: says what was changed, and ends as its child did`, { skip }, async () => {
    const script = `cd ${mergedPath(mountPoint)} && echo more >> a && rm -r d && mkdir d && echo n > d/n && ln -s a l && mkfifo f && rm d/n && chmod +x a; exit 7`;
    const { status, stderr, changes } = await run(program, script);
    assert.deepEqual([status, stderr, changes.isComplete], [7, "", true]);
    assert.deepEqual(
      changes.changes.toSorted((x, y) => (x.path < y.path ? -1 : 1)),
      [
        { kind: "file", path: "a", bytes: Buffer.from("a\nmore\n"), executable: true },
        { kind: "emptied", path: "d" },
        { kind: "directory", path: "d" },
        { kind: "special", path: "f", what: "not_a_file" },
        { kind: "link", path: "l", target: "a" },
      ],
    );
    assert.equal(readFileSync(join(lower, "a"), "utf8"), "a\n");
    assert.deepEqual(readdirSync(mountPoint), []);
    assert.equal((await run(program, "kill -9 $$")).status, 137);
  });

  test(`${name}: starts nothing where it cannot mount`, { skip }, async () => {
    rmSync(mountPoint, { recursive: true });
    const { status, stderr, changes } = await run(program, "echo started >&2");
    mkdirSync(mountPoint);
    assert.deepEqual([status, stderr, changes], [125, "keeper: tmpfs: errno 2\n", { isComplete: false, changes: [] }]);
  });
}

test("its child ends with it", { skip: ways[0]?.skip }, async () => {
  for (const delayMs of [0, 1, 2, 4, 8, 30]) {
    const word = mark();
    const [file] = ways[0]?.program ?? [];
    const child = spawn(file as string, wordsFor(`: ${word}; sleep 100; :`, 3), {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
    });
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    child.kill("SIGKILL");
    await until(`nothing is left after ${delayMs} ms`, () => processesWith(word).length === 0);
  }
});

test(
  "SIGTERM does not end it before its child, and a reader that is gone does not hold it",
  { skip: ways[0]?.skip },
  async () => {
    const [file] = ways[0]?.program ?? [];
    const script = `cd ${mergedPath(mountPoint)}; echo ready; sleep 0.3; head -c 1M /dev/zero > big`;
    const child = spawn(file as string, wordsFor(script, 3), { stdio: ["ignore", "pipe", "ignore", "pipe"] });
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    child.kill("SIGTERM");
    child.stdio[3]?.destroy();
    const signal = await new Promise((resolve) => child.on("exit", (_code, name) => resolve(name)));
    assert.equal(signal, "SIGPIPE");
  },
);

test("only its own descriptors are left to it while it waits", { skip: ways[0]?.skip }, async () => {
  const [file] = ways[0]?.program ?? [];
  const child = spawn(file as string, wordsFor("echo ready; sleep 100", 3), {
    stdio: ["pipe", "pipe", "pipe", "pipe", "pipe"],
  });
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  await until("two are left", () => readdirSync(`/proc/${child.pid}/fd`).length === 2);
  child.kill("SIGKILL");
});
