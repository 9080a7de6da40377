// S8: named pipes in a git directory, as an archive can bring them: git_pull and git_push answer at once, by name, and what runs
// outside the box for the person ends with the gate. Controls: plain git waits; a program without a keeper lives on.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import test, { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { reasonOf } from "../../src/git/target/local/git-runner.ts";
import { git, plainEnvironment } from "../fixtures/git.ts";
import { newWorld } from "../fixtures/git-gates.ts";

const world = newWorld();
const tools = world.open();
let serial = 0;

function makePipe(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  assert.equal(spawnSync("mkfifo", [path]).status, 0);
}

const rows: readonly { readonly name: string; readonly waits?: readonly string[] }[] = [
  { name: "HEAD", waits: ["log"] },
  { name: "packed-refs", waits: ["for-each-ref"] },
  { name: "index" },
  { name: "objects/info/alternates", waits: ["log"] },
  { name: "objects/pack/pack-1234567890123456789012345678901234567890.idx" },
  { name: "objects/info/commit-graphs/commit-graph-chain", waits: ["log", "--graph"] },
  { name: "refs/heads/main" },
  { name: "info/attributes" },
  { name: "shallow" },
];

describe("a named pipe in a git directory", () => {
  for (const { name, waits } of rows) {
    const clone = (): string => {
      const repo = join(world.directories.root, `clone-${serial++}`);
      git(world.directories.root, ["clone", "-q", world.repo, repo]);
      makePipe(join(repo, ".git", name));
      return repo;
    };
    it(`${name}: neither a pull nor a push waits for it, and both name it`, async () => {
      const repo = clone();
      const source = { type: "local", path: repo, branch: "main" };
      const pulled = await tools.refused("git_pull", { source, paths: ["README.md"] });
      await tools.write("a.txt", `${serial}\n`);
      const { id } = await tools.stage(["a.txt"]);
      const asked = tools.person.asked.length;
      const pushed = await tools.refused("git_push", { commitId: id, target: source });
      for (const refused of [pulled, pushed]) {
        assert.equal(refused.error, "conflict");
        assert.ok(refused.message.includes(`${join(repo, ".git", name)} is a named pipe`), refused.message);
      }
      assert.equal(tools.person.asked.length, asked);
    });
    if (waits !== undefined)
      it(`${name}: control, plain git waits`, () => {
        const repo = clone();
        const { signal } = spawnSync("git", ["-C", repo, ...waits], { env: plainEnvironment, timeout: 1_500 });
        assert.equal(signal, "SIGTERM");
      });
  }

  it("the configuration and its pointers are refused as before", async () => {
    for (const name of ["config", "commondir"]) {
      const repo = join(world.directories.root, `clone-${serial++}`);
      git(world.directories.root, ["clone", "-q", world.repo, repo]);
      makePipe(join(repo, ".git", name));
      const refused = await tools.refused("git_pull", { source: { type: "local", path: repo }, paths: ["README.md"] });
      assert.notEqual(refused.message, "");
    }
  });

  it("one that comes after the question is found when it lands", async () => {
    const repo = join(world.directories.root, `clone-${serial++}`);
    git(world.directories.root, ["clone", "-q", world.repo, repo]);
    await tools.write("a.txt", `${serial}\n`);
    const { id } = await tools.stage(["a.txt"]);
    tools.person.says = () => {
      renameSync(join(repo, ".git/index"), join(repo, ".git/index.was"));
      makePipe(join(repo, ".git/index"));
      return {};
    };
    const refused = await tools.refused("git_push", {
      commitId: id,
      target: { type: "local", path: repo, branch: "main" },
    });
    tools.person.says = () => ({});
    assert.match(refused.message, /index is a named pipe/);
  });
});

test("a reason is never empty", () => {
  assert.equal(reasonOf({ exitCode: 1, stdout: "", stderr: " a\n b\n" }), "a; b");
  assert.match(reasonOf({ exitCode: 1, stdout: "", stderr: "\n" }), /ended with 1 and said nothing/);
  assert.match(reasonOf({ exitCode: null, stdout: "", stderr: "" }), /was ended/);
});

// Runs `sh -c SCRIPT` as what a person said yes to, with the gate's guardian or without one.
const personProcess = `
  import { openSandbox } from ${JSON.stringify(new URL("../../src/sandbox/sandbox.ts", import.meta.url).href)};
  import { runForPerson } from ${JSON.stringify(new URL("../../src/process/start.ts", import.meta.url).href)};
  import { grantByVerdict } from ${JSON.stringify(new URL("../../src/approval/grant.ts", import.meta.url).href)};
  const [state, script, how] = process.argv.slice(2);
  const ledger = { hold: (root, paths) => ({ paths: [] }), release() {}, sweep() {} };
  const sandbox = openSandbox({ stateDirectory: state, require: "kernel", ledger });
  const grant = grantByVerdict({ effects: [] }, { decision: "allow", findings: [] });
  const guardian = how === "kept" ? sandbox.guardian : null;
  console.log("started");
  const { exitCode, stdout } = await runForPerson(grant, { file: "/bin/sh", args: ["-c", script], environment: { PATH: "/usr/bin:/bin", A: "b" }, cwd: "/", stdin: null, guardian });
  console.log(exitCode + " " + stdout);
  sandbox.close();
`;

function alive(mark: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(mark)
        ? [Number(name)]
        : [];
    } catch {
      return [];
    }
  });
}

async function killWhileRunning(how: "kept" | "alone", mark: string): Promise<number[]> {
  const script = `sleep ${mark} & sleep ${mark}; wait`;
  const words = ["--input-type=module", "-e", personProcess, "-", world.directories.state, script, how];
  const gate = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => gate.once("exit", resolve));
  while (alive(mark).filter((pid) => pid !== gate.pid).length < 2 && gate.exitCode === null) await sleep(10);
  gate.kill("SIGKILL");
  await ended;
  for (let tries = 0; tries < 100 && alive(mark).length > 0; tries += 1) await sleep(20);
  const left = alive(mark);
  for (const pid of left) process.kill(pid, "SIGKILL");
  return left;
}

describe("what runs for the person, outside a box", () => {
  it("ends with the gate, with what it started, also when that is killed", async () => {
    assert.deepEqual(await killWhileRunning("kept", `81${process.pid}.5`), []);
  });
  it("control: without the keeper it lives on", async () => {
    assert.notDeepEqual(await killWhileRunning("alone", `82${process.pid}.5`), []);
  });
  it("says how it ended, and what it said, and has its environment", () => {
    const words = [
      "--input-type=module",
      "-e",
      personProcess,
      "-",
      world.directories.state,
      'echo "$A"; exit 7',
      "kept",
    ];
    assert.equal(spawnSync(process.execPath, words, { encoding: "utf8" }).stdout, "started\n7 b\n\n");
  });
});
