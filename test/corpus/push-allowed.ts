// Calls of the git_* tools that must work: staging and pulling unasked, pushing after one yes, with what lands looked at.

import { strict as assert } from "node:assert";
import { join } from "node:path";
import { assertExactly, plain, type PushBench } from "./push-bench.ts";
import type { World } from "./world.ts";

interface StageArgs {
  readonly files: readonly string[];
  readonly message: string;
}

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255]);

/** Stages what the case names, and then pushes it: what was allowed to be staged also lands as it is. */
export async function checkStageAllowed(bench: PushBench, { files, message }: StageArgs): Promise<void> {
  const names = files.map((file) => file.slice("/workspace/".length));
  for (const name of names)
    if (name.endsWith(".png"))
      await bench.done("write_file", { path: name, content: png.toString("base64"), encoding: "base64" });
    else await bench.write(name, `content of ${name}\n`);
  const staged = await bench.done("git_stage", { files, message });
  assert.equal(bench.person.asked.length, 0, "staging was asked about");
  assert.equal(staged["message"], message);
  const sha = await bench.push(String(staged["id"]), "landed");
  const { repo } = bench.world;
  const changed = plain(repo, "diff-tree", "-r", "--no-commit-id", "--name-only", "-z", sha)
    .split("\0")
    .filter(Boolean);
  assert.deepEqual(changed.sort(), [...names].sort());
  const body = plain(repo, "cat-file", "commit", sha).split("\n\n").slice(1).join("\n\n");
  assert.ok(body.startsWith(`${message}\n`), body);
  const [question] = bench.person.asked;
  for (const line of message.split("\n")) assert.ok(question?.text.includes(`| ${line}`), line);
  const binary = question?.diff?.filter(({ isBinary }) => isBinary).map(({ path }) => path);
  assert.deepEqual(
    binary,
    names.filter((name) => name.endsWith(".png")),
  );
}

const expected: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "pull-plain": { "templates/a.md": "# a template\n" },
  "pull-dir": { "templates/a.md": "# a template\n" },
  "pull-unicode": { "données/日本.md": "nihon\n" },
};

export async function checkPullAllowed(id: string, bench: PushBench, args: unknown): Promise<void> {
  const files = expected[id] as Readonly<Record<string, string>>;
  const { pulled, conflicts, commitSha } = await bench.done("git_pull", args);
  assert.deepEqual(
    pulled,
    Object.keys(files).map((path) => join("/workspace", path)),
  );
  assert.deepEqual(conflicts, []);
  assert.equal(commitSha, plain(bench.world.repo, "rev-parse", "main").trim());
  for (const [path, content] of Object.entries(files))
    assert.equal((await bench.done("read_file", { path }))["content"], content);
  assert.equal(bench.person.asked.length, 0);
}

/** Asked once, with the resolved target; the yes lands exactly the staged bytes. */
export async function checkPushAsked(bench: PushBench, args: (commitId: string) => unknown): Promise<void> {
  await bench.write("a.md", "exactly this\n");
  const id = await bench.stage(["a.md"]);
  const { commitSha, branch } = await bench.done("git_push", args(id));
  const [question] = bench.person.asked;
  assert.equal(bench.person.asked.length, 1);
  assert.equal(question?.action.push?.place, realRepo(bench.world));
  assert.equal(question?.action.push?.branch, branch);
  assert.equal(question?.action.push?.commit, commitSha);
  assert.equal(plain(bench.world.repo, "rev-parse", `refs/heads/${String(branch)}`).trim(), commitSha);
  assertExactly(bench.world.repo, String(commitSha), { "a.md": "exactly this\n" });
}

const realRepo = (world: World) => world.repo;

/** What a message looks like in the question, and that it is whole in the commit. */
export const messages: Readonly<Record<string, { message?: string; shown: (text: string, message: string) => void }>> =
  {
    "push-msg-bidi": {
      shown(text) {
        assert.ok(!text.includes("\u202e"), "the character itself must not reach a screen");
        assert.match(text, /\| safe\S*202e/i);
      },
    },
    "push-msg-long": {
      message: "x".repeat(1_000_000),
      shown(text) {
        assert.ok(text.length < 10_000);
        assert.match(text, /\| x{1000,}.*(?:…|more|cut|characters)/);
      },
    },
    "push-msg-skip-ci": { shown: (text) => assert.ok(text.includes("| fix [skip ci]\n")) },
    "push-msg-crlf": { shown: (text) => assert.ok(!text.includes("\r")) },
  };

export async function checkMessage(id: string, bench: PushBench, args: StageArgs): Promise<void> {
  const { message = args.message, shown } = messages[id] as (typeof messages)[string];
  await bench.write("a.md", "a\n");
  const sha = await bench.push(await bench.stage(args.files, message), "landed");
  shown(bench.person.asked[0]?.text ?? "", message);
  const commit = plain(bench.world.repo, "cat-file", "commit", sha);
  assert.ok(commit.includes(`\n\n${message}\n`), "whole in the commit");
}
