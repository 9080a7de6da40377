// Packs: git takes them strictly, finds every object under the id we gave it, and with the bytes we gave it.

import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import test from "node:test";
import fc from "../../fixtures/fast-check.ts";
import { encodeCommit, type Signature } from "../../../src/git/publish/commit.ts";
import { type GitObject, makeObject, type ObjectFormat } from "../../../src/git/publish/object.ts";
import { writePack } from "../../../src/git/publish/pack.ts";
import { buildTree, type FileChange } from "../../../src/git/publish/tree.ts";
import { bareRepository, formats, git, hashes, MemoryTrees, packContext, packOf, tryGit } from "./real-git.ts";

const ada: Signature = { name: "Ada", email: "ada@example.org", timeS: 1_767_225_600, offsetMinutes: 0 };

async function commitOf(files: ReadonlyMap<string, Uint8Array>, format: ObjectFormat): Promise<GitObject[]> {
  const hash = hashes[format];
  const blobs = new Map<string, GitObject>();
  const changes: FileChange[] = [];
  for (const [path, content] of files) {
    const blob = await makeObject(hash, "blob", content);
    blobs.set(blob.id, blob);
    changes.push({ path, mode: "100644", id: blob.id, size: content.length });
  }
  const tree = await buildTree(null, changes, { hash, source: new MemoryTrees(format) });
  assert.ok(tree.ok);
  const commit = encodeCommit({ tree: tree.value.id, parents: [], author: ada, committer: ada, message: "all" });
  assert.ok(commit.ok);
  return [...blobs.values(), ...tree.value.objects, await makeObject(hash, "commit", commit.value)];
}

for (const format of formats) {
  test(`${format}: random files go through index-pack --strict and fsck --strict, byte for byte`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.stringMatching(/^[a-z]{1,3}(?:\/x[a-z]{1,3})?$/),
          fc.oneof(
            fc.uint8Array({ maxLength: 400 }),
            fc.nat({ max: 200_000 }).map((size) => new Uint8Array(size).fill(size % 251)),
            fc
              .constantFrom(0, 15, 16, 191, 192, 1_023, 1_024, 1_025, 2_047, 2_048, 65_535, 65_536)
              .map((size) => Buffer.alloc(size, "ab")),
          ),
          { minKeys: 1, maxKeys: 12 },
        ),
        async (given) => {
          const paths = Object.keys(given);
          const files = new Map(
            Object.entries(given).filter(([path]) => !paths.some((other) => other.startsWith(`${path}/`))),
          );
          if (files.size === 0) return;
          const repository = bareRepository(format);
          const objects = await commitOf(files, format);
          git(repository, ["index-pack", "--stdin", "--strict"], await packOf(objects, format));
          const head = objects.at(-1)?.id ?? "";
          git(repository, ["update-ref", "refs/heads/main", head]);
          git(repository, ["fsck", "--strict", "--full"]);
          const read = tryGit(
            repository,
            ["cat-file", "--batch"],
            [...files.keys()].map((path) => `main:${path}\n`).join(""),
          );
          let at = 0;
          for (const [path, content] of files) {
            at = read.stdout.indexOf(0x0a, at) + 1;
            assert.ok(read.stdout.subarray(at, at + content.length).equals(content), path);
            at += content.length + 1;
          }
        },
      ),
      { numRuns: 12 },
    );
  });
}

test("a pack of nothing, and a large file in the middle of small ones", async () => {
  const repository = bareRepository("sha1");
  const noise = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * index * 31) >> 7));
  const objects = await commitOf(
    new Map([
      ["a", Buffer.from("a")],
      ["b", noise],
      ["c", Buffer.from("c")],
    ]),
    "sha1",
  );
  git(repository, ["index-pack", "--stdin", "--strict"], await packOf(objects, "sha1"));
  assert.equal(git(repository, ["cat-file", "-s", objects[1]?.id ?? ""]), "300000");
  git(repository, ["index-pack", "--stdin", "--strict"], await packOf([], "sha1"));
});

test("a pack that was damaged on the way is refused by its checksum", async () => {
  const pack = await packOf(await commitOf(new Map([["a", Buffer.from("a")]]), "sha1"), "sha1");
  pack.writeUInt8(pack.readUInt8(pack.length - 1) ^ 1, pack.length - 1);
  assert.notEqual(tryGit(bareRepository("sha1"), ["index-pack", "--stdin", "--strict"], pack).exitCode, 0);
});

test("more or fewer objects than announced is a fault, not a pack", async () => {
  const object = await makeObject(hashes.sha1, "blob", new Uint8Array(3));
  for (const count of [0, 2]) {
    await assert.rejects(async () => {
      for await (const chunk of writePack([object], count, packContext("sha1"))) assert.ok(chunk.length > 0);
    }, /was given 1/);
  }
});

test("thousands of small objects come in few pieces, and the small ones without a compressor each", async () => {
  const objects = await Promise.all(
    Array.from({ length: 5_000 }, (_, index) =>
      makeObject(hashes.sha1, "blob", Buffer.from(`file ${index}\n`.repeat(index % 128))),
    ),
  );
  let deflated = 0;
  let pieces = 0;
  const deflate = (content: Uint8Array): Uint8Array => {
    deflated += 1;
    return deflateSync(content);
  };
  for await (const chunk of writePack(objects, objects.length, { ...packContext("sha1"), deflate }))
    pieces += chunk.length > 0 ? 1 : 0;
  assert.ok(pieces < objects.length / 50, `${pieces} pieces`);
  assert.ok(deflated > 0 && deflated < objects.length / 2, `${deflated} deflated`);
});
