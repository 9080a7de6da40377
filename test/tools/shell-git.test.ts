// git in Shell: patterns of paths, git behind env, and what git says of itself. What comes is what plain git says.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { createRegistry, registerGitTool, registerShellTool } from "../../src/index.ts";
import { makeTestDirectories, openGate, resultOf } from "../fixtures/gate.ts";
import { git, plainGit } from "../fixtures/git.ts";

const directories = makeTestDirectories();
const repo = join(directories.root, "repo");
mkdirSync(join(repo, "src/deep"), { recursive: true });
const files = ["a.txt", "b.txt", "[x].txt", "src/x.ts", "src/deep/y.ts"];
for (const file of files) writeFileSync(join(repo, file), "1\n");
writeFileSync(join(repo, ".gitattributes"), "*.ts typed\n");
git(repo, ["init", "-q", "-b", "main"]);
git(repo, ["add", "."]);
git(repo, ["commit", "-qm", "first"]);
for (const file of files) writeFileSync(join(repo, file), "2\n");
git(repo, ["stash", "-q"]);
git(repo, ["stash", "apply", "-q"]);

const registry = createRegistry();
registerShellTool(registry);
registerGitTool(registry);
const gate = openGate(directories, { tools: ["Shell", "Git"] }, { registry });
after(() => {
  gate.close();
  directories.remove();
});

interface Entry {
  readonly exit_code?: number;
  readonly stdout?: string;
}

async function shell(command: string): Promise<Entry> {
  const reply = await gate.call({ tool: "Shell", args: { command, work_dir: repo } });
  return (resultOf(reply)["results"] as Entry[])[0] ?? {};
}

const asGit: readonly (readonly string[])[] = [
  ["ls-files", "*.ts"],
  ["ls-files", "--", "src/*/y.ts"],
  ["ls-files", "[x].txt"],
  ["ls-files", ":(attr:typed)"],
  ["ls-files", ":(icase)A.TXT"],
  ["ls-files", ":(glob)*.txt"],
  ["log", "--oneline", "--", "*.txt"],
  ["diff", "--stat", "--", "*.txt"],
  ["diff", "--name-only", ":!a.txt"],
  ["diff", "--name-only", "--", ":(exclude)*.ts", ":(top)"],
  ["status", "-s", "*.ts"],
  ["--icase-pathspecs", "ls-files", "A.TXT"],
  ["--version"],
  ["version", "--build-options"],
  ["help"],
  ["--exec-path"],
  ["stash", "show", "-p"],
  ["stash", "list", "-p"],
];
for (const words of asGit) {
  test(`git ${words.join(" ")}: as plain git`, async () => {
    const plain = plainGit(repo, words);
    assert.ok(plain.exitCode === 0 && plain.stdout !== "", "control: git has something to say");
    const entry = await shell(`git ${words.map((word) => `'${word}'`).join(" ")}`);
    assert.deepEqual([entry.exit_code, entry.stdout], [0, plain.stdout]);
  });
}

test("a pattern that git does not know is an error, not silence", async () => {
  assert.equal((await shell("git ls-files ':(nosuch)a'")).exit_code, 128);
});

test("the path of Git stays a name", async () => {
  const ask = async (path: string) =>
    resultOf(await gate.call({ tool: "Git", args: { op: "ls_files", repo, path } }))["stdout"];
  assert.equal(await ask("[x].txt"), "[x].txt\n");
  assert.equal(await ask("*.txt"), "");
});

for (const [command, words] of [
  ["env git status -s", ["status", "-s"]],
  ["env LC_ALL=C git log --oneline", ["log", "--oneline"]],
  ["A=b env -i C=d git diff --stat", ["diff", "--stat"]],
  ["env -u HOME -u GIT_CONFIG_GLOBAL git stash list", ["stash", "list"]],
  ["env -C src git -C deep ls-files", ["-C", "src/deep", "ls-files"]],
  ["env -i env -C src git ls-files", ["-C", "src", "ls-files"]],
  ["env git --version", ["--version"]],
] as const) {
  test(`${command}: as plain git`, async () => {
    const entry = await shell(command);
    assert.deepEqual([entry.exit_code, entry.stdout], [0, plainGit(repo, words).stdout]);
  });
}

test("git behind env is started with all that git alone gets, and nothing of env takes it back", async () => {
  const planned = async (command: string) => {
    const plan = await gate.plan({ tool: "Shell", args: { command, work_dir: repo } });
    assert.ok(plan.ok, JSON.stringify(plan));
    return plan.value.action.steps[0];
  };
  const alone = await planned("git status");
  const hardening = (alone?.environment ?? []).filter(([name]) => name.startsWith("GIT_"));
  assert.ok(
    hardening.some(([name, value]) => name === "GIT_CONFIG_GLOBAL" && value === "/dev/null"),
    "control",
  );
  for (const command of ["env git status", "env -i -u GIT_CONFIG_GLOBAL A=b git status", "env -i env - git status"]) {
    const step = await planned(command);
    const argv = step?.argv ?? [];
    const at = argv.indexOf(alone?.argv[0] ?? "");
    assert.deepEqual(argv.slice(at), [alone?.argv[0], "-C", repo, ...(alone?.argv.slice(1) ?? [])]);
    assert.deepEqual(
      argv.slice(at - hardening.length, at).toSorted(),
      hardening.map(([name, value]) => `${name}=${value}`).toSorted(),
    );
    assert.deepEqual(step?.files, alone?.files);
  }
});

test("nothing of the repository's configuration runs behind env", async () => {
  const marker = join(directories.outside, "ran");
  const control = plainGit(repo, ["-c", `core.fsmonitor=touch ${marker}`, "status"]);
  assert.ok(control.exitCode === 0 && existsSync(marker), "control: plain git runs it");
  rmSync(marker);
  git(repo, ["config", "core.fsmonitor", `touch ${marker}`]);
  assert.equal((await shell("env -i git status")).exit_code, 0);
  git(repo, ["config", "--unset", "core.fsmonitor"]);
  assert.equal(existsSync(marker), false);
});

test("what git alone may not, git behind env may not either", async () => {
  const fake = join(repo, "bin");
  mkdirSync(fake);
  writeFileSync(join(fake, "git"), "#!/bin/sh\n");
  chmodSync(join(fake, "git"), 0o755);
  symlinkSync(directories.outside, join(repo, "away"));
  for (const command of [
    "env git push origin main",
    "env git stash",
    "env git -c core.fsmonitor=x status",
    "env GIT_DIR=x git status",
    "env GIT_EXTERNAL_DIFF=x git diff",
    "env PAGER=x git log",
    `env PATH=${fake} git status`,
    `env ${fake}/git status`,
    `env -C ${directories.outside} git status`,
    "env -C away git status",
    "env git help log",
  ]) {
    const reply = await gate.call({ tool: "Shell", args: { command, work_dir: repo } });
    assert.ok(!reply.ok, command);
  }
  assert.equal((await shell("env git log")).exit_code, 0, "control");
});
