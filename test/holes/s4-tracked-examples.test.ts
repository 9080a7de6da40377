// S4: under the built-in defaults git answers in a repository with a tracked `.env.example` as plain git does. What is not tracked stays
// hidden.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import {
  createGate,
  createRegistry,
  type Gate,
  registerBashTool,
  registerBuiltinTools,
  registerGitTool,
  registerShellTool,
} from "../../src/index.ts";
import { defaultConfigText as builtIn } from "../../src/config/default.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { ran } from "../fixtures/run.ts";

/** In memory, so that git reads the person's own repository. */
const defaultConfigText = `${builtIn}workspace: { kind: memory }\n`;

function git(cwd: string, ...words: string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
  return execFileSync("git", [...who, ...words], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

function setUp(t: TestContext, configText = defaultConfigText): { project: string; gate: Gate } {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const { project } = directories;
  git(project, "init", "-q", ".");
  writeFileSync(join(project, ".env.example"), "KEY=\n");
  mkdirSync(join(project, "test/certs"), { recursive: true });
  writeFileSync(join(project, "test/certs/ca.pem"), "certificate\n");
  writeFileSync(join(project, "a"), "a\n");
  git(project, "add", "-A");
  git(project, "commit", "-qm", "x");
  writeFileSync(join(project, "a"), "b\n");
  writeFileSync(join(project, ".env"), "KEY=hunter2\n");
  writeFileSync(join(project, "test/certs/own.pem"), "hunter2\n");
  const registry = createRegistry();
  for (const register of [registerBuiltinTools, registerBashTool, registerGitTool, registerShellTool])
    register(registry);
  const gate = createGate({ registry, configText, statePath: directories.state, project });
  t.after(() => gate.close());
  return { project, gate };
}

test("diff, status and ls_files answer as plain git does", async (t) => {
  const { project, gate } = setUp(t);
  const same: [Record<string, unknown>, string[]][] = [
    [{ op: "diff" }, ["diff"]],
    [{ op: "diff", args: ["--stat"] }, ["diff", "--stat"]],
    [{ op: "diff", ref: "HEAD" }, ["diff", "HEAD"]],
    [{ op: "status", args: ["--porcelain", "-uno"] }, ["status", "--porcelain", "-uno"]],
    [{ op: "ls_files", args: ["-m"] }, ["ls-files", "-m"]],
  ];
  for (const [args, words] of same) {
    const { exit_code, stdout } = ran(await gate.call({ tool: "Git", args: { repo: project, ...args } }));
    assert.deepEqual([exit_code, stdout], [0, git(project, ...words)], words.join(" "));
  }
  const shell = await gate.call({ tool: "Shell", args: { command: "git diff", work_dir: project } });
  assert.ok(shell.ok && shell.result["success"] === true, JSON.stringify(shell));
  const script = `cd ${project}; git diff --stat; cat .env.example test/certs/ca.pem`;
  const { stdout } = ran(await gate.call({ tool: "Bash", args: { script } }));
  assert.match(stdout, /1 file changed/);
  assert.match(stdout, /KEY=\ncertificate/);
});

test("what git does not track stays hidden, and what it no longer tracks is hidden again", async (t) => {
  const { project, gate } = setUp(t);
  const script = `cat ${project}/.e* ${project}/test/certs/*; :`;
  const { stdout } = ran(await gate.call({ tool: "Bash", args: { script } }));
  assert.doesNotMatch(stdout, /hunter2/);
  assert.match(stdout, /certificate/, "control");
  git(project, "rm", "-q", "--cached", "test/certs/ca.pem");
  const { stdout: later } = ran(await gate.call({ tool: "Bash", args: { script } }));
  assert.doesNotMatch(later, /certificate/);
});

test("a glob that a person wrote hides tracked files too", async (t) => {
  const { project, gate } = setUp(t, defaultConfigText.replace(", tracked: shown", ""));
  const { stdout, stderr } = ran(await gate.call({ tool: "Bash", args: { script: `cat ${project}/.e*; :` } }));
  assert.doesNotMatch(stdout, /KEY=/);
  assert.match(stderr, /Permission denied/);
});

test("a project inside of a repository, and a submodule, count as tracked", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const lent = join(directories.base, "lent");
  mkdirSync(lent);
  git(lent, "init", "-q", ".");
  writeFileSync(join(lent, ".env.test"), "of the submodule\n");
  git(lent, "add", "-A");
  git(lent, "commit", "-qm", "x");
  const top = join(directories.base, "top");
  mkdirSync(join(top, "app"), { recursive: true });
  git(top, "init", "-q", ".");
  writeFileSync(join(top, "app/.env.example"), "of the project\n");
  writeFileSync(join(top, "app/.env"), "hunter2\n");
  git(top, "add", "app/.env.example");
  git(top, "submodule", "--quiet", "add", lent, "app/sub");
  const registry = createRegistry();
  registerBashTool(registry);
  const project = join(top, "app");
  const gate = createGate({ registry, configText: defaultConfigText, statePath: directories.state, project });
  t.after(() => gate.close());
  const { stdout } = ran(
    await gate.call({ tool: "Bash", args: { script: `cat ${project}/.e* ${project}/sub/.e*; :` } }),
  );
  assert.equal(stdout, "of the project\nof the submodule\n");
});

test("a file that is hidden because git does not track it stays so when directories are renamed", async (t) => {
  const rw = defaultConfigText.replace('path: "${project}", mode: r,', 'path: "${project}", mode: rw,');
  const { project, gate } = setUp(t, rw);
  mkdirSync(join(project, "shown"));
  mkdirSync(join(project, "kept"));
  writeFileSync(join(project, "shown/.env"), "tracked\n");
  writeFileSync(join(project, "kept/.env"), "hunter2\n");
  git(project, "add", "-f", "shown/.env");
  const swap = `cd ${project}; mv shown aside; mv kept shown; :`;
  await gate.call({ tool: "Bash", args: { script: swap } });
  const { stdout } = ran(await gate.call({ tool: "Bash", args: { script: `cat ${project}/*/.e*; :` } }));
  assert.doesNotMatch(stdout, /hunter2/);
});

test("what a call needs beyond its grants leaves tracked files shown", async (t) => {
  const allow = 'policy: { rules: [{ decide: allow, effect: write, path: "${project}" }] }';
  const { project, gate } = setUp(t, defaultConfigText.replace("policy: { rules: [] }", allow));
  const script = `cd ${project}; git diff --stat; cat .env; :`;
  const { stdout } = ran(await gate.call({ tool: "Bash", args: { script, needs: { write: [project] } } }));
  assert.match(stdout, /1 file changed/);
  assert.doesNotMatch(stdout, /hunter2/);
});
