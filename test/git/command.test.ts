// The second line alone: the command line that we build, on a hostile repository with its own configuration in force and no box
// around it. Each has its control: plain git, asked the same, runs the program.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { gitArguments, gitEnvironment } from "../../src/git/command.ts";
import { type ReadRequest, readWords } from "../../src/git/read/words.ts";
import type { Repository } from "../../src/git/repository.ts";
import { commit, git, makeRepository, plainEnvironment, plainGit } from "../fixtures/git.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-command-")));
after(() => rmSync(base, { recursive: true, force: true }));

const marker = join(base, "marker");
const evil = join(base, "evil");
writeFileSync(evil, `#!/bin/sh\ntouch ${marker}\ncat 2>/dev/null\nexit 0\n`);
chmodSync(evil, 0o755);

type Ask = Partial<ReadRequest> & Pick<ReadRequest, "op">;

const hostile: [string, (repo: string) => void, Ask, string[]][] = [
  ["core.fsmonitor at status", (repo) => configure(repo, "core.fsmonitor", evil), { op: "status" }, ["status"]],
  [
    "core.fsmonitor at ls-files",
    (repo) => configure(repo, "core.fsmonitor", evil),
    { op: "ls_files", args: ["-m"] },
    ["ls-files", "-m"],
  ],
  ["a hook of the repository at status", (repo) => plantHook(join(repo, ".git/hooks")), { op: "status" }, ["status"]],
  [
    "core.hooksPath at status",
    (repo) => (plantHook(join(base, "hooks")), configure(repo, "core.hooksPath", join(base, "hooks"))),
    { op: "status" },
    ["status"],
  ],
  ["diff.external at diff", (repo) => configure(repo, "diff.external", evil), { op: "diff" }, ["diff"]],
  [
    "a diff driver at diff",
    (repo) => (attribute(repo, "diff=x"), configure(repo, "diff.x.command", evil)),
    { op: "diff" },
    ["diff"],
  ],
  [
    "textconv at show",
    (repo) => (attribute(repo, "diff=x"), configure(repo, "diff.x.textconv", evil)),
    { op: "show", ref: "HEAD" },
    ["show", "HEAD"],
  ],
  [
    "textconv at log -p",
    (repo) => (attribute(repo, "diff=x"), configure(repo, "diff.x.textconv", evil)),
    { op: "log", args: ["-p"] },
    ["log", "-p"],
  ],
  [
    "textconv at blame",
    (repo) => (attribute(repo, "diff=x"), configure(repo, "diff.x.textconv", evil)),
    { op: "blame", path: "a.txt" },
    ["blame", "a.txt"],
  ],
  [
    "log.showSignature at log",
    (repo) => (sign(repo), configure(repo, "log.showSignature", "true"), configure(repo, "gpg.program", evil)),
    { op: "log" },
    ["log"],
  ],
];

function configure(repo: string, key: string, value: string): void {
  git(repo, ["config", key, value]);
}

function attribute(repo: string, text: string): void {
  mkdirSync(join(repo, ".git/info"), { recursive: true });
  appendFileSync(join(repo, ".git/info/attributes"), `*.txt ${text}\n`);
}

function plantHook(directory: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "post-index-change"), `#!/bin/sh\ntouch ${marker}\n`);
  chmodSync(join(directory, "post-index-change"), 0o755);
}

/** A commit with something that looks like a signature: that is enough for the program to be started. */
function sign(repo: string): void {
  const text = git(repo, ["cat-file", "commit", "HEAD"]).replace(
    "\n\n",
    "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n",
  );
  const id = git(repo, ["hash-object", "-t", "commit", "-w", "--stdin"], { input: text }).trim();
  git(repo, ["update-ref", "HEAD", id]);
}

for (const [index, [what, make, ask, control]] of hostile.entries()) {
  test(`${what} runs nothing`, () => {
    const repo = makeRepository(join(base, String(index)));
    commit(repo, "second", { "a.txt": "changed\n", "b.txt": "stays\n" });
    make(repo);
    const disturb = (second: number) => {
      writeFileSync(join(repo, "a.txt"), "changed again\n".slice(0, 8));
      utimesSync(join(repo, "a.txt"), second, second);
      utimesSync(join(repo, "b.txt"), second, second); // the same content with another time: git brings its index up to date
    };
    disturb(1_600_000_000);
    const words = readWords({ args: [], ref: undefined, path: undefined, ...ask });
    assert.ok(words.ok);
    const repository: Repository = {
      workTree: repo,
      gitDirectory: join(repo, ".git"),
      commonDirectory: join(repo, ".git"),
      configFile: null,
      isOwnedByGate: true,
    };
    const [program, ...args] = gitArguments({
      git: "/usr/bin/git",
      repository,
      words: words.value.words,
      showsOwnConfig: false,
    });
    const env = { ...plainEnvironment, GIT_OPTIONAL_LOCKS: "1", ...Object.fromEntries(gitEnvironment(repository)) };
    const ended = spawnSync(program as string, args, { cwd: repo, env, encoding: "utf8" });
    assert.equal(ended.status, 0, ended.stderr);
    assert.ok(!existsSync(marker), "it ran");
    disturb(1_600_000_100);
    plainGit(repo, control, { env: { GIT_OPTIONAL_LOCKS: "1" } });
    assert.ok(existsSync(marker), "the control: plain git runs it");
    rmSync(marker);
  });
}

test("a work tree that the configuration names does not count", () => {
  const repo = makeRepository(join(base, "worktree"));
  configure(repo, "core.worktree", "/etc");
  const repository: Repository = {
    workTree: repo,
    gitDirectory: join(repo, ".git"),
    commonDirectory: join(repo, ".git"),
    configFile: null,
    isOwnedByGate: true,
  };
  const words = readWords({ op: "rev_parse", args: ["--show-toplevel"], ref: undefined, path: undefined });
  assert.ok(words.ok);
  const [program, ...args] = gitArguments({
    git: "/usr/bin/git",
    repository,
    words: words.value.words,
    showsOwnConfig: false,
  });
  const ended = spawnSync(program as string, args, {
    cwd: repo,
    env: { ...plainEnvironment, ...Object.fromEntries(gitEnvironment(repository)) },
    encoding: "utf8",
  });
  assert.equal(ended.stdout, `${repo}\n`);
  assert.equal(git(repo, ["rev-parse", "--show-toplevel"]), "/etc\n", "the control");
});

test("every name of a repository is passed as a whole word, after which nothing is an option", () => {
  for (const op of ["log", "diff", "show"] as const) {
    const words = readWords({ op, args: ["--stat"], ref: "HEAD", path: "--output=x" });
    assert.ok(words.ok);
    assert.deepEqual(words.value.words.slice(-4), ["--end-of-options", "HEAD", "--", "--output=x"]);
  }
  for (const op of ["status", "blame", "ls_files"] as const) {
    const words = readWords({ op, args: [], ref: undefined, path: "--output=x" });
    assert.ok(words.ok);
    assert.deepEqual(words.value.words.slice(-2), ["--", "--output=x"]);
  }
});
