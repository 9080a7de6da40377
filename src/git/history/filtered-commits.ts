// Makes commits with other trees, and commits on those. A commit of which neither tree nor parents change keeps its id.

import type { Hashes } from "../../shared/hash.ts";
import { idOfObject } from "../object-hash.ts";
import type { GitObject, ObjectFormat, ObjectId } from "../publish/object.ts";

export interface KnownCommit {
  readonly id: ObjectId;
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  /** The object, one character for each byte. */
  readonly text: string;
}

/** Null if the bytes are no commit. `isCut`: the repository does not have its parents. */
export function knownCommit(id: ObjectId, content: Uint8Array, isCut: boolean): KnownCommit | null {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("latin1");
  const [, tree, parents = ""] = /^tree ([0-9a-f]+)\n((?:parent [0-9a-f]+\n)*)/.exec(text) ?? [];
  if (tree === undefined) return null;
  return { id, tree, parents: isCut ? [] : [...parents.matchAll(/[0-9a-f]{40,}/g)].map(([one]) => one), text };
}

export interface FilteredCommit {
  readonly id: ObjectId;
  readonly tree: ObjectId;
}

export interface FilteredCommits {
  /** What each commit has become. Null if nothing of it is left. */
  readonly commits: ReadonlyMap<ObjectId, FilteredCommit | null>;
  readonly made: readonly GitObject[];
}

export interface CommitFilter {
  /** Null if the commit has nothing to show. */
  readonly treeOf: (commit: KnownCommit) => ObjectId | null;
  /** The tree without files. */
  readonly emptyTree: ObjectId;
  /** Whether a commit goes whose tree is that of one of its parents. */
  readonly dropsUnchanged: boolean;
  readonly format: ObjectFormat;
  readonly hashes: Hashes;
}

/** `commits`: parents come first. Null if a parent is missing. */
export function filterCommits(commits: Iterable<KnownCommit>, filter: CommitFilter): FilteredCommits | null {
  const done = new Map<ObjectId, FilteredCommit | null>();
  const made: GitObject[] = [];
  for (const commit of commits) {
    // SECURITY(T48): of a parent that was not looked at, git would pack everything.
    if (commit.parents.some((id) => !done.has(id))) return null;
    const parents = [...new Set(commit.parents.flatMap((id) => done.get(id) ?? []))];
    const found = filter.treeOf(commit);
    if (found === null && parents.length === 0) {
      done.set(commit.id, null);
      continue;
    }
    const tree = found ?? filter.emptyTree;
    const same = filter.dropsUnchanged ? parents.find((parent) => parent.tree === tree) : undefined;
    if (same !== undefined) {
      done.set(commit.id, same);
      continue;
    }
    const ids = [...new Set(parents.map(({ id }) => id))];
    if (tree === commit.tree && ids.join() === commit.parents.join()) {
      done.set(commit.id, { id: commit.id, tree });
      continue;
    }
    const content = Buffer.from(withoutSignatures(commit.text, tree, ids), "latin1");
    const id = idOfObject(filter.format, "commit", content, filter.hashes);
    made.push({ id, type: "commit", content });
    done.set(commit.id, { id, tree });
  }
  return { commits: done, made };
}

/** A signature would be wrong for the new commit, and so would a copy of the tag that was merged. */
function withoutSignatures(text: string, tree: ObjectId, parents: readonly ObjectId[]): string {
  const end = text.indexOf("\n\n") + 1;
  const [head, message] = end === 0 ? [text, ""] : [text.slice(0, end), text.slice(end)];
  const rest = head
    .replace(/^tree .*\n(?:parent .*\n)*/, "")
    .replace(/^(?:gpgsig|gpgsig-sha256|mergetag)(?: .*)?\n(?: .*\n)*/gm, "");
  return `tree ${tree}\n${parents.map((id) => `parent ${id}\n`).join("")}${rest}${message}`;
}
