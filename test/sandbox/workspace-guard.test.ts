// A directory of the host at /workspace is guarded like any path that may be changed.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

test("its .git cannot be changed or moved, absent settings cannot be made, and the host has no placeholders left", async () => {
  for (const script of [
    "echo x > .git/hooks/pre-commit",
    "echo x > .git/config",
    "mv .git other",
    "echo x > .vscode/settings.json",
    "echo x > .envrc",
  ]) {
    assert.notEqual((await bash(script))["exit_code"], 0, script);
  }
  assert.equal(readFileSync(join(workspace, ".git/config"), "utf8"), "own");
  for (const name of [".git/hooks/pre-commit", ".vscode", ".envrc", "other"])
    assert.equal(existsSync(join(workspace, name)), false, name);
});

test("the directory is there under its own path too, and no less guarded", async () => {
  assert.equal((await bash(`cat ${workspace}/made.txt`))["stdout"], "made\n");
  assert.notEqual((await bash(`echo x > ${workspace}/.git/config`))["exit_code"], 0);
  assert.notEqual((await bash(`echo x > ${workspace}/.envrc`))["exit_code"], 0);
  assert.equal(existsSync(join(workspace, ".envrc")), false);
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
  assert.equal(readFileSync(join(workspace, ".git/config"), "utf8"), "own");
});
