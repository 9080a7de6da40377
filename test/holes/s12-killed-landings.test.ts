// S12: what a killed landing leaves in a repository is gone after the next push to it; what is in use by others is not touched.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { markOfThisProcess } from "../../src/process/process-mark.ts";
import { commit, git } from "../fixtures/git.ts";
import { makeGitGates } from "../fixtures/git-gates.ts";
import { runs } from "../fixtures/runs.ts";

const FILES = 400;
const names = Array.from({ length: FILES }, (_, index) => `many/file-${index}.txt`);
const world = makeGitGates();
after(() => world.close());
const { repo } = world;
const objects = join(repo, ".git/objects");
const target = { type: "local", path: ".", branch: "main" };
const leftovers = (): string[] => readdirSync(objects).filter((name) => name.startsWith("tmp_objdir-"));
const locks = (): string[] =>
  readdirSync(join(repo, ".git"), { recursive: true })
    .map(String)
    .filter((name) => /\.lock$|sallyport/.test(name) && !name.startsWith("objects/tmp_objdir-"));
/** A process that is gone, as a landing of it would have written it. */
const dead = markOfThisProcess().replace(/^\d+\.\d+/, "4194303.1");

const configText = JSON.stringify({
  version: 1,
  agents: {
    default: {
      tool_grants: ["git_*"],
      fs_grants: ["/usr", world.directories.root].map((path) => ({ path, mode: "r" })),
    },
  },
  workspace: { kind: "memory" },
  approvals: { mode: "ask", timeout_s: 60 },
});

async function pushOne(content: string): Promise<Record<string, unknown>> {
  const tools = world.open({ session: "killed" });
  await tools.write("one.txt", content);
  const { id } = await tools.stage(["one.txt"]);
  const done = await tools.done("git_push", { commitId: id, target });
  tools.gate.close();
  return done;
}

describe("after a landing was killed", () => {
  it("the same push again leaves nothing of either behind", async () => {
    commit(repo, "many", Object.fromEntries(names.map((name) => [name, "version 0\n"])));
    let wasLeft = 0;
    for (let round = 1; round <= 6 && wasLeft < runs(2, 1); round += 1) {
      const first = world.open({ session: "killed" });
      const files = names.map((path) => ({ path, content: `version ${round} ${"x".repeat(500)}\n` }));
      for (const file of files) await first.done("write_file", file);
      const { id } = await first.stage(names, `version ${round}`);
      first.gate.close();
      const options = {
        statePath: world.directories.state,
        project: repo,
        configText,
        session: "killed",
        commitId: id,
        target,
      };
      const script = join(import.meta.dirname, "../tools/push-process.ts");
      const child = spawn(process.execPath, [script, JSON.stringify(options)], {
        env: { ...process.env, HOME: world.home },
        stdio: ["ignore", "ignore", "inherit"],
      });
      const ended = once(child, "close");
      while (child.exitCode === null && leftovers().length === 0) await new Promise(setImmediate);
      child.kill("SIGKILL");
      await ended;
      wasLeft += leftovers().length;
      const again = world.open({ session: "killed" });
      await again.done("git_push", { commitId: id, target });
      again.gate.close();
      assert.deepEqual(leftovers(), []);
      assert.deepEqual(locks(), []);
      assert.equal(git(repo, ["status", "--porcelain"]), "");
      git(repo, ["fsck", "--strict"]);
    }
    assert.ok(wasLeft > 0, "no blow fell while objects waited: this has shown nothing");
  });

  it("directories of processes that are gone are removed, those of others stay", async () => {
    const own = join(objects, `tmp_objdir-sallyport-${markOfThisProcess()}-abc`);
    const others = join(objects, `tmp_objdir-sallyport-${dead}-abc`);
    const unmarked = ["new", "old"].map((name) => join(objects, `tmp_objdir-sallyport-${name}`));
    const foreign = join(objects, "tmp_objdir-incoming-abc");
    for (const path of [own, others, ...unmarked, foreign]) mkdirSync(join(path, "pack"), { recursive: true });
    writeFileSync(join(others, "pack/tmp_pack_x"), "x");
    // What a link in it leads to is not touched.
    const outside = join(world.directories.outside, "kept");
    mkdirSync(outside);
    writeFileSync(join(outside, "file"), "kept\n");
    symlinkSync(outside, join(others, "pack/link"));
    symlinkSync(outside, join(objects, `tmp_objdir-sallyport-${dead}-def`));
    utimesSync(unmarked[1] as string, 1_000_000_000, 1_000_000_000);
    await pushOne("swept\n");
    assert.deepEqual(new Set(leftovers().map((name) => join(objects, name))), new Set([own, unmarked[0], foreign]));
    assert.equal(readFileSync(join(outside, "file"), "utf8"), "kept\n");
    for (const path of [own, unmarked[0] as string, foreign]) rmSync(path, { recursive: true });
  });

  it("locks that it held are none any more", async () => {
    mkdirSync(join(objects, `tmp_objdir-sallyport-${dead}-abc`));
    writeFileSync(join(repo, ".git/index.lock"), `sallyport ${dead}\n`);
    writeFileSync(join(repo, `.git/sallyport-index-${dead}-12345678`), "x");
    writeFileSync(join(repo, ".git/HEAD.lock"), "");
    writeFileSync(join(repo, ".git/refs/heads/main.lock"), `${"1".repeat(40)}\n`);
    const { commitSha } = await pushOne("unlocked\n");
    assert.equal(git(repo, ["rev-parse", "main"]).trim(), commitSha);
    assert.deepEqual(locks(), []);
    assert.equal(git(repo, ["status", "--porcelain"]), "");
  });

  it("the lock of a gate in another container is respected while it may be at work, and not for ever", async () => {
    const [pid, started, namespace, boot] = markOfThisProcess().split(".");
    const elsewhere = [pid, started, `${namespace}1`, boot].join(".");
    const lock = join(repo, ".git/index.lock");
    const tools = world.open({ session: "elsewhere" });
    await tools.write("one.txt", "elsewhere\n");
    const { id } = await tools.stage(["one.txt"]);
    writeFileSync(lock, `sallyport ${elsewhere}\n`);
    assert.match((await tools.refused("git_push", { commitId: id, target })).message, /another git is at work/);
    const hoursAgo = Date.now() / 1000 - 2 * 3600;
    utimesSync(lock, hoursAgo, hoursAgo);
    await tools.done("git_push", { commitId: id, target });
    assert.deepEqual(locks(), []);
  });

  it("a lock of somebody who is at work is respected", async () => {
    const tools = world.open({ session: "killed" });
    await tools.write("one.txt", "locked\n");
    const { id } = await tools.stage(["one.txt"]);
    for (const content of ["", `sallyport ${markOfThisProcess()}\n`, "DIRC"]) {
      writeFileSync(join(repo, ".git/index.lock"), content);
      const refused = await tools.refused("git_push", { commitId: id, target });
      assert.match(`${refused.message} ${refused.hint}`, /another git is at work.*index\.lock/);
      assert.equal(existsSync(join(repo, ".git/index.lock")), true);
    }
    rmSync(join(repo, ".git/index.lock"));
    await tools.done("git_push", { commitId: id, target });
  });
});
