// Repositories whose files are not where they seem to be, not granted, not all there, or not on disk as they are in the branch.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { commit, git, makeRepository, pictureOf, plainGit, writeFiles } from "../fixtures/git.ts";
import { newWorld, type Tools } from "../fixtures/git-gates.ts";

const world = newWorld();
const { root, outside } = world.directories;
let serial = 0;
const fresh = (): string => join(root, `r${serial++}`);
const status = (repo: string): string => git(repo, ["status", "--porcelain"]);

async function staged(tools: Tools, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [path, content] of Object.entries(files)) await tools.write(path, content);
  return (await tools.stage(Object.keys(files))).id;
}

async function push(tools: Tools, repo: string, files: Readonly<Record<string, string>>, branch?: string) {
  const commitId = await staged(tools, files);
  return tools.call("git_push", {
    commitId,
    target: { type: "local", path: repo, ...(branch === undefined ? {} : { branch }) },
  });
}

/** Refused, unasked, and nothing has changed. */
async function refusedUnasked(
  repo: string,
  files: Readonly<Record<string, string>>,
  tools = world.open(),
): Promise<string> {
  const before = pictureOf(repo);
  const reply = await push(tools, repo, files);
  assert.ok(!reply.ok, "it landed");
  assert.equal(tools.person.asked.length, 0);
  assert.deepEqual(pictureOf(repo), before);
  return [`${reply.error}: ${reply.message}`, ...(reply.because ?? [])].join("\n");
}

describe("core.worktree", () => {
  it("that leads elsewhere is a conflict on the branch that is checked out, and on no other", async () => {
    const repo = makeRepository(fresh());
    const elsewhere = fresh();
    mkdirSync(elsewhere);
    renameSync(join(repo, "a.txt"), join(elsewhere, "a.txt"));
    git(repo, ["config", "core.worktree", elsewhere]);
    assert.equal(status(repo), "", "control: git goes by it");
    const said = await refusedUnasked(repo, { "a.txt": "new\n" });
    assert.match(said, /^conflict: main of .* is checked out in .*: its core\.worktree says so\.$/);
    assert.match(await refusedUnasked(repo, { "n.txt": "new\n" }), /^conflict: /);
    const tools = world.open();
    assert.ok((await push(tools, repo, { "n.txt": "new\n" }, "other")).ok);
    await tools.done("git_pull", { source: { type: "local", path: repo }, paths: ["a.txt"], onConflict: "overwrite" });
    // There, with a pointer to the repository, it can be pushed to.
    writeFileSync(join(elsewhere, ".git"), `gitdir: ${join(repo, ".git")}\n`);
    assert.ok((await push(tools, elsewhere, { "a.txt": "one\nTWO\n" })).ok);
    assert.equal(readFileSync(join(elsewhere, "a.txt"), "utf8"), "one\nTWO\n");
    assert.equal(status(repo), "");
  });

  it("that leads to the same directory is none: a submodule, with a work tree of its own beside", async () => {
    const sub = makeRepository(fresh());
    const repo = makeRepository(fresh());
    git(repo, ["-c", "protocol.file.allow=always", "submodule", "add", "-q", sub, "sub"]);
    const inner = join(repo, "sub");
    assert.match(git(inner, ["config", "core.worktree"]), /^\.\./);
    const tools = world.open();
    assert.ok((await push(tools, inner, { "n.txt": "n\n" })).ok);
    const linked = fresh();
    git(inner, ["worktree", "add", "-q", "-b", "topic", linked]);
    assert.ok((await push(tools, linked, { "m.txt": "m\n" }, "main")).ok);
    assert.equal(status(inner), "");
    assert.equal(readFileSync(join(inner, "m.txt"), "utf8"), "m\n");
  });

  it("of one linked work tree counts for that one", async () => {
    const repo = makeRepository(fresh());
    const linked = fresh();
    git(repo, ["worktree", "add", "-q", "-b", "topic", linked]);
    git(repo, ["config", "extensions.worktreeConfig", "true"]);
    assert.ok((await push(world.open(), repo, { "n.txt": "n\n" }, "topic")).ok);
    assert.equal(status(linked), "");
    const elsewhere = fresh();
    mkdirSync(elsewhere);
    git(linked, ["config", "--worktree", "core.worktree", elsewhere]);
    assert.equal(git(linked, ["rev-parse", "--show-toplevel"]).trim(), elsewhere, "control: git goes by it");
    assert.match(await refusedUnasked(linked, { "m.txt": "m\n" }), /^conflict: .*core\.worktree says so/);
  });
});

describe("a work tree outside the grants", () => {
  it("in which the branch is checked out is fs_denied by its name; other branches land, and all can be pulled", async () => {
    const repo = makeRepository(fresh());
    const linked = join(outside, `linked${serial++}`);
    git(repo, ["worktree", "add", "-q", "-b", "topic", linked]);
    const tools = world.open();
    const reply = await push(tools, repo, { "n.txt": "n\n" }, "topic");
    assert.ok(!reply.ok);
    assert.equal(reply.error, "fs_denied");
    assert.ok(reply.message.includes(linked), reply.message);
    assert.equal(tools.person.asked.length, 0);
    assert.equal(existsSync(join(linked, "n.txt")), false);
    assert.ok((await push(tools, repo, { "n.txt": "n\n" }, "main")).ok);
    await tools.done("git_pull", { source: { type: "local", path: repo, branch: "topic" }, paths: ["a.txt"] });
    // Control: with the grant it lands there.
    const granted = world.open({ granted: [root, linked], session: "wider" });
    assert.ok((await push(granted, repo, { "n.txt": "n\n" }, "topic")).ok);
    assert.equal(readFileSync(join(linked, "n.txt"), "utf8"), "n\n");
  });
});

describe("a repository that is another one when the answer comes", () => {
  const swaps: readonly (readonly [what: string, swap: (repo: string) => void])[] = [
    [
      "its .git is a link to elsewhere",
      (repo) => {
        renameSync(join(repo, ".git"), `${repo}.git`);
        symlinkSync(`${repo}.git`, join(repo, ".git"));
      },
    ],
    [
      "its .git is a pointer to elsewhere",
      (repo) => {
        renameSync(join(repo, ".git"), `${repo}.git`);
        writeFileSync(join(repo, ".git"), `gitdir: ${repo}.git\n`);
      },
    ],
    ["it was moved away", (repo) => renameSync(repo, `${repo}-moved`)],
    ["its .git is gone", (repo) => rmSync(join(repo, ".git"), { recursive: true })],
  ];
  for (const [what, swap] of swaps) {
    it(`is changed: ${what}`, async () => {
      const repo = makeRepository(fresh());
      const tools = world.open();
      tools.person.says = () => (swap(repo), {});
      const reply = await push(tools, repo, { "n.txt": "n\n" });
      assert.ok(!reply.ok);
      assert.equal(reply.error, "changed");
      assert.equal(tools.person.asked.length, 1);
      assert.equal(existsSync(join(repo, "n.txt")), false);
    });
  }
});

describe("a partial clone", () => {
  it("says what has not come to it, and pulls and pushes what has", async () => {
    const repo = makeRepository(fresh());
    commit(repo, "more", { "b.txt": "b\n", "c.txt": "c\n" });
    git(repo, ["config", "uploadpack.allowFilter", "true"]);
    const clone = fresh();
    git("/", ["clone", "-q", "--filter=blob:none", "--no-checkout", `file://${repo}`, clone]);
    git(clone, ["reset", "-q"]);
    git(clone, ["checkout", "-q", "--", "b.txt"]);
    const tools = world.open();
    const pulled = (path: string) =>
      tools.call("git_pull", { source: { type: "local", path: clone }, paths: [path], onConflict: "overwrite" });
    const missing = await pulled("a.txt");
    assert.ok(!missing.ok);
    assert.equal(missing.error, "tool_failed");
    assert.match(missing.message, /is a partial clone, and [0-9a-f]{40} has not come to it yet\.$/);
    assert.match(missing.hint ?? "", /check the file out/);
    assert.ok((await pulled("b.txt")).ok);
    const replaced = await push(tools, clone, { "a.txt": "mine\n" }, "topic");
    assert.equal(replaced.ok ? "" : replaced.error, "tool_failed");
    assert.ok((await push(tools, clone, { "n.txt": "n\n" }, "topic")).ok);
    // What the hint names brings it.
    git(clone, ["-c", "protocol.file.allow=always", "fetch", "-q", "--refetch", "--no-filter"]);
    assert.ok((await pulled("a.txt")).ok);
  });

  it("a repository that has lost a file says so", async () => {
    const repo = makeRepository(fresh());
    const id = git(repo, ["rev-parse", "HEAD:a.txt"]).trim();
    rmSync(join(repo, ".git/objects", id.slice(0, 2), id.slice(2)));
    const tools = world.open();
    const reply = await tools.call("git_pull", {
      source: { type: "local", path: repo },
      paths: ["."],
      onConflict: "overwrite",
    });
    assert.match(
      reply.ok ? "" : `${reply.error}: ${reply.message}`,
      /^tool_failed: The object [0-9a-f]+ of .* is missing\.$/,
    );
  });
});

describe("files that git writes otherwise than they are", () => {
  const utf16 = "*.u16 text working-tree-encoding=UTF-16\n";

  it("in another encoding: new ones and clean ones are named with the attribute", async () => {
    const repo = makeRepository(fresh(), { isUnborn: true });
    const text = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("one\n", "utf16le")]);
    commit(repo, "first", { ".gitattributes": utf16, "old.u16": text, "plain.txt": "p\n" });
    assert.equal(status(repo), "");
    const reason =
      /^conflict: .*\n"(?:new|old)\.u16" has the attribute working-tree-encoding=UTF-16, which is not converted here\.$/s;
    assert.match(await refusedUnasked(repo, { "new.u16": "new\n" }), reason);
    assert.match(await refusedUnasked(repo, { "old.u16": "new\n" }), reason);
    // Control: what we would write is no such file to git.
    writeFiles(repo, { "control.u16": "new\n" });
    assert.notEqual(plainGit(repo, ["add", "control.u16"]).exitCode, 0);
    rmSync(join(repo, "control.u16"));
    const tools = world.open();
    assert.ok((await push(tools, repo, { "plain.txt": "q\n", "new.txt": "n\n" })).ok);
    assert.ok((await push(tools, repo, { "new.u16": "new\n" }, "other")).ok, "nothing of it is on disk there");
  });

  it("by attributes that land with them, lie deeper, are defined in a word, or stand in info/attributes", async () => {
    const repo = makeRepository(fresh());
    const encoded = /working-tree-encoding=/;
    assert.match(await refusedUnasked(repo, { ".gitattributes": utf16, "x.u16": "x\n" }), encoded);
    commit(repo, "deeper", { "sub/.gitattributes": "[attr]ignored x\n*.l1 working-tree-encoding=ISO-8859-1\n" });
    assert.match(await refusedUnasked(repo, { "sub/deep/x.l1": "x\n" }), encoded);
    commit(repo, "a word", {
      ".gitattributes": "[attr]wide working-tree-encoding=UTF-32\n*.w wide\nnot.w -working-tree-encoding\n",
    });
    assert.match(await refusedUnasked(repo, { "sub/x.w": "x\n" }), encoded);
    const tools = world.open();
    assert.ok(
      (await push(tools, repo, { "not.w": "x\n", "x.l1": "x\n", "y.txt": "working-tree-encoding=UTF-16\n" })).ok,
    );
    writeFiles(repo, { ".git/info/attributes": "*.txt working-tree-encoding=UTF-16LE\n*.w !working-tree-encoding\n" });
    assert.match(await refusedUnasked(repo, { "z.txt": "x\n" }), encoded);
    assert.ok((await push(tools, repo, { "z.w": "x\n" })).ok);
    writeFiles(repo, { ".git/info/attributes": "*.txt working-tree-encoding=utf-8\n" });
    assert.ok((await push(tools, repo, { "z.txt": "x\n" })).ok);
    assert.equal(status(repo), "");
  });

  it("with an id put in: where it is on disk; files without one land", async () => {
    const repo = makeRepository(fresh(), { isUnborn: true });
    commit(repo, "first", { ".gitattributes": "*.c ident\n", "id.c": "// $Id$\n", "plain.c": "int x;\n" });
    rmSync(join(repo, "id.c"));
    git(repo, ["checkout", "-q", "--", "id.c"]);
    assert.match(readFileSync(join(repo, "id.c"), "utf8"), /\$Id: [0-9a-f]{40} \$/);
    assert.equal(status(repo), "");
    assert.match(
      await refusedUnasked(repo, { "id.c": "// $Id$\nint y;\n" }),
      /"id\.c" differs on disk, and has the attribute ident/,
    );
    const tools = world.open();
    assert.ok((await push(tools, repo, { "plain.c": "int z;\n", "new.c": "// $Id$\n" })).ok);
    assert.equal(status(repo), "");
  });
});
