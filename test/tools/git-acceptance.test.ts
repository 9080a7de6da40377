// The acceptance criteria of the Git tool's design note (seed 000), each as a test under its number.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test, { after } from "node:test";
import { createGate, createRegistry, registerBuiltinTools, registerGitTool } from "../../src/index.ts";
import { configText, makeTestDirectories } from "../fixtures/gate.ts";
import {
  callGit,
  commit,
  git,
  makeRepository,
  openGitGate,
  ranGit,
  readGit,
  refusedGit,
  writeFiles,
} from "../fixtures/git.ts";
import { isRoot } from "../fixtures/run.ts";

const directories = makeTestDirectories();
const repo = makeRepository(join(directories.root, "repo"));
commit(repo, "second: a subject\n\nand a body", { "src/foo.py": "print()\n" });
const gate = openGitGate(directories);
after(() => {
  gate.close();
  directories.remove();
});

test("000/1 registerGitTool adds Git to the registry", () => {
  const registry = createRegistry();
  assert.equal(registry.find("Git"), undefined);
  registerGitTool(registry);
  assert.equal(registry.find("Git")?.name, "Git");
});

test(
  "000/1 it registers also where there is no git; each call then fails and says what to install",
  { skip: isRoot ? false : "hiding /usr/bin/git needs root" },
  () => {
    const options = {
      statePath: join(directories.base, "state-2"),
      project: directories.project,
      configText: configText(directories, { tools: ["Git"] }),
      args: { op: "status", repo },
    };
    const worker = join(import.meta.dirname, "../fixtures/git-process.ts");
    const hideGit =
      'for git in /usr/bin/git /usr/local/bin/git; do [ -e "$git" ] && mount --bind /dev/null "$git"; done; exec "$@"';
    const ended = spawnSync(
      "unshare",
      ["-m", "sh", "-c", hideGit, "sh", process.execPath, worker, JSON.stringify(options)],
      { encoding: "utf8" },
    );
    assert.equal(ended.status, 0, ended.stderr);
    const { names, reply } = JSON.parse(ended.stdout) as { names: string[]; reply: Record<string, unknown> };
    assert.deepEqual(names, ["Git"]);
    assert.equal(reply["error"], "tool_failed");
    assert.match(String(reply["message"]), /git is not installed/);
    assert.match(String(reply["hint"]), /apt-get install -y git/);
  },
);

test("000/2 op must be one of the eight; push, commit, fetch, clone and the rest are invalid_args", async () => {
  for (const op of [
    "push",
    "commit",
    "fetch",
    "clone",
    "pull",
    "config",
    "Status",
    "ls-files",
    "rev-parse",
    "",
    "__proto__",
    "constructor",
    "log --all",
  ]) {
    const reply = await refusedGit(gate, repo, { op });
    assert.equal(reply.error, "invalid_args", op);
    assert.match(reply.message, /^op: /, op);
  }
  for (const [op, more] of [
    ["status", {}],
    ["log", {}],
    ["diff", {}],
    ["show", { ref: "HEAD" }],
    ["branch", {}],
    ["blame", { path: "a.txt" }],
    ["ls_files", {}],
    ["rev_parse", {}],
  ] as const) {
    assert.equal((await ranGit(gate, repo, { op, ...more })).exit_code, 0, op);
  }
});

test("000/2 show needs a ref, blame needs a path, and each takes only what it has", async () => {
  assert.match((await refusedGit(gate, repo, { op: "show" })).message, /show needs a ref/);
  assert.match((await refusedGit(gate, repo, { op: "blame" })).message, /blame needs a path/);
  assert.match((await refusedGit(gate, repo, { op: "branch", ref: "HEAD" })).message, /branch takes no ref/);
  assert.match((await refusedGit(gate, repo, { op: "rev_parse", path: "a.txt" })).message, /rev_parse takes no path/);
  const extra = await gate.call({ tool: "Git", args: { op: "status", repo, command: "push" } });
  assert.ok(!extra.ok && extra.error === "invalid_args" && /"command"/.test(extra.message));
});

test("000/3 ref is refused with shell metacharacters, spaces or newlines", async () => {
  for (const ref of [
    "HEAD;id",
    "HEAD|id",
    "$(id)",
    "`id`",
    "HEAD && id",
    "HEAD id",
    "HEAD\n",
    "HEAD\nmain",
    "a>b",
    "a<b",
    "a&b",
    "'a'",
    '"a"',
    "a*b",
    "-p",
    "--output=x",
    "",
  ]) {
    const reply = await refusedGit(gate, repo, { op: "show", ref });
    assert.equal(reply.error, "invalid_args", ref);
    assert.match(reply.message, /^ref: /, ref);
  }
  for (const ref of ["HEAD", "main", "HEAD~1", "HEAD^", "refs/heads/main", "HEAD:src/foo.py", "HEAD@{0}"])
    assert.notEqual(await readGit(gate, repo, { op: "show", ref }), "", ref);
});

test("000/4 path is refused when it is absolute or holds ..", async () => {
  for (const path of ["/etc/passwd", repo, "..", "../x", "src/../../x", "src/..", "./.."]) {
    const reply = await refusedGit(gate, repo, { op: "log", path });
    assert.equal(reply.error, "invalid_args", path);
    assert.match(reply.message, /^path: /, path);
  }
  assert.match(await readGit(gate, repo, { op: "log", args: ["--oneline"], path: "src/foo.py" }), /second/);
  assert.equal(await readGit(gate, repo, { op: "log", args: ["--oneline"], path: "src/..foo" }), "");
});

test("000/5 flags are an allowlist per op; --exec-path is invalid_args", async () => {
  const wrong: [string, string[]][] = [
    ["log", ["--exec-path=/tmp/evil"]],
    ["log", ["--output=x"]],
    ["log", ["-c", "core.fsmonitor=x"]],
    ["status", ["--oneline"]],
    ["branch", ["-D", "main"]],
    ["branch", ["new-branch"]],
    ["blame", ["--contents=/etc/passwd"]],
    ["ls_files", ["--exclude-from=/etc/passwd"]],
    ["rev_parse", ["--parseopt"]],
    ["diff", ["--no-index", "/etc/passwd", "/etc/group"]],
    ["log", ["--onel"]],
    ["log", ["--author=a\nb"]],
  ];
  for (const [op, args] of wrong) {
    const reply = await refusedGit(gate, repo, { op, args, ...(op === "blame" ? { path: "a.txt" } : {}) });
    assert.equal(reply.error, "invalid_args", args.join(" "));
    assert.match(reply.message, /^args/, args.join(" "));
  }
  assert.match((await refusedGit(gate, repo, { op: "log", args: ["--exec-path=/tmp/evil"] })).message, /--exec-path/);
  assert.equal(
    (
      await ranGit(gate, repo, {
        op: "log",
        args: ["--oneline", "--graph", "-n", "5", "--since=2 weeks ago", "--author=Ada"],
      })
    ).exit_code,
    0,
  );
});

test("000/6 status of a fresh repository: exit_code 0, and porcelain that can be parsed", async () => {
  const fresh = makeRepository(join(directories.root, "fresh"), { isUnborn: true });
  assert.equal(await readGit(gate, fresh, { op: "status" }), "");
  writeFiles(fresh, { "new file.txt": "x\n", "staged.txt": "x\n" });
  git(fresh, ["add", "staged.txt"]);
  const result = await ranGit(gate, fresh, { op: "status" });
  assert.equal(result.exit_code, 0);
  assert.deepEqual(result.stdout.split("\n"), ["A  staged.txt", '?? "new file.txt"', ""]);
  assert.deepEqual(result.cmd, ["/usr/bin/git", "-C", fresh, "status", "--porcelain"]);
});

test("000/7 log -n 1 returns the last commit's first line; the result has the note's fields", async () => {
  const result = await ranGit(gate, repo, { op: "log", args: ["--oneline", "-n", "1"] });
  assert.equal(result.stdout, `${git(repo, ["rev-parse", "--short", "HEAD"]).trim()} second: a subject\n`);
  assert.match(
    await readGit(gate, repo, { op: "log", args: ["-n", "1"] }),
    /^commit [0-9a-f]{40}\nAuthor: Ada <ada@example\.org>\nDate: .*\n\n {4}second: a subject\n {4}\n {4}and a body\n$/,
  );
  const { op, exit_code, stderr, timed_out, cmd, stdout_truncated, stderr_truncated } = result;
  const expected = {
    op: "log",
    exit_code: 0,
    stderr: "",
    timed_out: false,
    cmd: ["/usr/bin/git", "-C", repo, "log", "--oneline", "-n", "1"],
    stdout_truncated: false,
    stderr_truncated: false,
  };
  assert.deepEqual({ op, exit_code, stderr, timed_out, cmd, stdout_truncated, stderr_truncated }, expected);
  assert.ok(result.duration_s >= 0);
  assert.deepEqual(result.artifacts, []);
});

test("000/8 without a grant on the repository: fs_denied, and nothing is told about what is there", async () => {
  const outside = makeRepository(join(directories.outside, "repo"));
  for (const path of [
    outside,
    directories.outside,
    join(directories.outside, "nothing"),
    `${repo}/../../outside/repo`,
  ]) {
    const reply = await refusedGit(gate, path, { op: "status" });
    assert.equal(reply.error, "fs_denied", path);
    assert.match(reply.hint ?? "", /fs_grants/);
  }
  const messages = await Promise.all(
    [directories.outside, join(directories.outside, "nothing"), outside].map(async (path) =>
      (await refusedGit(gate, path, { op: "status" })).message.replaceAll(path, "X"),
    ),
  );
  assert.equal(new Set(messages).size, 1, "what exists and what does not is refused in the same words");
});

test("000/8 without a grant on git itself: fs_denied, naming git", async () => {
  const registry = createRegistry();
  registerGitTool(registry);
  const narrow = createGate({
    registry,
    statePath: join(directories.base, "state-3"),
    project: directories.project,
    configText: configText(directories, { tools: ["Git"], paths: [{ path: directories.root, mode: "r" }] }),
  });
  const reply = await callGit(narrow, repo, { op: "status" });
  narrow.close();
  assert.ok(!reply.ok && reply.error === "fs_denied");
  assert.match(reply.message, /\/usr\/bin\/git/);
});

test("000/9 timed_out is true when the operation takes longer than it may", async () => {
  // A regular expression with back references, on a line of 3000 letters, takes minutes.
  const slow = makeRepository(join(directories.root, "slow"));
  commit(slow, "long line", { "long.txt": `${"a".repeat(3_000)}\n` });
  const call = { op: "log", args: ["-G", "^(a*)(a*)\\1\\2\\1b"] };
  const result = await ranGit(gate, slow, { ...call, timeout_s: 1 });
  assert.equal(result.timed_out, true);
  assert.equal(result.exit_code, null);
  assert.equal(
    (await ranGit(gate, slow, { op: "log", args: ["-G", "a{3}"], timeout_s: 1 })).timed_out,
    false,
    "the control is quick",
  );
  for (const timeout_s of [0, 0.5, 121, -1])
    assert.match((await refusedGit(gate, slow, { ...call, timeout_s })).message, /^timeout_s: /);
});

test("000/10 it is an addition: registerBuiltinTools does not register it", () => {
  const registry = createRegistry();
  registerBuiltinTools(registry);
  assert.equal(registry.find("Git"), undefined);
});
