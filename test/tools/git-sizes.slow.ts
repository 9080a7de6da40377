// What is more than one reading of git is read in parts.

import assert from "node:assert/strict";
import test from "node:test";
import { limits } from "../../src/shared/limits.ts";
import { commit } from "../fixtures/git.ts";
import { makeGitGates } from "../fixtures/git-gates.ts";

test("files that together are more than git is read at a time are pulled", async (t) => {
  const world = makeGitGates();
  t.after(() => world.close());
  const size = Math.ceil(limits.gitReadBytes / 5);
  const names = ["a", "b", "c", "d", "e"];
  // Of one letter each, so that it costs little on disk.
  for (const name of names) commit(world.repo, name, { [`large/${name}`]: Buffer.alloc(size, name) });
  const tools = world.open();
  const { pulled } = await tools.done("git_pull", { source: { type: "local", path: "." }, paths: ["large"] });
  assert.equal((pulled as string[]).length, names.length);
  const { files } = (await tools.done("list_files", { path: "large" })) as { files: { size: number }[] };
  assert.deepEqual(
    files.map((file) => file.size),
    names.map(() => size),
  );
  assert.deepEqual((await tools.done("git_status"))["unstaged"], []);
});
