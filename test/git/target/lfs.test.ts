// Which paths belong to LFS: as `git check-attr` says.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test from "node:test";
import { parseTree, type TreeEntry } from "../../../src/git/publish/tree-entry.ts";
import { pathsInLfs } from "../../../src/git/target/lfs.ts";
import type { TargetReading } from "../../../src/git/target/target.ts";

const attributes: Readonly<Record<string, string>> = {
  ".gitattributes":
    "*.png filter=lfs diff=lfs -text\n# a comment\n*.txt text\nart/** filter=lfs\n/top.bin filter=lfs\n",
  "docs/.gitattributes": "*.png -filter\nbig.* filter=lfs\n",
};
const paths = [
  "a.png",
  "x/y/b.png",
  "docs/c.png",
  "docs/big.mov",
  "docs/deep/big.mov",
  "art/a",
  "art/x/y",
  "top.bin",
  "x/top.bin",
  "a.txt",
  "png",
  "docs/a.md",
];

test("as git check-attr says, from the root down", async (t) => {
  const repository = mkdtempSync(join(tmpdir(), "sallyport-lfs-"));
  t.after(() => rmSync(repository, { recursive: true, force: true }));
  const git = (...words: string[]) => execFileSync("git", ["-C", repository, ...words]);
  git("init", "-q");
  for (const [path, text] of Object.entries(attributes)) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  }
  git("add", "-A");
  const baseTree = git("write-tree").toString().trim();
  const looked = {
    state: { baseTree } as TargetReading["state"],
    readTree: (id: string) => Promise.resolve(parseTree(git("cat-file", "tree", id), "sha1") as readonly TreeEntry[]),
    readBlobs: (ids: readonly string[]) => Promise.resolve(new Map(ids.map((id) => [id, git("cat-file", "blob", id)]))),
  } satisfies TargetReading;
  const said = git("check-attr", "filter", "--", ...paths)
    .toString()
    .trim()
    .split("\n")
    .filter((line) => line.endsWith(": filter: lfs"))
    .map((line) => line.slice(0, line.indexOf(":")));
  assert.ok(said.length > 4 && said.length < paths.length, "control: git says so of some");
  assert.deepEqual(await pathsInLfs(paths, looked), said);
});
