// Git on the workspace itself: a directory that is one is found at /workspace, where programs see it; in memory there is
// no repository, and that is said.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  createGate,
  createRegistry,
  type Gate,
  registerBuiltinTools,
  registerGitTool,
  registerShellTool,
} from "../../src/index.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { commit, git, makeRepository } from "../fixtures/git.ts";
import { ran, refused } from "../fixtures/run.ts";

const directories = makeTestDirectories();
const repo = makeRepository(`${directories.root}/own`, { isUnborn: true });
commit(repo, "first", { "a.txt": "a\n", "src/b.txt": "b\n" });
after(() => directories.remove());

function open(workspace: object): Gate {
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerGitTool(registry);
  registerShellTool(registry);
  const grants = ["/usr", directories.root].map((path) => ({ path, mode: "r" }));
  const agent = { tool_grants: ["*"], fs_grants: grants };
  const configText = JSON.stringify({ version: 1, agents: { default: agent }, workspace });
  const gate = createGate({ registry, statePath: directories.state, project: directories.project, configText });
  after(() => gate.close());
  return gate;
}

const calls = {
  Git: { op: "log", repo: "/workspace", args: ["--format=%s"] },
  Shell: { command: "git log --format=%s", work_dir: "/workspace" },
  git_pull: { source: { type: "local", path: "/workspace" }, paths: ["a.txt"] },
} as const;

test("a workspace that is a directory and a repository is one at /workspace", async () => {
  const gate = open({ kind: "directory", path: repo });
  assert.equal(ran(await gate.call({ tool: "Git", args: calls.Git })).stdout, "first\n");
  const below = await gate.call({ tool: "Git", args: { op: "show", repo: "/workspace/", ref: "HEAD:src/b.txt" } });
  assert.equal(ran(below).stdout, "b\n");
  const shell = await gate.call({ tool: "Shell", args: calls.Shell });
  assert.ok(shell.ok && JSON.stringify(shell.result).includes("first"), JSON.stringify(shell));
  const inside = await gate.call({
    tool: "Shell",
    args: { command: "git status --short", work_dir: "/workspace/src" },
  });
  assert.ok(inside.ok, JSON.stringify(inside));
  const pulled = await gate.call({ tool: "git_pull", args: calls.git_pull });
  assert.ok(pulled.ok, JSON.stringify(pulled));
  assert.equal(git(repo, ["status", "--porcelain"]), "");
});

test("in memory it is none, and no grant is said to be missing", async () => {
  const gate = open({ kind: "memory" });
  for (const [tool, field] of [
    ["Git", "repo"],
    ["Shell", "work_dir"],
    ["git_pull", "source.path"],
  ] as const) {
    const { error, message } = refused(await gate.call({ tool, args: calls[tool] }));
    assert.deepEqual([error, message.split(":")[0]], ["invalid_args", field], message);
    assert.match(message, /in memory/);
  }
});
