// Makes a history without what an agent may not see: without hidden paths, and of a project below the root of its repository only what
// lies in the project. Commits that change by it get new ids, so there is no object in it that names what is left out.
// Invariant: git runs where the history is packed, with the objects of the person and nothing else of their repository.

import { deflateSync } from "node:zlib";
import { type DraftGit, readBatch } from "../git/draft/draft-git.ts";
import { filterCommits, type FilteredCommit, type KnownCommit, knownCommit } from "../git/history/filtered-commits.ts";
import { filterTrees, leftOutPaths } from "../git/history/filtered-trees.ts";
import { idOfObject } from "../git/object-hash.ts";
import type { GitObject, ObjectFormat, ObjectId } from "../git/publish/object.ts";
import { writePack } from "../git/publish/pack.ts";
import { byteText } from "../git/publish/tree-entry.ts";
import { MADE_PACK, writeMadePack } from "../sandbox/draft-packing.ts";
import { nodeMachine } from "./node-machine.ts";

/** What is left out. */
export interface HistoryFilter {
  /** Where the project lies in the repository; null if it is the whole of it. */
  readonly below: string | null;
  /** In the project; one character for each byte. */
  readonly hidden: readonly string[];
}

export type FilteredHistory = ReadonlyMap<ObjectId, FilteredCommit | null>;

/** `git` packs in `directory`, a draft. Resolves to what the commits below `tips` have become; null if they cannot be read. */
export async function filterHistory(
  directory: string,
  git: DraftGit,
  { tips, cut }: { readonly tips: readonly ObjectId[]; readonly cut: ReadonlySet<ObjectId> },
  { below, hidden }: HistoryFilter,
): Promise<FilteredHistory | null> {
  const format: ObjectFormat = tips[0]?.length === 64 ? "sha256" : "sha1";
  const hashes = nodeMachine.hashes;
  const commits = await readCommits(git, tips, cut);
  const trees = commits === null ? null : await projectTrees(git, commits, below);
  if (commits === null || trees === null) return null;
  const filtered = await filterTrees(git, trees.values(), leftOutPaths(hidden), { format, hashes });
  if (!filtered.ok) return null;
  const empty: GitObject = {
    id: idOfObject(format, "tree", new Uint8Array(), hashes),
    type: "tree",
    content: new Uint8Array(),
  };
  const done = filterCommits(commits, {
    treeOf: ({ id }) => filtered.value.ids.get(trees.get(id) ?? "") ?? null,
    emptyTree: empty.id,
    dropsUnchanged: below !== null,
    format,
    hashes,
  });
  if (done === null) return null;
  const made = new Map([empty, ...filtered.value.made, ...done.made].map((object) => [object.id, object]));
  const pack = writePack(made.values(), made.size, {
    startHash: () => hashes.start(format),
    deflate: (content) => deflateSync(content, { level: 1 }),
  });
  await writeMadePack(directory, pack);
  const indexed = await git.read(["index-pack", MADE_PACK], "");
  return indexed.ok ? done.commits : null;
}

/** Parents come first. */
async function readCommits(
  git: DraftGit,
  tips: readonly ObjectId[],
  cut: ReadonlySet<ObjectId>,
): Promise<KnownCommit[] | null> {
  const listed = await git.read(["rev-list", "--topo-order", "--reverse", "--stdin"], `${tips.join("\n")}\n`);
  if (!listed.ok) return null;
  const ids = byteText(listed.value).split("\n").slice(0, -1);
  const read = await readBatch(git, ids);
  if (!read.ok) return null;
  const commits = read.value.flatMap((object) => {
    const commit = object?.type === "commit" ? knownCommit(object.id, object.content, cut.has(object.id)) : null;
    return commit ?? [];
  });
  return commits.length === ids.length ? commits : null;
}

/** The tree of the project in each commit that has one. */
async function projectTrees(
  git: DraftGit,
  commits: readonly KnownCommit[],
  below: string | null,
): Promise<ReadonlyMap<ObjectId, ObjectId> | null> {
  if (below === null) return new Map(commits.map(({ id, tree }) => [id, tree]));
  if (below.includes("\n")) return null;
  const names = commits.map(({ id }) => `${id}:${below}\n`).join("");
  const said = await git.read(["cat-file", "--batch-check=%(objectname) %(objecttype)"], names);
  if (!said.ok) return null;
  const lines = byteText(said.value).split("\n").slice(0, -1);
  if (lines.length !== commits.length) return null;
  const trees = lines.map((line) => /^([0-9a-f]+) tree$/.exec(line)?.[1]);
  return new Map(commits.flatMap(({ id }, at) => (trees[at] === undefined ? [] : [[id, trees[at]] as const])));
}
