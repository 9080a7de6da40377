// What a git that lands a push can reach, with nothing before it that looks: the target's git directory, and no more.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Action } from "../../src/action/action.ts";
import { grantByVerdict } from "../../src/approval/grant.ts";
import { createPolicy } from "../../src/policy/policy.ts";
import type { GitWriter } from "../../src/git/target/local/git-runner.ts";
import type { GateSession } from "../../src/runtime/gate-session.ts";
import { landingGit } from "../../src/runtime/landing-git.ts";
import { nodeMachine } from "../../src/runtime/node-machine.ts";
import { machineRepositories } from "../../src/runtime/machine-repositories.ts";
import { Walk } from "../../src/runtime/walk.ts";
import { git, makeRepository } from "../fixtures/git.ts";
import { newWorld } from "../fixtures/git-gates.ts";
import { plainRunner, repositoryAt } from "../git/target/local/local-room.ts";

const world = newWorld();
const { gate } = world.open();
const { outside } = world.directories;

function landing(operation: string): GitWriter {
  const session = { id: { agent: "default", name: "test" }, machine: nodeMachine, backend: { sandbox: gate.sandbox } };
  const walk = new Walk(
    {
      session: session as unknown as GateSession,
      tool: "git_push",
      capability: gate.capability,
      policy: createPolicy({ rules: [], otherwise: {} }),
      reachesHosts: false,
      live: null,
    },
    machineRepositories,
  );
  const action = { effects: [], operation: { name: operation } } as unknown as Action;
  return landingGit(walk, grantByVerdict(action, { decision: "allow", findings: [] }));
}

let serial = 0;
function target(): { repo: string; next: string } {
  const repo = join(world.directories.root, `target-${serial++}`);
  git(world.directories.root, ["clone", "-q", world.repo, repo]);
  return { repo, next: git(repo, ["commit-tree", "-m", "next", "-p", "main", "main^{tree}"]).trim() };
}

describe("a git that lands", () => {
  it("moves a branch, and writes its log", async () => {
    const { repo, next } = target();
    const words = ["update-ref", "-m", "why", "refs/heads/main", next];
    const variables = { GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.org" };
    const ended = await landing("git_push").write(repositoryAt(repo), words, null, variables);
    assert.deepEqual(ended, { exitCode: 0, stdout: "", stderr: "" });
    assert.equal(git(repo, ["rev-parse", "main"]).trim(), next);
    assert.match(readFileSync(join(repo, ".git/logs/refs/heads/main"), "utf8"), /Ada <ada@example\.org>.*why\n$/);
  });

  it("reads what it is fed, as much as that is", async () => {
    const { repo } = target();
    const size = 40_000_000;
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for (let sent = 0; sent < size; sent += 1_000_000) yield new Uint8Array(1_000_000).fill(120);
    }
    const ended = await landing("git_push").write(repositoryAt(repo), ["hash-object", "-w", "--stdin"], bytes());
    assert.equal(ended.exitCode, 0, ended.stderr);
    assert.equal(git(repo, ["cat-file", "-s", ended.stdout.trim()]).trim(), String(size));
    const early = await landing("git_push").write(repositoryAt(repo), ["index-pack", "--stdin"], bytes());
    assert.match(early.stderr, /pack signature mismatch/);
  });

  it("does not get out through a link; control: without the box it does", async () => {
    for (const name of ["logs/refs/heads/z", "refs/heads/z"]) {
      const [boxed, bare] = [target(), target()];
      for (const [{ repo, next }, runner] of [
        [boxed, landing("git_push")],
        [bare, plainRunner()],
      ] as const) {
        const victim = join(outside, `${repo.slice(repo.lastIndexOf("/") + 1)}`);
        mkdirSync(victim);
        mkdirSync(join(repo, ".git/logs/refs/heads/z"), { recursive: true });
        const place = join(repo, ".git", name);
        rmSync(place, { recursive: true, force: true });
        symlinkSync(victim, place);
        await runner.write(repositoryAt(repo), ["update-ref", "refs/heads/z/y", next], null);
        assert.deepEqual(readdirSync(victim).length > 0, repo === bare.repo, `${name} ${repo}`);
      }
    }
  });

  it("writes neither to the work tree, nor to hooks, nor to the configuration", async () => {
    const { repo } = target();
    mkdirSync(join(repo, ".git/hooks"), { recursive: true });
    const before = readFileSync(join(repo, ".git/config"), "utf8");
    const own = landing("git_push");
    for (const words of [
      ["config", "core.x", "y"],
      ["-C", repo, "checkout-index", "-f", "--prefix=.git/hooks/", "README.md"],
      ["-C", repo, "checkout-index", "-f", "--prefix=new-", "README.md"],
    ])
      assert.notEqual((await own.write(repositoryAt(repo), words, null)).exitCode, 0, words.join(" "));
    assert.equal(readFileSync(join(repo, ".git/config"), "utf8"), before);
    assert.equal(git(repo, ["status", "--porcelain"]), "");
    assert.deepEqual(
      readdirSync(join(repo, ".git/hooks")).filter((name) => name === "README.md"),
      [],
    );
  });

  it("goes by what the repository says of its own files, and by no program of it", async () => {
    const { repo } = target();
    git(repo, ["config", "core.sharedRepository", "0666"]);
    git(repo, ["config", "core.fsmonitor", `touch ${outside}/ran`]);
    git(repo, ["config", "include.path", join(outside, "included")]);
    writeFileSync(join(outside, "included"), "[core]\n\tsharedRepository = 0600\n");
    const input = async function* () {
      yield Buffer.from("shared\n");
    };
    const { stdout } = await landing("git_push").write(repositoryAt(repo), ["hash-object", "-w", "--stdin"], input());
    const id = stdout.trim();
    const { mode } = statSync(join(repo, ".git/objects", id.slice(0, 2), id.slice(2)));
    assert.equal(mode & 0o777, 0o444);
    const listed = await landing("git_push").write(repositoryAt(repo), ["config", "--list", "--local"], null);
    assert.match(listed.stdout, /core\.sharedrepository=0666/);
    assert.doesNotMatch(listed.stdout, /fsmonitor|include/);
  });

  it("needs the grant of a push", async () => {
    const { repo } = target();
    await assert.rejects(landing("git_pull").write(repositoryAt(repo), ["version"], null), /grant of a push/);
  });

  it("leaves no placeholder behind, and needs none", async () => {
    const repo = makeRepository(join(world.directories.root, "guarded"));
    await landing("git_push").write(repositoryAt(repo), ["update-ref", "refs/heads/q", "HEAD"], null);
    assert.deepEqual(
      readdirSync(join(repo, ".git")).filter((name) => name.startsWith(".")),
      [],
    );
    assert.equal(git(repo, ["status", "--porcelain"]), "");
  });
});
