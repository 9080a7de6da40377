// Names that take the place of others: a directory for a file, a file for a directory, a name that differs only in case.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { commit, git } from "../fixtures/git.ts";
import { newWorld, type Tools } from "../fixtures/git-gates.ts";

const source = { type: "local", path: "." };

async function replace(
  tools: Tools,
  gone: readonly string[],
  written: Readonly<Record<string, string>>,
): Promise<void> {
  for (const path of gone) await tools.done("delete_file", { path });
  for (const [path, text] of Object.entries(written)) await tools.write(path, text);
}

async function stageAll(tools: Tools): Promise<string> {
  const { unstaged } = (await tools.done("git_status")) as { unstaged: { path: string }[] };
  return (await tools.stage(unstaged.map(({ path }) => path))).id;
}

const swaps: [title: string, gone: string[], written: Record<string, string>][] = [
  ["a file becomes a directory", ["y"], { "y/z": "below\n", "y/deep/er": "deeper\n" }],
  ["a directory becomes a file", ["d/one", "d/two"], { d: "a file now\n" }],
  ["a name changes in case", ["Readme.txt"], { "README.txt": "read me\n" }],
  ["a directory changes in case", ["d/one", "d/two"], { "D/one": "1\n", "D/two": "2\n" }],
  ["a directory makes way for a file of another case", ["d/one", "d/two"], { D: "a file now\n" }],
];

test("what git_status says can be staged, and lands in the branch and in its checked-out files", async (t) => {
  for (const [title, gone, written] of swaps)
    await t.test(title, async () => {
      const world = newWorld();
      commit(world.repo, "more", { y: "a file\n", "d/one": "1\n", "d/two": "2\n", "Readme.txt": "read me\n" });
      const before = git(world.repo, ["ls-tree", "-r", "--name-only", "main"]).trim().split("\n");
      const tools = world.open();
      await tools.done("git_pull", { source, paths: ["."] });
      await replace(tools, gone, written);
      const commitId = await stageAll(tools);
      await tools.done("git_push", { commitId, target: { type: "local", path: "." } });
      const expected = [...before.filter((path) => !gone.includes(path)), ...Object.keys(written)].sort();
      assert.deepEqual(git(world.repo, ["ls-tree", "-r", "--name-only", "main"]).trim().split("\n").sort(), expected);
      for (const [path, text] of Object.entries(written))
        assert.equal(readFileSync(join(world.repo, path), "utf8"), text);
      assert.equal(git(world.repo, ["status", "--porcelain"]), "", "the index and the files are the branch's");
      git(world.repo, ["fsck", "--strict"]);
      assert.deepEqual((await tools.done("git_status"))["unstaged"], []);
    });
});

test("two that are there afterwards and differ only in case are refused when they are staged", async () => {
  const world = newWorld();
  commit(world.repo, "more", { "k/one": "1\n" });
  const tools = world.open();
  await tools.done("git_pull", { source, paths: ["k"] });
  await replace(tools, ["k/one"], {
    "n/x": "",
    "N/y": "",
    "a.md": "",
    "A.md": "",
    "K/two": "",
    "k/three": "",
    b: "",
    "B/c": "",
  });
  for (const files of [
    ["n/x", "N/y"],
    ["a.md", "A.md"],
    ["b", "B/c"],
    ["B/c", "b"],
    ["k/one", "K/two", "k/three"],
    ["a.md", "/workspace/a.md"],
  ]) {
    const refused = await tools.refused("git_stage", { files, message: "m" });
    assert.equal(refused.error, "invalid_args", files.join());
    assert.match(refused.message, /^files\[[12]\]: /, files.join());
  }
  await tools.stage(["k/one", "K/two"]);
  await tools.stage(["n/x", "a.md"]);
});

test("two names whose ends do not count on some disks are refused together, and pass alone", async () => {
  const world = newWorld();
  commit(world.repo, "more", { "old.md": "1\n" });
  const pairs = [
    ["a.", "a"],
    ["b ", "b"],
    ["c. .", "c"],
    ["d./x", "d/y"],
    ["e:s", "e"],
    ["f::$DATA", "f"],
  ];
  const tools = world.open();
  await replace(tools, [], Object.fromEntries(pairs.flat().map((path) => [path, "x\n"])));
  for (const files of pairs) {
    const refused = await tools.refused("git_stage", { files, message: "m" });
    assert.equal(refused.error, "invalid_args", files.join());
    assert.match(refused.message, /^files\[1\]: .* are one file on some disks/, files.join());
    for (const path of files) await tools.stage([path]);
  }
  await replace(tools, [], { "10:30.log": "", "10:45.log": "", "old.md.": "" });
  await tools.stage(["10:30.log", "10:45.log"]);
  const { id: commitId } = await tools.stage(["old.md."]);
  const target = { type: "local", path: "." };
  assert.match((await tools.refused("git_push", { commitId, target })).message, /"old.md" and "old.md." are one file/);
});

test("a directory that never was a pulled file cannot be staged by its name", async () => {
  const tools = newWorld().open();
  await tools.write("y/z", "below\n");
  const refused = await tools.refused("git_stage", { files: ["y"], message: "m" });
  assert.match(refused.message, /\/workspace\/y is a directory/);
});

test("a message in which nothing can be seen is an empty one", async () => {
  const tools = newWorld().open();
  await tools.write("a", "a\n");
  for (const message of ["", " \n\t", "\u200b", "\u2060 \ufeff\n", "\u3164", "\u00ad\u202e", "\u2800"]) {
    const refused = await tools.refused("git_stage", { files: ["a"], message });
    assert.match(refused.message, /^message: /, JSON.stringify(message));
  }
  await tools.stage(["a"], "\u200bvisible");
});
