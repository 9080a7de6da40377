// Pulling over what is there: what somebody did in the workspace stays unless it is asked for by name, and what is as it
// was pulled follows the repository, whatever kind of thing it becomes.

import assert from "node:assert/strict";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { commit, git } from "../fixtures/git.ts";
import { newWorld, type Tools, type GitGates } from "../fixtures/git-gates.ts";

function worldWith(files: Readonly<Record<string, string>>): GitGates {
  const world = newWorld();
  git(world.repo, ["rm", "-q", "-r", "."]);
  commit(world.repo, "more", files);
  return world;
}

const source = { type: "local", path: "." };

interface Pulled {
  readonly pulled: readonly string[];
  readonly conflicts: readonly string[];
  readonly notes?: readonly string[];
}

async function pull(tools: Tools, onConflict?: string): Promise<Pulled> {
  return (await tools.done("git_pull", { source, paths: ["."], onConflict })) as unknown as Pulled;
}

async function status(tools: Tools): Promise<Record<string, string>> {
  const { unstaged } = (await tools.done("git_status")) as { unstaged: { path: string; status: string }[] };
  return Object.fromEntries(unstaged.map((one) => [one.path.slice("/workspace/".length), one.status]));
}

async function contents(tools: Tools): Promise<Record<string, string>> {
  const { files } = (await tools.done("list_files")) as { files: { path: string }[] };
  const texts = files.map(async ({ path }) => [path.slice("/workspace/".length), await tools.text(path)] as const);
  return Object.fromEntries(await Promise.all(texts));
}

/** Refused as it is, with every one of these named, and nothing is different afterwards. */
async function assertStops(tools: Tools, lost: readonly string[]): Promise<void> {
  const before = [await contents(tools), await status(tools)];
  const refused = await tools.refused("git_pull", { source, paths: ["."] });
  assert.equal(refused.error, "conflict", refused.message);
  for (const path of lost) assert.ok(refused.message.includes(`/workspace/${path}`), refused.message);
  assert.deepEqual([await contents(tools), await status(tools)], before);
}

test("a file that was made executable stops the pull, and keeps its mode beside the repository's", async () => {
  const world = worldWith({ a: "v1\n" });
  const tools = world.open();
  await pull(tools);
  await tools.done("Bash", { script: "chmod +x a" });
  assert.deepEqual(await status(tools), { a: "modified" });
  await assertStops(tools, ["a"]);
  await pull(tools, "keep-both");
  assert.deepEqual(await status(tools), { a: "modified", "a.conflict": "new" });
  await pull(tools, "overwrite");
  assert.deepEqual(await status(tools), { "a.conflict": "new" });
  chmodSync(join(world.repo, "a"), 0o755);
  commit(world.repo, "mode");
  assert.deepEqual((await pull(tools)).conflicts, [], "a mode that changes in the repository alone is simply taken");
  const { files } = (await tools.done("list_files")) as { files: { path: string; executable?: boolean }[] };
  assert.equal(files.find(({ path }) => path === "/workspace/a")?.executable, true);
});

test("a file that was deleted stops the pull, and does not come back unasked", async () => {
  const world = worldWith({ a: "v1\n", b: "b\n" });
  const tools = world.open();
  await pull(tools);
  await tools.done("delete_file", { path: "a" });
  await assertStops(tools, ["a"]);
  commit(world.repo, "second", { a: "v2\n" });
  await assertStops(tools, ["a"]);
  await pull(tools, "keep-both");
  assert.deepEqual(await contents(tools), { "a.conflict": "v2\n", b: "b\n" });
  assert.deepEqual((await pull(tools, "overwrite")).conflicts, ["/workspace/a"]);
  assert.equal((await contents(tools))["a"], "v2\n");
});

test("what the repository no longer has stays, is said, and counts as new", async () => {
  const world = worldWith({ a: "v1\n", b: "b\n", c: "c\n", "d/e": "e\n" });
  const tools = world.open();
  await pull(tools);
  await tools.done("delete_file", { path: "c" });
  git(world.repo, ["rm", "-q", "a", "c", "d/e"]);
  commit(world.repo, "gone");
  const beside = (await tools.done("git_pull", { source, paths: ["b"] })) as unknown as Pulled;
  assert.equal(beside.notes, undefined, "only what is asked for");
  const { notes } = await pull(tools);
  assert.equal(notes?.length, 2);
  assert.match(notes?.join("\n") ?? "", /^a is not in main at [0-9a-f]{10}: it stays here.*\nd\/e is not in main/);
  assert.deepEqual(await contents(tools), { a: "v1\n", b: "b\n", "d/e": "e\n" });
  assert.deepEqual(await status(tools), { a: "new", "d/e": "new" }, "c is gone on both sides");
  assert.equal((await pull(tools)).notes, undefined, "it is said once");
});

const clashes = {
  x: "a file of the agent's\n",
  "z/k": "the agent's, below\n",
  "z/l/m": "deeper\n",
};
const repositorys = { "x/y": "below\n", "x/w": "below, too\n", z: "a file\n" };

test("a file where the repository has a directory, and the other way round: stopped, overwritten, or both kept", async () => {
  const world = worldWith(repositorys);
  for (const [onConflict, expected] of [
    ["overwrite", repositorys],
    ["keep-both", { ...clashes, "x.conflict/y": "below\n", "x.conflict/w": "below, too\n", "z.conflict": "a file\n" }],
  ] as const) {
    const tools = world.open({ session: onConflict });
    for (const [path, text] of Object.entries(clashes)) await tools.write(path, text);
    await assertStops(tools, ["x", "z/k", "z/l/m"]);
    const { conflicts } = await pull(tools, onConflict);
    assert.deepEqual([...conflicts].sort(), ["/workspace/x", "/workspace/z/k", "/workspace/z/l/m"]);
    assert.deepEqual(await contents(tools), expected);
    if (onConflict === "overwrite") assert.deepEqual(await status(tools), {});
  }
});

test("a link of the workspace is not written through", async () => {
  const world = worldWith({ "x/y": "theirs\n" });
  const tools = world.open();
  await tools.write("real/y", "mine\n");
  await tools.done("Bash", { script: "ln -s real x" });
  const refused = await tools.refused("git_pull", { source, paths: ["."] });
  assert.equal(refused.error, "conflict");
  await pull(tools, "overwrite");
  assert.deepEqual(await contents(tools), { "real/y": "mine\n", "x/y": "theirs\n" });
});

test("what was pulled and not touched follows, also where a file becomes a directory or a directory a file", async () => {
  const world = worldWith({ x: "a file\n", "z/k": "below\n", "z/l": "below\n" });
  const tools = world.open();
  await pull(tools);
  git(world.repo, ["rm", "-q", "x", "z/k", "z/l"]);
  mkdirSync(join(world.repo, "x"));
  commit(world.repo, "swapped", { "x/y": "below\n", z: "a file\n" });
  const { conflicts, notes } = await pull(tools);
  assert.deepEqual([conflicts, notes], [[], undefined]);
  assert.deepEqual(await contents(tools), { "x/y": "below\n", z: "a file\n" });
  assert.deepEqual(await status(tools), {});
});

test("a copy beside never takes a name that the repository, the workspace or another copy has", async () => {
  const world = worldWith({ a: "v1\n", "a.conflict": "the repository's own\n", "a.conflict-2/x": "a directory\n" });
  const tools = world.open();
  await tools.write("a", "mine\n");
  const { pulled } = await pull(tools, "keep-both");
  assert.deepEqual(
    [...pulled].sort(),
    ["a.conflict", "a.conflict-2/x", "a.conflict-3"].map((name) => `/workspace/${name}`),
  );
  assert.deepEqual(await contents(tools), {
    a: "mine\n",
    "a.conflict": "the repository's own\n",
    "a.conflict-2/x": "a directory\n",
    "a.conflict-3": "v1\n",
  });
});

test("what is wrong with the source is said of `source`", async () => {
  const world = worldWith({ a: "v1\n" });
  const tools = world.open();
  mkdirSync(join(world.directories.root, "plain"));
  for (const [wrong, field] of [
    [{ type: "local", path: join(world.directories.root, "plain") }, "source.path"],
    [{ type: "local-bare", path: "." }, "source.type"],
    [{ type: "remote", url: "file:///srv/x.git" }, "source.url"],
    [{ type: "github", repo: "nobody" }, "source.repo"],
    [{ type: "local", path: ".", branch: "a..b" }, "source.branch"],
  ] as const) {
    const { message } = await tools.refused("git_pull", { source: wrong, paths: ["."] });
    assert.ok(message.startsWith(`${field}: `), `${field}: ${message}`);
  }
  git(world.repo, ["checkout", "-q", "--detach"]);
  const { message } = await tools.refused("git_pull", { source, paths: ["."] });
  assert.ok(message.startsWith("source.branch: "), message);
});
