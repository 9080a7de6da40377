// Trees: the same ids as git's own, whatever the changes; only what is touched is read; what does not fit is refused.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "../../fixtures/fast-check.ts";
import { runs } from "../../fixtures/runs.ts";
import { objectId, zeroId } from "../../../src/git/publish/object.ts";
import { encodeTree, parseTree } from "../../../src/git/publish/tree-entry.ts";
import { type BuiltTree, buildTree, type FileChange, type FileMode } from "../../../src/git/publish/tree.ts";
import { bareRepository, formats, git, hashes, MemoryTrees, packOf, tryGit } from "./real-git.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const blob = (digit: string, format: "sha1" | "sha256" = "sha1"): string => digit.repeat(zeroId(format).length);
const write = (path: string, mode: FileMode = "100644", digit = "1"): FileChange => ({
  path,
  mode,
  id: blob(digit),
  size: 1,
});
const remove = (path: string): FileChange => ({ path, mode: null });

async function built(base: string | null, changes: readonly FileChange[], source: MemoryTrees): Promise<BuiltTree> {
  const answer = await buildTree(base, changes, { hash: hashes.sha1, source });
  assert.ok(answer.ok, answer.ok ? "" : answer.failure.message);
  source.add(answer.value.objects);
  return answer.value;
}

async function refusal(base: readonly FileChange[], changes: readonly FileChange[]): Promise<string> {
  const source = new MemoryTrees("sha1");
  const root = await built(null, base, source);
  const answer = await buildTree(root.id, changes, { hash: hashes.sha1, source });
  assert.ok(!answer.ok, "it was built");
  return [answer.failure.error, answer.failure.message, ...(answer.failure.because ?? [])].join(" | ");
}

const names = [
  "a",
  "a.b",
  "a0",
  "a-",
  "b",
  "ü",
  "日本",
  "x y",
  "t\tb",
  'q"q',
  "b\\s",
  "😀",
  "\uffee",
  "new\nline",
  "-",
];
const pathGiven = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const fileGiven = fc.record({
  mode: fc.constantFrom<FileMode>("100644", "100755", "120000"),
  digit: fc.constantFrom("1", "a", "f"),
});

/** Drops what stands below a file. */
function withoutConflicts<T>(files: ReadonlyMap<string, T>): Map<string, T> {
  const isBelowFile = (path: string): boolean =>
    path.split("/").some((_, index, parts) => index > 0 && files.has(parts.slice(0, index).join("/")));
  return new Map([...files].filter(([path]) => !isBelowFile(path)));
}

for (const format of formats) {
  const repository = bareRepository(format);
  const gitTree = (files: ReadonlyMap<string, { mode: string; digit: string }>): string => {
    const lines = [...files].map(([path, { mode, digit }]) => `${mode} ${blob(digit, format)}\t${path}\0`).join("");
    const index = { GIT_INDEX_FILE: `${repository}/index.test` };
    git(repository, ["read-tree", "--empty"], "", index);
    git(repository, ["update-index", "-z", "--index-info"], lines, index);
    return git(repository, ["write-tree", "--missing-ok"], "", index);
  };

  test(`${format}: random changes to random trees give git's tree, or are refused when files and directories clash`, async () => {
    let refused = 0;
    const numRuns = runs(60, 25);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(pathGiven, fileGiven), { maxLength: 14 }),
        fc.array(fc.tuple(fc.boolean(), pathGiven, fileGiven, fc.nat()), { maxLength: 8 }),
        async (baseFiles, edits) => {
          const hash = hashes[format];
          const before = withoutConflicts(new Map(baseFiles));
          const there = [...before.keys()];
          const source = new MemoryTrees(format);
          const change = (path: string, file: { mode: FileMode; digit: string }): FileChange => ({
            path,
            mode: file.mode,
            id: blob(file.digit, format),
            size: 1,
          });
          const base = await buildTree(
            null,
            [...before].map(([path, file]) => change(path, file)),
            { hash, source },
          );
          assert.ok(base.ok);
          assert.equal(base.value.id, gitTree(before));
          source.add(base.value.objects);

          const changes = new Map<string, FileChange>();
          const after = new Map(before);
          for (const [isDeletion, path, file, pick] of edits) {
            const target = isDeletion && there.length > 0 ? (there[pick % there.length] as string) : path;
            if (changes.has(target)) continue;
            changes.set(target, isDeletion ? remove(target) : change(target, file));
            if (isDeletion) after.delete(target);
            else after.set(target, file);
          }
          const fits =
            withoutConflicts(after).size === after.size &&
            [...changes.values()].every(({ path, mode }) => mode !== null || before.has(path));
          const answer = await buildTree(base.value.id, [...changes.values()], { hash, source });
          assert.equal(answer.ok, fits, JSON.stringify([[...before.keys()], [...changes.values()], answer]));
          if (!answer.ok) {
            refused += 1;
            return;
          }
          assert.equal(answer.value.id, gitTree(after));
          for (const { path, before: old, after: now } of answer.value.changes) {
            const file = before.get(path);
            assert.deepEqual(old, file === undefined ? null : { mode: file.mode, id: blob(file.digit, format) });
            assert.equal(now?.mode ?? null, changes.get(path)?.mode);
          }
        },
      ),
      { numRuns },
    );
    assert.ok(refused > 0 && refused < numRuns, `${refused} of ${numRuns} were refused`);
  });

  test(`${format}: every tree is read back as it was written`, async () => {
    const entries = names.map((name, index) => ({
      mode: index % 2 === 0 ? "100644" : "40000",
      name: bytes(name),
      id: blob("c", format),
    }));
    const content = encodeTree(entries, format);
    const read = parseTree(content, format);
    assert.equal(read?.length, names.length);
    assert.deepEqual(encodeTree(read ?? [], format), content);
    assert.equal(
      git(repository, ["hash-object", "-t", "tree", "--stdin"], content),
      await objectId(hashes[format], "tree", content),
    );
    assert.equal(parseTree(content.subarray(0, -1), format), null);
  });
}

test("names that are no text, submodules and old modes survive a change beside them", async () => {
  const repository = bareRepository("sha1");
  const raw = Buffer.concat([Buffer.from("caf"), Buffer.from([0xe9]), Buffer.from(".txt")]);
  const content = encodeTree(
    [
      { mode: "100644", name: raw, id: blob("1") },
      { mode: "160000", name: bytes("module"), id: blob("2") },
      { mode: "100664", name: bytes("old"), id: blob("3") },
      { mode: "040000", name: bytes("dir"), id: blob("4") },
    ],
    "sha1",
  );
  const source = new MemoryTrees("sha1");
  const id = await objectId(hashes.sha1, "tree", content);
  source.add([{ id, type: "tree", content }]);
  const { objects } = await built(id, [write("new.txt")], source);
  const entries = parseTree(objects[0]?.content as Uint8Array, "sha1") ?? [];
  assert.deepEqual(
    entries.map(({ mode, name }) => `${mode} ${Buffer.from(name).toString("latin1")}`),
    ["100644 caf\xe9.txt", "40000 dir", "160000 module", "100644 new.txt", "100664 old"],
  );
  const pack = await packOf(objects, "sha1");
  git(repository, ["unpack-objects", "-q"], pack);
  assert.match(git(repository, ["ls-tree", objects[0]?.id ?? ""]), /160000 commit 2{40}\tmodule/);
});

test("only the directories on the way are read and made, however large the tree", async () => {
  const source = new MemoryTrees("sha1");
  const files = Array.from({ length: 20_000 }, (_, index) => write(`d${index % 100}/s${index % 7}/f${index}.txt`));
  const base = await built(null, files, source);
  const one = await built(base.id, [write("d3/s3/new.txt")], source);
  assert.deepEqual([source.asked.length, one.objects.length], [3, 3]);
  assert.equal(one.objects.at(-1)?.id, one.id, "children come before parents");
  const empty = await built(null, [write("d3/s3/new.txt")], source);
  assert.equal(empty.objects.length, one.objects.length);
});

test("a change that changes nothing makes no object", async () => {
  const source = new MemoryTrees("sha1");
  const base = await built(null, [write("a/b"), write("c")], source);
  const same = await built(base.id, [write("a/b")], source);
  assert.deepEqual([same.id, same.objects], [base.id, []]);
  assert.deepEqual(same.changes[0]?.before, same.changes[0]?.after);
});

test("directories that become empty vanish, and the last file leaves git's empty tree", async () => {
  const source = new MemoryTrees("sha1");
  const base = await built(null, [write("a/b/c/d"), write("z")], source);
  const left = await built(base.id, [remove("a/b/c/d")], source);
  assert.equal(left.id, (await built(null, [write("z")], source)).id);
  const none = await built(left.id, [remove("z")], source);
  assert.equal(none.id, "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
});

test("a file takes the place of a directory that goes, and the other way round", async () => {
  const source = new MemoryTrees("sha1");
  const base = await built(null, [write("a/b"), write("link", "120000")], source);
  const turned = await built(base.id, [remove("a/b"), write("a"), remove("link"), write("link/x")], source);
  assert.equal(turned.id, (await built(null, [write("a"), write("link/x")], source)).id);
});

test("what does not fit the target is refused by name", async () => {
  const base = [write("dir/file"), write("link", "120000"), write("file")];
  const cases: [FileChange[], RegExp][] = [
    [[write("dir")], /"dir" is to be a file, but the target has a directory/],
    [[write("file/x")], /"file" is a file in the target/],
    [[write("link/x")], /"link" is a symbolic link in the target/],
    [[remove("link/x")], /"link" is a symbolic link in the target/],
    [[write("new"), write("new/x")], /"new" is to be a file, but there are files below it/],
    [[remove("gone")], /"gone" is to be deleted, but the target has no such file/],
    [[remove("dir")], /"dir" is to be deleted, but is a directory/],
    [[write("FILE")], /"FILE" and "file" are one file/],
    [[write("Dir/other")], /"Dir" and "dir" are one file/],
    [[write("dir/File")], /"dir\/File" and "dir\/file" are one file/],
    [[write("LINK/x")], /"LINK" and "link" are one file/],
    [[write("f\u200bile")], /are one file/],
    [[write("\u00e9"), write("e\u0301")], /are one file/],
    [[write("straße"), write("STRASSE")], /are one file/],
    [[write("file.")], /"file" and "file\." are one file/],
    [[write("dir /other")], /"dir" and "dir " are one file/],
    [[write("file:stream")], /"file" and "file:stream" are one file/],
    [[write("dir"), write("file/x")], /2 of the changes do not fit/],
  ];
  for (const [changes, expected] of cases) {
    const text = await refusal(base, changes);
    assert.match(text, expected);
    assert.match(text, /^conflict/);
  }
});

test("a file that only changes the case of its name is no collision", async () => {
  const source = new MemoryTrees("sha1");
  const base = await built(null, [write("readme"), write("src/a"), write("x"), write("X2")], source);
  const turned = await built(base.id, [remove("readme"), write("README"), remove("src/a"), write("Src/a")], source);
  assert.equal(turned.id, (await built(null, [write("README"), write("Src/a"), write("x"), write("X2")], source)).id);
});

test("a submodule of the target is not written, deleted or entered", async () => {
  const source = new MemoryTrees("sha1");
  const content = encodeTree([{ mode: "160000", name: bytes("module"), id: blob("2") }], "sha1");
  const id = await objectId(hashes.sha1, "tree", content);
  source.add([{ id, type: "tree", content }]);
  for (const change of [write("module"), write("module/x"), remove("module"), remove("module/x")]) {
    const answer = await buildTree(id, [change], { hash: hashes.sha1, source });
    assert.match(answer.ok ? "" : answer.failure.message, /"module" is a submodule of the target/);
  }
});

test("paths that lead out, into .git in any disguise, or come twice are refused; git takes the others", async () => {
  const repository = bareRepository("sha1");
  const refused = [
    "",
    "/a",
    "a//b",
    "a/",
    "./a",
    "a/../b",
    "..",
    "a\0b",
    "\ud800",
    ".git",
    ".GIT/x",
    "a/.git",
    "GIT~1",
    ".git ",
    ".g\u200cit",
    "a\\.git\\x",
    "a\\..\\b",
  ];
  for (const path of refused) {
    const answer = await buildTree(null, [write(path)], { hash: hashes.sha1, source: new MemoryTrees("sha1") });
    assert.equal(answer.ok ? "" : answer.failure.error, "invalid_args", JSON.stringify(path));
  }
  for (const path of ["...", ".gitignore", "..a", "git", "a\\b", "CON", "a:b", "😀/ü"]) {
    const tree = await built(null, [write(path)], new MemoryTrees("sha1"));
    const checked = tryGit(repository, ["index-pack", "--stdin", "--fsck-objects"], await packOf(tree.objects, "sha1"));
    assert.doesNotMatch(checked.stderr, /error in tree/, path);
  }
  const twice = await buildTree(null, [write("a"), remove("a")], {
    hash: hashes.sha1,
    source: new MemoryTrees("sha1"),
  });
  assert.match(twice.ok ? "" : twice.failure.message, /"a" is named twice/);
  const link = await buildTree(null, [write("sub/.gitModules", "120000")], {
    hash: hashes.sha1,
    source: new MemoryTrees("sha1"),
  });
  assert.match(link.ok ? "" : link.failure.message, /must not be a symbolic link/);
});
