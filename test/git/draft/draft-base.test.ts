// A draft compared with its first commit, by git: against a plain comparison of all files, over random trees and edits.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ChangedFiles } from "../../../src/git/publish/push/compared-base.ts";
import { WantedPaths } from "../../../src/git/publish/push/wanted-paths.ts";
import { contentHash, type FileState } from "../../../src/git/staged.ts";
import { nodeHashes } from "../../../src/process/node-hashes.ts";
import type { Result } from "../../../src/shared/result.ts";
import type { WorkspacePath } from "../../../src/workspace/path.ts";
import { draftSession, newDraft, putFile, type Snapshot, snapshotOf, type TestDraft } from "../../fixtures/draft.ts";
import fc from "../../fixtures/fast-check.ts";
import { git, plainGit, writeFiles } from "../../fixtures/git.ts";
import { runs } from "../../fixtures/runs.ts";

const odd = ["a b", 'quote"s', "ünï/çö 🙂", "-dash", "--", ":(glob)*", ":!x", "*", "[x]", "dir/-n", "b'", "%s"];
const names = [...odd, "a", "dir/b", "dir/deep/c", "dir/deep", "dir", "x.log", "dir/y.log", "build/z", "build/s/z"];
const isIgnored = (path: string): boolean => path.endsWith(".log") || path.startsWith("build/");
const isBelow = (path: string, directory: string): boolean =>
  directory === "." || path === directory || path.startsWith(`${directory}/`);

function valueOf<T>(result: Result<T>): T {
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

const wantedOf = (paths?: readonly string[]): WantedPaths => valueOf(WantedPaths.parse(paths));

async function changesOf(
  { base, files }: TestDraft,
  paths?: readonly string[],
  settled: ReadonlyMap<string, FileState | null> = new Map(),
): Promise<string[]> {
  return linesOf(await base.changed(files, wantedOf(paths), settled));
}

function linesOf(found: Result<ChangedFiles>): string[] {
  return valueOf(found).changes.map(({ path, status }) => `${status} ${path}`);
}

function plainChanges(before: Snapshot, now: Snapshot, wanted: readonly string[]): string[] {
  const isShown = (path: string): boolean =>
    before.has(path) ||
    !isIgnored(path) ||
    wanted.some((one) => one === path || (isBelow(path, one) && isBelow(one, "build")));
  return [...new Set([...before.keys(), ...now.keys()])]
    .filter((path) => isShown(path) && wanted.some((one) => isBelow(path, one)))
    .sort()
    .flatMap((path) => {
      const [was, is] = [before.get(path), now.get(path)];
      if (is === undefined) return [`deleted ${path}`];
      if (was === undefined) return [`new ${path}`];
      return was.mode === is.mode && was.content.equals(is.content) ? [] : [`modified ${path}`];
    });
}

const file = fc.record({
  mode: fc.constantFrom("100644", "100644", "100755", "120000"),
  content: fc.constantFrom("1\n", "2\n", "a longer text\n", "\0\n\r", "ü").map((text) => Buffer.from(text)),
});
const link = (one: typeof file extends fc.Arbitrary<infer T> ? T : never) =>
  one.mode === "120000" ? { ...one, content: Buffer.from("some/where") } : one;
const put = fc.tuple(fc.constantFrom(...names), fc.option(file.map(link), { freq: 3 }));
const gitWords = [
  ["add", "-A"],
  ["add", "-A", "-f"],
  ["commit", "-q", "-a", "-m", "inside"],
  ["rm", "-r", "-q", "--cached", "."],
  ["reset", "-q"],
  ["stash", "-q"],
  ["checkout", "-q", "--orphan", "other"],
  ["mv", "dir", "moved"],
] as const;
const edit = fc.oneof(
  { weight: 4, arbitrary: put },
  { weight: 1, arbitrary: fc.constantFrom(...gitWords).map((words) => ({ words })) },
);

test("random edits, with git used inside: the same changes, and the same first files, as by reading all files", async () => {
  let differing = 0;
  const property = fc.asyncProperty(
    fc.array(put, { maxLength: 12 }),
    fc.array(edit, { maxLength: 10 }),
    fc.array(fc.constantFrom(...names, ".", "moved"), { minLength: 1, maxLength: 4 }),
    fc.boolean(),
    async (tree, edits, wanted, isSha256) => {
      const draft = newDraft(
        (root) => {
          writeFiles(root, { ".gitignore": "*.log\nbuild/\n" });
          for (const [path, one] of tree) putFile(root, path, one);
        },
        isSha256 ? ["--object-format=sha256"] : [],
      );
      const tracked = git(draft.root, ["ls-files", "-z"]).split("\0").slice(0, -1);
      const all = snapshotOf(draft.root);
      const before = new Map([...all].filter(([path]) => tracked.includes(path)));
      for (const one of edits) {
        if ("words" in one) plainGit(draft.root, one.words);
        else putFile(draft.root, ...one);
      }
      const now = snapshotOf(draft.root);
      // What an agent adds by force is tracked, and no longer ignored.
      const forced = edits.some((one) => "words" in one && (one.words as readonly string[]).includes("-f"));
      if (!forced) {
        const expected = plainChanges(before, now, ["."]);
        differing += expected.length;
        assert.deepEqual(await changesOf(draft), expected);
        const some = await draft.base.changed(draft.files, wantedOf(wanted), new Map());
        const isThere = (one: string) => [...before.keys(), ...now.keys()].some((path) => isBelow(path, one));
        if (wanted.every(isThere)) assert.deepEqual(linesOf(some), plainChanges(before, now, wanted));
        else assert.equal(some.ok ? "ok" : some.failure.error, "not_found");
      }
      const paths = [...new Set([...before.keys(), ...now.keys(), ...names])] as WorkspacePath[];
      draft.runs.length = 0;
      const first = valueOf(await draft.base.files(paths));
      assert.ok(draft.runs.length <= 2, "one git for the directories, one for the files");
      assert.deepEqual([...first.keys()].sort(), [...before.keys()].sort());
      for (const [path, { mode, content }] of before) {
        const state = { contentHash: contentHash(nodeHashes, content), size: content.length, mode };
        assert.deepEqual(first.get(path)?.state, state);
        assert.ok(content.equals(first.get(path)?.bytes() as Uint8Array), path);
      }
      assert.deepEqual([...valueOf(await draft.base.tracked(paths))].sort(), [...before.keys()].sort());
      draft.remove();
    },
  );
  await fc.assert(property, { numRuns: runs(300, 30) });
  assert.ok(differing > 50, "the edits did change files");
});

test("a name that is no path of a workspace is left out, also a repository inside; a submodule is no file", async () => {
  const draft = newDraft((root) => {
    writeFiles(root, { "a\nb": "1", "back\\slash": "1", "sub/.git/no": "", "other/.git/no": "", plain: "1" });
    for (const path of ["sub", "other"]) {
      rmSync(join(root, path, ".git"), { recursive: true });
      git(root, ["update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},${path}`]);
    }
  });
  const { root } = draft;
  assert.match(git(root, ["ls-tree", draft.first]), /^160000 commit 1{40}\tsub$/m);
  writeFiles(root, { "a\nb": "2", "new\u0007": "2", "back\\slash": "2", plain: "2", "inner/f": "2", café: "2" });
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0x41])]), "not UTF-8");
  git(root, ["init", "-q", "inner"]);
  rmSync(join(root, "sub"), { recursive: true });
  putFile(root, "other", { mode: "100644", content: Buffer.from("a file now") });
  assert.deepEqual(await changesOf(draft), ["new café", "modified plain"]);
  assert.equal(valueOf(await draft.base.files(["sub", "other", "inner", "plain"] as WorkspacePath[])).size, 1);
  draft.remove();
});

test("a conflict of a merge inside shows the file as changed, and not as new", async () => {
  const draft = newDraft((root) => writeFiles(root, { f: "1\n" }));
  const { root } = draft;
  for (const branch of ["one", "two"]) {
    git(root, ["checkout", "-q", "-b", branch, draft.first]);
    writeFiles(root, { f: `${branch}\n`, g: `${branch}\n` });
    git(root, ["add", "-A"]);
    git(root, ["commit", "-q", "-m", branch]);
  }
  assert.notEqual(plainGit(root, ["merge", "-q", "one"]).exitCode, 0);
  assert.deepEqual(await changesOf(draft), ["modified f", "new g"]);
  writeFiles(root, { f: "1\n" });
  assert.deepEqual(await changesOf(draft), ["new g"]);
  draft.remove();
});

test("what was landed or is staged is compared with that, and is never ignored", async () => {
  const draft = newDraft((root) => writeFiles(root, { ".gitignore": "*.log\n", f: "1\n", g: "1\n" }));
  const { root, staged, base } = draft;
  writeFiles(root, { f: "2\n", "x.log": "2\n", n: "2\n" });
  const bytes = Buffer.from("2\n");
  const state = { contentHash: contentHash(nodeHashes, bytes), size: 2, mode: "100644" as const };
  const landed = ["f", "x.log"].map((path) => ({ path, ...state, source: root, commit: "1" }));
  staged.notePulled(draftSession, landed, [], [{ hash: state.contentHash, bytes }]);
  assert.deepEqual(await changesOf(draft), ["new n"]);
  assert.deepEqual(await changesOf(draft, undefined, new Map([["n", state]])), []);
  assert.deepEqual(await changesOf(draft, undefined, new Map([["n", { ...state, mode: "100755" }]])), ["new n"]);
  assert.deepEqual([...valueOf(await base.tracked(["x.log", "y.log"] as WorkspacePath[]))], ["x.log"]);
  writeFiles(root, { f: "1\n", "x.log": "3\n" });
  assert.deepEqual(await changesOf(draft), ["modified f", "new n", "modified x.log"].toSorted(byPath));
  const first = valueOf(await base.files(["f", "g"] as WorkspacePath[]));
  assert.deepEqual(
    [...first].map(([path, one]) => [path, Buffer.from(one.bytes()).toString(), one.isStored]),
    [
      ["f", "2\n", true],
      ["g", "1\n", false],
    ],
  );
  putFile(root, "g", null);
  assert.deepEqual(await changesOf(draft, ["g"], new Map([["g", null]])), []);
  assert.deepEqual(await changesOf(draft, ["g"]), ["deleted g"]);
  draft.remove();
});

test("a deletion that has landed is no change, and what is made there again is new", async () => {
  const draft = newDraft((root) => writeFiles(root, { f: "1\n", g: "1\n", h: "1\n" }));
  const { root, staged, base } = draft;
  for (const path of ["f", "g"]) putFile(root, path, null);
  assert.deepEqual(await changesOf(draft), ["deleted f", "deleted g"], "control: it has not landed yet");
  const result = { commitSha: "1", branch: "b", createdBranch: true, previousSha: null, target: "/r", filesChanged: 1 };
  staged.noteLanded("c-1", draftSession, { result, asked: { place: "/r", branch: null } }, [], ["f"]);
  assert.deepEqual(await changesOf(draft), ["deleted g"]);
  assert.deepEqual([...valueOf(await base.files(["f", "g"] as WorkspacePath[])).keys()], ["g"]);
  writeFiles(root, { f: "1\n" });
  assert.deepEqual(await changesOf(draft), ["new f", "deleted g"]);
  staged.notePulled(draftSession, [], ["f"], []); // the person has changed it since
  assert.deepEqual(await changesOf(draft), ["deleted g"]);
  draft.remove();
});

const byPath = (a: string, b: string): number => ((a.split(" ")[1] ?? "") < (b.split(" ")[1] ?? "") ? -1 : 1);

test("the commits made inside are counted, and the newest are listed", async () => {
  const draft = newDraft((root) => writeFiles(root, { f: "1\n" }));
  const { root, base } = draft;
  assert.deepEqual(valueOf(await base.commits()), { count: 0, newest: [] });
  for (let each = 1; each <= 22; each += 1)
    git(root, ["commit", "-q", "--allow-empty", "-m", `${each} ${"ü🙂".repeat(100)}\n\nbody`]);
  const made = valueOf(await base.commits());
  assert.equal(made?.count, 22);
  assert.equal(made?.newest.length, 20);
  const [oldest] = made?.newest ?? [];
  assert.equal(oldest?.id, git(root, ["rev-parse", "HEAD~19"]).trim());
  assert.equal(oldest?.message, `3 ${"ü🙂".repeat(59)}`);
  git(root, ["checkout", "-q", "--orphan", "nothing"]);
  assert.deepEqual(valueOf(await base.commits()), { count: 0, newest: [] });
  draft.remove();
});

test("more paths than a command line takes are chosen among all", async () => {
  const draft = newDraft((root) => writeFiles(root, { f: "1\n", "dir/g": "1\n" }));
  writeFiles(draft.root, { f: "2\n", "dir/g": "2\n", h: "2\n" });
  const many = Array.from({ length: 900 }, (_, each) => `dir/${"n".repeat(150)}${each}`);
  for (const path of many) writeFiles(draft.root, { [path]: "" });
  draft.runs.length = 0;
  const shown = await changesOf(draft, ["dir/g", ...many]);
  assert.equal(shown.length, 901);
  assert.equal(shown[0], "modified dir/g");
  assert.ok(draft.runs.every((words) => words.at(-1) === "--"));
  draft.remove();
});
