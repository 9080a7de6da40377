// git_status, git_diff, git_stage and search_files where the workspace is compared with the first commit of a draft.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gitDiffTool } from "../../src/tools/git-diff.ts";
import { gitStageTool } from "../../src/tools/git-stage.ts";
import { gitStatusTool } from "../../src/tools/git-status.ts";
import { searchFilesTool } from "../../src/tools/search-files.ts";
import type { CommitTool, PlanContext } from "../../src/tools/tool.ts";
import { withShownArtifacts } from "../../src/runtime/shown-artifacts.ts";
import { MemoryLocation } from "../../src/workspace/memory-location.ts";
import { bytesOfPush } from "../../src/runtime/pushed-bytes.ts";
import { draftSession, newDraft, type TestDraft } from "../fixtures/draft.ts";
import { git, writeFiles } from "../fixtures/git.ts";

type Fields = Readonly<Record<string, unknown>>;

async function done<T>(tool: CommitTool<T>, args: T, draft: TestDraft): Promise<Fields> {
  const context = { agent: "default", workspace: new MemoryLocation(draft.files) } as unknown as PlanContext;
  const plan = await tool.plan(args, context, draft.commits);
  assert.ok(plan.ok && plan.value.kind === "work", JSON.stringify(plan));
  const result = await plan.value.run(draft.files);
  assert.ok(result.ok, JSON.stringify(result));
  tool.result?.parse(result.value);
  return result.value;
}

test("status, diff and a staged commit show both sides; what is staged as it is, is not listed", async () => {
  const draft = newDraft((root) => writeFiles(root, { ".gitignore": "*.log\n", "a.txt": "one\n", "gone.txt": "x\n" }));
  const { root, staged, first } = draft;
  writeFiles(root, { "a.txt": "two\n", "new.txt": "new\n", "x.log": "word\n" });
  git(root, ["rm", "-q", "gone.txt"]);
  git(root, ["commit", "-q", "-m", "remove it\n\nbecause"]);
  const id = git(root, ["rev-parse", "HEAD"]).trim();
  assert.deepEqual(await done(gitStatusTool, {}, draft), {
    staged: [],
    unstaged: [
      { path: "/workspace/a.txt", status: "modified" },
      { path: "/workspace/gone.txt", status: "deleted" },
      { path: "/workspace/new.txt", status: "new" },
    ],
    commits: [{ id, message: "remove it" }],
  });
  const { diff } = await done(gitDiffTool, {}, draft);
  for (const line of [/^-one$/m, /^\+two$/m, /^-x$/m, /^\+new$/m]) assert.match(String(diff), line);

  const files = ["a.txt", "gone.txt", "new.txt"];
  const commit = await done(gitStageTool, { files, message: "all" }, draft);
  assert.deepEqual(
    (commit["files"] as { operation: string }[]).map(({ operation }) => operation),
    ["update", "delete", "create"],
  );
  const [kept] = staged.list(draftSession);
  assert.deepEqual(
    kept?.files.map(({ before }) => before?.size ?? null),
    [4, 2, null],
  );
  assert.deepEqual((await done(gitStatusTool, {}, draft))["unstaged"], []);
  writeFiles(root, { "a.txt": "three\n" });
  const shown = await done(gitDiffTool, { commitId: "c-1" }, draft);
  assert.equal(shown["diff"], diff);
  const blob = git(root, ["rev-parse", `${first}:a.txt`]).trim();
  const bytes = bytesOfPush(draftSession, "before", { path: "a.txt", id: blob, size: 4 }, staged);
  assert.equal(Buffer.from(bytes ?? []).toString(), "one\n");
  draft.remove();
});

test("staging many files runs git twice, whatever their number", async () => {
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, each) => [`d${each % 50}/f${each}`, `${each}\n`]));
  const draft = newDraft((root) => writeFiles(root, many));
  writeFiles(draft.root, Object.fromEntries(Object.keys(many).map((path) => [path, "changed\n"])));
  for (const files of [Object.keys(many).slice(0, 1), Object.keys(many)]) {
    draft.runs.length = 0;
    await done(gitStageTool, { files, message: "many" }, draft);
    assert.ok(draft.runs.length <= 2, JSON.stringify(draft.runs));
  }
  const befores = draft.staged
    .list(draftSession)
    .at(-1)
    ?.files.map(({ before }) => before?.contentHash);
  assert.equal(new Set(befores).size, 2_000);
  draft.remove();
});

test("a tracked file that .gitignore names is searched, and is listed among what a run changed", async () => {
  const draft = newDraft((root) => {
    writeFiles(root, { "kept.log": "word\n", "dir/kept.log": "word\n" });
    git(root, ["add", "-A"]);
    writeFiles(root, { ".gitignore": "*.log\n" });
  });
  writeFiles(draft.root, { "new.log": "word\n", "a.txt": "word\n" });
  const found = await done(searchFilesTool, { pattern: "word" }, draft);
  assert.deepEqual(
    (found["matches"] as { path: string }[]).map(({ path }) => path),
    ["/workspace/a.txt", "/workspace/dir/kept.log", "/workspace/kept.log"],
  );
  assert.equal(found["ignored"], 1);
  const artifacts = ["a.txt", "kept.log", "new.log"].map((name) => ({ path: `/workspace/${name}` }));
  const outcome = { artifacts, notKept: [] } as never;
  const shown = await withShownArtifacts({ artifacts }, [outcome], draft.files, draft.base);
  assert.deepEqual(shown, { artifacts: artifacts.slice(0, 2), ignored: 1 });
  draft.remove();
});
