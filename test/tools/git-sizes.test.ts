// Large files on the way in and out: what is more than one reading of git is read in parts, what no workspace can hold is
// named with its size, and a file that is too large to be shown can still be replaced.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { limits } from "../../src/shared/limits.ts";
import { commit, git } from "../fixtures/git.ts";
import { newWorld, type GitGates } from "../fixtures/git-gates.ts";
import { isFull } from "../fixtures/runs.ts";

const source = { type: "local", path: "." };
const MiB = 1 << 20;

/** Of one letter, so that it costs little on disk. */
function commitLarge(world: GitGates, files: Readonly<Record<string, number>>): void {
  for (const [index, [path, bytes]] of Object.entries(files).entries())
    commit(world.repo, path, { [path]: Buffer.alloc(bytes, 0x61 + index) });
}

test("a file that no workspace can hold is refused by its name, its size and the limit; and can be replaced", async () => {
  const world = newWorld();
  const size = limits.gitReadBytes + 14 * MiB;
  commitLarge(world, { "big.bin": size, ...(isFull ? { "much/one": 60 * MiB } : {}) });
  const tools = world.open();
  for (const paths of [["big.bin"], ["."]]) {
    const refused = await tools.refused("git_pull", { source, paths });
    assert.equal(refused.error, "invalid_args", refused.message);
    for (const part of ["big.bin", `${size}`, `${limits.workspaceFileBytes}`])
      assert.ok(refused.message.includes(part), refused.message);
  }
  const { pulled } = await tools.done("git_pull", { source, paths: ["README.md"] });
  assert.deepEqual(pulled, ["/workspace/README.md"], "what lies beside it comes");

  await tools.write("big.bin", "small now\n");
  const { id: commitId } = await tools.stage(["big.bin"]);
  await tools.done("git_push", { commitId, target: { type: "local", path: "." } });
  const question = tools.person.asked.at(-1);
  assert.match(question?.action.push?.warnings.join("\n") ?? "", /big\.bin: in the target it is not what was pulled/);
  const [file] = question?.diff ?? [];
  assert.deepEqual(
    [file?.isTooLarge, file?.isBinary, file?.oldBytes, file?.newBytes, file?.hunks],
    [true, false, size, 10, []],
  );
  assert.equal(readFileSync(join(world.repo, "big.bin"), "utf8"), "small now\n");
  assert.equal(git(world.repo, ["status", "--porcelain"]), "");
});

test("more files than a workspace has room for are refused before any of them is read", async () => {
  const world = newWorld();
  commitLarge(world, { one: 60 * MiB });
  const line = git(world.repo, ["ls-tree", "main", "one"]).trim();
  const many = Array.from({ length: 9 }, (_, index) => `${line.replace("one", `copy-${index}`)}\n`).join("");
  const tree = git(world.repo, ["mktree"], { input: many }).trim();
  git(world.repo, ["branch", "many", git(world.repo, ["commit-tree", tree, "-m", "many"]).trim()]);
  const tools = world.open();
  const refused = await tools.refused("git_pull", { source: { ...source, branch: "many" }, paths: ["."] });
  assert.equal(refused.error, "invalid_args");
  assert.match(
    refused.message,
    new RegExp(`${9 * 60 * MiB} bytes; a workspace may have ${limits.workspaceTotalBytes}`),
  );
});
