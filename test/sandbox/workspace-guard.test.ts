// A directory of the host at /workspace is changed through a layer, like any path that may be changed.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { configText, makeTestDirectories, openGate, resultOf } from "../fixtures/gate.ts";

const directories = makeTestDirectories();
const workspace = join(directories.base, "workspace");
mkdirSync(join(workspace, ".git/hooks"), { recursive: true });
writeFileSync(join(workspace, ".git/config"), "own");
const config = {
  ...JSON.parse(configText(directories, { paths: [{ path: "/usr", mode: "r" }] })),
  workspace: { kind: "directory", path: workspace },
};
const gate = openGate(directories, {}, { configText: JSON.stringify(config) });
after(() => {
  gate.close();
  directories.remove();
});

const bash = async (script: string) =>
  resultOf(await gate.call({ tool: "Exec", args: { argv: ["/bin/bash", "-c", script], cwd: "/workspace" } }));

test("what is written to /workspace is in the directory", async () => {
  assert.equal((await bash("echo made > made.txt"))["exit_code"], 0);
  assert.equal(readFileSync(join(workspace, "made.txt"), "utf8"), "made\n");
});

test("nothing of its .git lands, nor absent settings, and the host has nothing of ours", async () => {
  for (const script of [
    "echo x > .git/hooks/pre-commit",
    "echo x > .git/config",
    "mv .git other",
    "mkdir .vscode; echo x > .vscode/settings.json",
    "echo x > .envrc",
  ]) {
    await bash(script);
    assert.equal(readFileSync(join(workspace, ".git/config"), "utf8"), "own", script);
  }
  for (const name of [".git/hooks/pre-commit", ".vscode", ".envrc"])
    assert.equal(existsSync(join(workspace, name)), false, name);
  assert.deepEqual(
    readdirSync(workspace).filter((name) => name.startsWith(".")),
    [".git"],
  );
});

test("the directory is there under its own path too, in the same layer, and no less guarded", async () => {
  assert.equal((await bash(`cat ${workspace}/made.txt`))["stdout"], "made\n");
  const { stdout, artifacts } = await bash(
    `echo one > ${workspace}/one; cat one; echo two > one; cat ${workspace}/one`,
  );
  assert.equal(stdout, "one\ntwo\n");
  assert.deepEqual(artifacts, [{ path: "/workspace/one", operation: "create", size: 4 }]);
  await bash(`echo x > ${workspace}/.git/config; echo x > ${workspace}/.envrc`);
  assert.equal(existsSync(join(workspace, ".envrc")), false);
  assert.equal(readFileSync(join(workspace, ".git/config"), "utf8"), "own");
});

test("a directory that is granted and is the workspace is there under both names, and guarded under both", async () => {
  const both = {
    ...config,
    agents: {
      default: {
        ...config.agents.default,
        fs_grants: [
          { path: "/usr", mode: "r" },
          { path: workspace, mode: "rw" },
        ],
      },
    },
  };
  const second = openGate(directories, {}, { configText: JSON.stringify(both) });
  const script = `echo both > /workspace/both.txt && cat ${workspace}/both.txt; echo x > /workspace/.git/config; echo x > ${workspace}/.git/config`;
  const result = resultOf(await second.call({ tool: "Exec", args: { argv: ["/bin/bash", "-c", script] } }));
  second.close();
  assert.equal(result["stdout"], "both\n");
  assert.equal(readFileSync(join(workspace, "both.txt"), "utf8"), "both\n");
  assert.equal(readFileSync(join(workspace, ".git/config"), "utf8"), "own");
});
