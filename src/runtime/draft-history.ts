// What the git directory of a draft takes over from the person's repository: branches, tags, and the objects that they reach, as one pack.
// Invariant: git reads the person's repository in a box, within the agent's grants. Only what branches, tags and the current commit reach
// comes along, and nothing if a path that is hidden is in it. Nothing in the person's repository changes.

import { parseBranchName } from "../git/ref-name.ts";
import type { Repository } from "../git/repository.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { packingInBox, WORKSPACE_TARGET } from "../sandbox/box-workspace.ts";
import { makePacking, PACK_NAME, packingOf, removePacking, takePack } from "../sandbox/draft-packing.ts";
import { limits } from "../shared/limits.ts";
import { joinPath } from "../shared/path.ts";
import { ok } from "../shared/result.ts";
import type { CallStart } from "./session-workspace.ts";

const MiB = 1024 * 1024;
const SMALL_BYTES = 1 << 20;

export interface PersonsHistory {
  readonly commit: string;
  readonly tree: string;
  /** Such as `refs/heads/main`; null if the person is on no branch. */
  readonly branch: string | null;
  /** Lines of an id and a name. */
  readonly refs: string;
}

/** The person's current commit, branches and tags. Null if there is no commit, or git cannot read it. */
export async function readHistory(repository: Repository, call: CallStart): Promise<PersonsHistory | null> {
  const [head, refs] = await Promise.all([
    call.readRepository(repository, ["log", "-1", "--format=%H %T", "HEAD"]),
    // Not refs/stash: what a person put aside may be hidden.
    call.readRepository(repository, [
      "for-each-ref",
      "--format=%(objecttype)%(*objecttype) %(objectname) %(refname)",
      "refs/heads",
      "refs/tags",
      "refs/remotes",
    ]),
  ]);
  if (!head.ok || !refs.ok) return null;
  const [commit = "", tree = ""] = decoded(head.value).trim().split(" ");
  // A tag of a tree or a file is not part of what `git log` lists.
  const lines = decoded(refs.value).match(/^(?:tag)?commit .*\n/gm) ?? [];
  const named = lines.map((line) => line.slice(line.indexOf(" ") + 1));
  return { commit, tree, branch: branchOf(repository), refs: named.join("") };
}

/**
 * Packs the history. Resolves to a function that puts the pack into the draft's git directory; null if git cannot pack it, it is too
 * large, or it shows what is hidden.
 */
export async function packHistory(
  directory: string,
  repository: Repository,
  history: PersonsHistory,
  config: string,
  isSeen: (path: string) => boolean,
  call: CallStart,
): Promise<(() => void) | null> {
  const objects = joinPath(repository.commonDirectory, "objects");
  if (objects.includes("\n")) return null;
  const ids = [history.commit, ...history.refs.split("\n").map((line) => line.split(" ")[0] ?? "")];
  const stdin = `${[...new Set(ids.filter((id) => id !== ""))].join("\n")}\n`;
  const hidesNothing = call.capability.fsGrants.every(({ hide }) => hide.length === 0);
  makePacking(directory, { objects, config, shallow: plainText(repository.commonDirectory, "shallow") });
  const [listed, packed] = await Promise.all([
    hidesNothing ? ok(new Uint8Array()) : call.readRepository(repository, pathsOfHistory, stdin),
    call.runInside(packingInBox(packingOf(directory)), {
      repository: packingRepository,
      // Index and pack are written at once: to index a finished pack, git would have to unpack all of it.
      words: ["pack-objects", "--revs", "--delta-base-offset", "-q", PACK_NAME],
      stdin,
      fileMb: limits.gitReadBytes / MiB,
    }),
  ]);
  if (!listed.ok || !packed.ok || hiddenPath(decoded(listed.value), isSeen)) {
    removePacking(directory);
    return null;
  }
  return () => {
    takePack(directory);
    removePacking(directory);
  };
}

const packingRepository: Repository = {
  workTree: null,
  gitDirectory: WORKSPACE_TARGET,
  commonDirectory: WORKSPACE_TARGET,
  configFile: null,
  isOwnedByGate: true,
};

/**
 * Each path of each commit: where it was added, compared with the first parent. A list of objects would not do: it names each once, though
 * several paths may have the same content.
 */
const pathsOfHistory =
  "log --stdin --format= -z --name-only -t --root --no-renames --diff-filter=A --diff-merges=first-parent".split(" ");

function hiddenPath(list: string, isSeen: (path: string) => boolean): boolean {
  return list.split("\0").some((path) => path !== "" && !isSeen(path));
}

/** SECURITY(T48): the name becomes a path of a file that the gate writes. */
function branchOf({ gitDirectory }: Repository): string | null {
  const name = /^ref: refs\/heads\/(.+)$/.exec((plainText(gitDirectory, "HEAD") ?? "").trim())?.[1];
  const branch = name === undefined ? null : parseBranchName(name);
  return branch?.ok === true ? `refs/heads/${branch.value}` : null;
}

export function plainText(directory: string, name: string): string | null {
  return readPlainFile(joinPath(directory, name), SMALL_BYTES)?.toString("utf8") ?? null;
}

export function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
