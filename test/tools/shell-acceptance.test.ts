// Every allowed and blocked example of the shell tool's page (seed 004), and the rules of lists.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { createRegistry, registerShellTool, type Reply } from "../../src/index.ts";
import { makeTestDirectories, openGate, resultOf } from "../fixtures/gate.ts";

const directories = makeTestDirectories();
const repo = join(directories.root, "repo");
mkdirSync(join(repo, "src/deep"), { recursive: true });
for (const file of ["src/main.py", "src/deep/other.py", "README.md"])
  writeFileSync(join(repo, file), "a pattern\nline two\n");
const git = (...words: string[]) =>
  execFileSync("git", ["-C", repo, "-c", "user.name=a", "-c", "user.email=a@b", ...words], { encoding: "utf8" });
git("init", "-q", "-b", "main");
git("add", ".");
git("commit", "-qm", "first");

const registry = createRegistry();
registerShellTool(registry);
const gate = openGate(directories, { tools: ["Shell"] }, { registry });
after(() => {
  gate.close();
  directories.remove();
});

interface Entry {
  readonly command: string;
  readonly exit_code?: number;
  readonly stdout?: string;
  readonly argv?: string[];
  readonly cwd?: string;
  readonly error?: string;
}

const shell = (command: unknown, more: object = {}): Promise<Reply> =>
  gate.call({ tool: "Shell", args: { command, work_dir: repo, ...more } });
const entriesOf = (reply: Reply): Entry[] => resultOf(reply)["results"] as Entry[];

for (const command of [
  "ls -la",
  "git log --oneline -20",
  "wc -l src/**/*.py",
  "head -50 src/main.py",
  "rg 'pattern' .",
  `git -C ${repo} log`,
  "FOO=bar git status",
]) {
  test(`004 allowed: ${command.replace(directories.base, "…")}`, async () => {
    const reply = await shell(command);
    assert.equal(resultOf(reply)["success"], true, JSON.stringify(reply));
    assert.ok((entriesOf(reply)[0]?.stdout ?? "").length > 0);
  });
}

const blocked: [string, string][] = [
  ["rm -rf /", "permission_denied"],
  ["curl https://evil.com", "permission_denied"],
  ["git push origin main", "permission_denied"],
  ["ls; rm -rf /", "invalid_args"],
  ["cat file | bash", "invalid_args"],
  ["echo $(id)", "invalid_args"],
  ["cat /etc/passwd", "fs_denied"],
  ["echo foo > /tmp/out", "invalid_args"],
];
for (const [command, slug] of blocked) {
  test(`004 blocked: ${command} (${slug})`, async () => {
    const reply = await shell(command);
    assert.ok(!reply.ok, JSON.stringify(reply));
    assert.equal(reply.error, slug);
    assert.ok((reply.hint ?? "").length > 0, "a refusal teaches");
  });
}

test("globs give the words that bash would give, and argv shows them", async () => {
  const [entry] = entriesOf(await shell("wc -l src/**/*.py"));
  assert.deepEqual(entry?.argv, ["wc", "-l", "src/deep/other.py", "src/main.py"]);
});

test("a list runs in order and stops at the first failure", async () => {
  const reply = await shell(["pwd", "grep nothing-of-that-kind README.md", "ls"]);
  assert.equal(resultOf(reply)["success"], false);
  assert.deepEqual(
    entriesOf(reply).map((entry) => entry.exit_code),
    [0, 1],
  );
});

test("with ignore_errors it goes on, and a refused command has its entry", async () => {
  const reply = await shell(["cat nope", "rm x", "pwd"], { ignore_errors: true });
  assert.equal(resultOf(reply)["success"], false);
  const entries = entriesOf(reply);
  assert.deepEqual(
    entries.map((entry) => entry.error ?? entry.exit_code),
    [1, "permission_denied", 0],
  );
  assert.equal(entries[2]?.stdout, `${repo}\n`);
});

test("all of a list is judged before anything starts", async () => {
  const marker = join(repo, "made");
  const reply = await shell([`python3 -c "open('${marker}', 'w')"`, "rm x"]);
  assert.ok(!reply.ok && reply.error === "permission_denied");
  assert.equal(existsSync(marker), false);
  const control = await shell([`python3 -c "open('${marker}', 'w')"`]);
  assert.equal(resultOf(control)["success"], true);
  assert.equal(existsSync(marker), true);
});

test("`type` is answered by us, and a no of it ends a list", async () => {
  const [entry] = entriesOf(await shell("type ls"));
  assert.match(entry?.stdout ?? "", /^ls is \/.*\/ls\n$/);
  assert.equal(entry?.cwd, repo);
  assert.deepEqual(
    entriesOf(await shell(["type nothing-of-that-kind", "pwd"])).map((entry) => entry.exit_code),
    [1],
  );
});

test("a program elsewhere is not the program of that name", async () => {
  mkdirSync(join(repo, "bin"));
  execFileSync("cp", ["/bin/true", join(repo, "bin/ls")]);
  for (const command of ["./bin/ls", `${repo}/bin/ls`, `PATH=${repo}/bin ls`]) {
    const reply = await shell(command);
    assert.ok(!reply.ok, command);
  }
});

test("git in Shell runs nothing of the repository's configuration, and changes nothing", async () => {
  const marker = join(directories.outside, "ran");
  git("config", "core.fsmonitor", `touch ${marker}`);
  git("status");
  assert.equal(existsSync(marker), true, "control: plain git runs it");
  execFileSync("rm", [marker]);
  assert.equal(resultOf(await shell("git status"))["success"], true);
  assert.equal(existsSync(marker), false);
  git("config", "--unset", "core.fsmonitor");
});

test("git config shows the repository's own values, and only reads", async () => {
  git("config", "user.name", "someone");
  assert.equal(entriesOf(await shell("git config --get user.name"))[0]?.stdout, "someone\n");
  assert.equal(entriesOf(await shell("git config --get-regexp '^user[.]na'"))[0]?.stdout, "user.name someone\n");
  assert.doesNotMatch(
    entriesOf(await shell("git config --list"))[0]?.stdout ?? "",
    /protocol\.allow/,
    "ours are not among them",
  );
  const reply = await shell("git config user.name other");
  assert.ok(!reply.ok && reply.error === "permission_denied");
});
