import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { parseBatch } from "../../../../src/git/target/remote/cat-file-batch.ts";
import { isoDate, parseCommit } from "../../../../src/git/target/commit-parts.ts";
import { progressReader } from "../../../../src/git/target/remote/git-progress.ts";
import { takenSettings } from "../../../../src/git/target/remote/person-git.ts";
import { remoteFailure, saidLine } from "../../../../src/git/target/remote/remote-error.ts";
import { parsePorcelain } from "../../../../src/git/target/remote/remote-push.ts";
import { personGit } from "../../../fixtures/git-servers.ts";

const root = mkdtempSync(join(tmpdir(), "sallyport-person-"));
after(() => rmSync(root, { recursive: true, force: true }));
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe("git for a person", () => {
  it("has only what signing in and reaching a host needs of their settings, and ours behind them", async () => {
    writeFileSync(join(root, "more"), "[http]\n\tproxy = http://proxy.example:1\n");
    const person = personGit(
      join(root, "home"),
      `[include]\n\tpath = ${root}/more
[alias]\n\tx = !touch ${root}/x
[core]\n\tsshCommand = ssh -i key\n\tpager = false\n\tgitProxy = evil
[credential "https://h"]\n\thelper = store
[url "https://elsewhere/"]\n\tinsteadOf = https://
[http]\n\tfollowRedirects = true
[http "https://h"]\n\tfollowRedirects = true\n\textraHeader = X: 1
[protocol]\n\tallow = always
[credential]\n\tuseHttpPath\n`,
      {
        GIT_DIR: root,
        GIT_TRACE: "1",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "a.b",
        GIT_CONFIG_VALUE_0: "c",
        LD_PRELOAD: "x",
        GIT_CONFIG_NOSYSTEM: "1",
      },
    );
    const { stdout, stderr } = await person(["config", "--list"], { cwd: root });
    const lines = text(stdout).trim().split("\n");
    assert.equal(stderr, "");
    assert.deepEqual(lines.slice(0, 5), [
      "http.proxy=http://proxy.example:1",
      "core.sshcommand=ssh -i key",
      "credential.https://h.helper=store",
      "http.https://h.extraheader=X: 1",
      "credential.usehttppath=true",
    ]);
    assert.deepEqual(
      lines.filter((line) => /redirect|insteadof|alias|protocol\.allow|a\.b|pager|gitproxy/i.test(line)),
      ["http.followredirects=false"],
    );
    assert.ok(lines.includes("http.lowspeedlimit=1") && lines.includes("http.lowspeedtime=120"));
    const { stdout: shown } = await person(["-c", "alias.e=!env", "e"], { cwd: root });
    const names = text(shown)
      .split("\n")
      .map((line) => line.split("=")[0] as string);
    for (const name of ["GIT_DIR", "GIT_TRACE", "LD_PRELOAD"]) assert.ok(!names.includes(name), name);
    assert.match(
      text(shown),
      /^GIT_SSH_COMMAND=ssh -i key -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=30 -o ServerAliveCountMax=4 -o ForwardAgent=no$/m,
    );
    assert.match(text(shown), /^GIT_ALLOW_PROTOCOL=none$/m);
    assert.match(text(shown), /^GIT_ASKPASS=$/m);
  });

  const ending =
    "-o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=30 -o ServerAliveCountMax=4 -o ForwardAgent=no";
  for (const [name, config, environment, expected] of [
    ["OpenSSH is told not to ask, and not to wait for ever", "", {}, `ssh ${ending}`],
    [
      "the person's variable comes first",
      "[core]\n\tsshCommand = a\n",
      { GIT_SSH_COMMAND: "/usr/bin/ssh -v" },
      `/usr/bin/ssh -v ${ending}`,
    ],
    ["a wrapper is left as it is", "[core]\n\tsshCommand = wrap.sh\n", {}, "wrap.sh"],
    [
      "a wrapper that says what it is",
      "[core]\n\tsshCommand = wrap.sh\n[ssh]\n\tvariant = ssh\n",
      {},
      `wrap.sh ${ending}`,
    ],
    ["plink", "[ssh]\n\tvariant = plink\n", {}, ""],
    ["GIT_SSH", "", { GIT_SSH: "/opt/ssh" }, ""],
  ] as const) {
    it(`ssh: ${name}`, async () => {
      const person = personGit(join(root, "ssh"), config, { ...environment });
      const { stdout } = await person(["-c", "alias.e=!printenv GIT_SSH_COMMAND; true", "e"], { cwd: root });
      assert.equal(text(stdout).trim(), expected);
    });
  }

  it("takes settings of the person and the system, not of a repository", () => {
    const listed =
      "system\0http.proxy\na\0local\0http.proxy\nb\0global\0credential.username\nc\nd\0command\0http.proxy\ne\0global\0http.x\0";
    assert.deepEqual(takenSettings(listed), [
      ["http.proxy", "a"],
      ["credential.username", "c\nd"],
      ["http.x", "true"],
    ]);
  });
});

it("progress is read from pieces cut anywhere", () => {
  const said =
    "Enumerating objects: 5, done.\rWriting objects:  20% (1/5)\rWriting objects: 100% (5/5), 1.2 MiB, done.\nremote: Resolving deltas: 100% (9/9)\nReceiving objects:  50% (4/8)\r";
  for (const size of [1, 7, 1_000]) {
    const seen: string[] = [];
    const read = progressReader((done, total, what) => seen.push(`${done}/${total} ${what}`));
    for (let at = 0; at < said.length; at += size) read(said.slice(at, at + size));
    assert.deepEqual(seen, ["1/5 objects sent", "5/5 objects sent", "4/8 objects received"]);
  }
});

it("what a push said about the branch", () => {
  const answer = (line: string) => parsePorcelain(`To https://h/x\n${line}\nDone\n`, "refs/heads/main");
  assert.deepEqual(answer("*\tabc:refs/heads/main\t[new branch]"), { kind: "landed" });
  assert.deepEqual(answer(" \tabc:refs/heads/main\t1..2"), { kind: "landed" });
  assert.deepEqual(answer("=\tabc:refs/heads/main\t[up to date]"), { kind: "landed" });
  for (const reason of [
    "[rejected] (stale info)",
    "[rejected] (fetch first)",
    "[remote rejected] (cannot lock ref 'refs/heads/main': is at 1 but expected 2)",
  ])
    assert.deepEqual(answer(`!\tabc:refs/heads/main\t${reason}`), { kind: "moved" });
  assert.deepEqual(answer("!\tabc:refs/heads/main\t[remote rejected] (protected branch hook declined)"), {
    kind: "refused",
    reason: "protected branch hook declined",
  });
  assert.deepEqual(answer("*\tabc:refs/heads/other\t[new branch]"), { kind: "nothing" });
  assert.deepEqual(parsePorcelain("", "refs/heads/main"), { kind: "nothing" });
});

it("what git said is told in one line without secrets", () => {
  const url = { text: "https://h/x", protocol: "https", host: "h" } as const;
  const said =
    "fatal: unable to access 'https://me:hunter2@h/x/': Authorization: Bearer abcdefabcdef1234\u001b[2J\nhint: no\n";
  assert.doesNotMatch(saidLine(said), /hunter2|abcdefabcdef|\p{Cc}|hint/u);
  const { failure } = remoteFailure(
    url,
    { stderr: "remote: x\nfatal: Authentication failed for 'https://me:hunter2@h/x'\n", cut: null },
    "Looking at",
  );
  assert.equal(failure.error, "tool_failed");
  assert.match(failure.message, /^Looking at https:\/\/h\/x: h did not let git in\.$/);
  assert.doesNotMatch(JSON.stringify(failure), /hunter2/);
  assert.equal(saidLine(`fatal: ${"x".repeat(5_000)}`).length, 300);
});

it("objects out of a batch", () => {
  const bytes = Buffer.from("aa blob 3\na\nb\nbb missing\ncc tree 0\n\n");
  assert.deepEqual(
    [...parseBatch(bytes)].map(([id, content]) => [id, text(content)]),
    [
      ["aa", "a\nb"],
      ["cc", ""],
    ],
  );
  assert.throws(() => parseBatch(bytes.subarray(0, 11)), /cut off/);
});

it("commits are taken apart as we write them, and no others", () => {
  const head = `tree ${"a".repeat(40)}\nparent ${"b".repeat(40)}\nauthor A B <a@b> 1767225600 +0530\ncommitter C <> 0 -0330\n`;
  const parts = parseCommit(Buffer.from(`${head}\nmessage\n\nmore\n`));
  assert.deepEqual(parts?.author, { name: "A B", email: "a@b", timeS: 1_767_225_600, zone: "+0530" });
  assert.deepEqual([parts?.message, parts?.parents.length, parts?.committer.email], ["message\n\nmore\n", 1, ""]);
  assert.equal(parseCommit(Buffer.from(`${head}gpgsig x\n\nm\n`)), null);
  assert.equal(parseCommit(Buffer.from("tree x\n")), null);
  assert.equal(isoDate({ timeS: 1_767_225_600, zone: "+0530" }), "2026-01-01T05:30:00+05:30");
  assert.equal(isoDate({ timeS: 1_767_225_600, zone: "-0330" }), "2025-12-31T20:30:00-03:30");
  assert.equal(isoDate({ timeS: 1_767_225_600, zone: "+0000" }), "2026-01-01T00:00:00Z");
});
