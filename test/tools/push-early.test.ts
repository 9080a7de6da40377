// A push that could not land is refused before a person has read it. What comes up afterwards is found when it lands.

import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { commit, git, plainGit, writeFiles } from "../fixtures/git.ts";
import { newWorld, type Tools } from "../fixtures/git-gates.ts";

const target = { type: "local", path: "." };

async function staged(tools: Tools, files: Readonly<Record<string, string>>) {
  for (const [path, content] of Object.entries(files)) await tools.write(path, content);
  return { commitId: (await tools.stage(Object.keys(files))).id, target };
}

test("files in the way and what is under way are told before anybody is asked, and once more when it lands", async () => {
  const world = newWorld();
  const { repo } = world;
  const tools = world.open();
  const push = await staged(tools, { "README.md": "# New\n", "new.txt": "new\n" });
  const inTheWay: readonly (readonly [what: string, make: () => void, undo: () => void, says: RegExp])[] = [
    [
      "modified",
      () => writeFileSync(join(repo, "README.md"), "mine\n"),
      () => git(repo, ["checkout", "-q", "README.md"]),
      /README\.md/,
    ],
    [
      "untracked",
      () => writeFileSync(join(repo, "new.txt"), "mine\n"),
      () => rmSync(join(repo, "new.txt")),
      /new\.txt/,
    ],
    [
      "staged",
      () => {
        writeFiles(repo, { "README.md": "mine\n" });
        git(repo, ["add", "README.md"]);
        writeFiles(repo, { "README.md": "# Reports\n" });
      },
      () => git(repo, ["reset", "-q", "--hard"]),
      /something staged/,
    ],
    [
      "a merge",
      () => writeFileSync(join(repo, ".git/MERGE_HEAD"), git(repo, ["rev-parse", "HEAD"])),
      () => rmSync(join(repo, ".git/MERGE_HEAD")),
      /a merge is under way/,
    ],
  ];
  for (const [what, make, undo, says] of inTheWay) {
    make();
    const early = await tools.refused("git_push", push);
    assert.equal(early.error, "conflict", what);
    assert.match([early.message, ...(early.because ?? [])].join("\n"), says);
    assert.equal(tools.person.asked.length, 0, `${what}: nobody was asked`);
    undo();
  }
  for (const [at, [what, make, undo, says]] of inTheWay.entries()) {
    tools.person.says = () => (make(), {});
    const late = await tools.refused("git_push", push);
    assert.equal(late.error, "conflict", what);
    assert.match([late.message, ...(late.because ?? [])].join("\n"), says);
    assert.equal(tools.person.asked.length, at + 1);
    undo();
  }
  tools.person.says = () => ({});
  await tools.done("git_push", push);
  assert.equal(git(repo, ["status", "--porcelain"]), "");
});

test("another branch than the one that is checked out is not held up by files", async () => {
  const world = newWorld();
  writeFileSync(join(world.repo, "README.md"), "mine\n");
  const tools = world.open();
  const push = await staged(tools, { "README.md": "# New\n" });
  await tools.done("git_push", { ...push, target: { ...target, branch: "x" } });
  assert.equal(readFileSync(join(world.repo, "README.md"), "utf8"), "mine\n");
});

test("a person whose own git converts line ends has a clean tree, as git status says", async () => {
  for (const [value, isClean] of [
    ["true", true],
    ["input", true],
    ["false", false],
  ] as const) {
    const world = newWorld();
    const { repo, home } = world;
    const env = { HOME: home, GIT_CONFIG_GLOBAL: join(home, ".gitconfig") };
    const own = readFileSync(join(home, ".gitconfig"), "utf8");
    commit(repo, "lines", { "lines.txt": "1\n2\n" });
    writeFileSync(join(home, "core"), `[core]\n\tautocrlf = ${value}\n`);
    writeFileSync(join(home, ".gitconfig"), `${own}[include]\n\tpath = core\n`);
    writeFileSync(join(repo, "lines.txt"), "1\r\n2\r\n");
    // Git has to look once more: by its size alone the file is another one.
    if (isClean) plainGit(repo, ["add", "lines.txt"], { env });
    const status = () => plainGit(repo, ["status", "--porcelain"], { env }).stdout;
    assert.equal(status() === "", isClean, "git itself says so");
    const tools = world.open();
    const push = await staged(tools, { "lines.txt": "1\n2\n3\n" });
    const reply = await tools.call("git_push", push);
    assert.equal(reply.ok, isClean, JSON.stringify(reply));
    assert.equal(tools.person.asked.length, isClean ? 1 : 0);
    assert.equal(readFileSync(join(repo, "lines.txt"), "utf8"), isClean ? "1\r\n2\r\n3\r\n" : "1\r\n2\r\n");
    if (isClean) assert.equal(status(), "");
    if (!isClean) continue;
    git(repo, ["config", "core.autocrlf", "false"]);
    const again = await tools.refused("git_push", await staged(tools, { "lines.txt": "4\n" }));
    assert.equal(again.error, "conflict", "the repository's own word counts before the person's");
  }
});
