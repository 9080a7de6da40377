// What the git directory of a draft takes over from the person's repository: branches, tags, and the objects that they reach, as one pack.
// Invariant: git reads the person's repository in a box, within the agent's grants. Only what branches, tags and the current commit reach
// comes along, without what is hidden. Nothing in the person's repository changes.

import type { DraftGit } from "../git/draft/draft-git.ts";
import { parseBranchName } from "../git/ref-name.ts";
import type { Repository } from "../git/repository.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { packingInBox, WORKSPACE_TARGET } from "../sandbox/box-workspace.ts";
import { makePacking, type PackKind, packingOf, packName, removePacking, takePack } from "../sandbox/draft-packing.ts";
import { latin1Text } from "../shared/bytes.ts";
import { limits } from "../shared/limits.ts";
import { joinPath } from "../shared/path.ts";
import { ok, type Result } from "../shared/result.ts";
import { type FilteredHistory, filterHistory } from "./filter-history.ts";
import type { CallStart } from "./session-workspace.ts";

const MiB = 1024 * 1024;
const SMALL_BYTES = 1 << 20;

export interface PersonsHistory {
  readonly commit: string;
  readonly tree: string;
  /** Such as `refs/heads/main`; null if the person is on no branch. */
  readonly branch: string | null;
  readonly refs: readonly PersonsRef[];
  /** The commits whose parents are missing, one in each line. Null if there are none. */
  readonly shallow: string | null;
}

interface PersonsRef {
  readonly name: string;
  /** Of the commit, or of a tag that names it. */
  readonly id: string;
  readonly commit: string;
}

/** The person's current commit, branches and tags. Null if there is no commit, or git cannot read it. */
export async function readHistory(repository: Repository, call: CallStart): Promise<PersonsHistory | null> {
  const [head, refs] = await Promise.all([
    call.readRepository(repository, ["log", "-1", "--format=%H %T", "HEAD"]),
    // Not refs/stash: what a person put aside may be hidden.
    call.readRepository(repository, [
      "for-each-ref",
      "--format=%(objecttype)%(*objecttype) %(objectname) %(*objectname) %(refname)",
      "refs/heads",
      "refs/tags",
      "refs/remotes",
    ]),
  ]);
  if (!head.ok || !refs.ok) return null;
  const [commit = "", tree = ""] = decoded(head.value).trim().split(" ");
  // A tag of a tree or a file is not part of what `git log` lists.
  const lines = decoded(refs.value).matchAll(/^(?:tag)?commit ([0-9a-f]+) ([0-9a-f]*) (.*)$/gm);
  const named = [...lines].map(([, id = "", tagged = "", name = ""]) => ({ name, id, commit: tagged || id }));
  const shallow = plainText(repository.commonDirectory, "shallow");
  return { commit, tree, branch: branchOf(repository), refs: named, shallow };
}

/** What the draft has of the person's history. */
export interface DraftHistory extends PersonsHistory {
  /** Puts its objects into the draft's git directory. */
  take(): void;
}

export interface HistorySource {
  readonly repository: Repository;
  /** Where the project lies in the repository; null if it is the whole of it. */
  readonly below: string | null;
  readonly isSeen: (path: string) => boolean;
  /** Of the git that packs. */
  readonly config: string;
}

/** Packs the history, without what is hidden. Null if git cannot pack it, it is too large, or there is nothing of it to show. */
export async function packHistory(
  directory: string,
  history: PersonsHistory,
  source: HistorySource,
  call: CallStart,
): Promise<DraftHistory | null> {
  const objects = joinPath(source.repository.commonDirectory, "objects");
  if (objects.includes("\n")) return null;
  makePacking(directory, { objects, config: source.config, shallow: history.shallow });
  const packed = await packSeen(directory, history, source, call);
  if (packed === null) removePacking(directory);
  return packed;
}

async function packSeen(
  directory: string,
  history: PersonsHistory,
  { below, isSeen }: HistorySource,
  call: CallStart,
): Promise<DraftHistory | null> {
  const git: DraftGit = { read: (words, stdin) => runPacking(directory, words, stdin, call) };
  const hidesNothing = call.capability.fsGrants.every(({ hide }) => hide.length === 0);
  const listHidden = async ({ commit, refs }: PersonsHistory, where: string | null): Promise<string[] | null> =>
    hidesNothing ? [] : hiddenPaths(await git.read(pathsOfHistory(where), tipsOf(commit, refs)), isSeen);
  const pack = ({ commit, refs }: PersonsHistory, kind: PackKind) =>
    // Index and pack are written at once: to index a finished pack, git would have to unpack all of it.
    git.read(["pack-objects", "--revs", "--delta-base-offset", "-q", packName(kind)], tipsOf(commit, refs));
  const take = (kind: PackKind) => () => {
    takePack(directory, kind);
    removePacking(directory);
  };

  const [hidden, whole] = await Promise.all([
    listHidden(history, below),
    below === null ? pack(history, "whole") : ok(new Uint8Array()),
  ]);
  if (hidden === null || !whole.ok) return null;
  if (below === null && hidden.length === 0) return { ...history, take: take("whole") };
  const tips = [...new Set([history.commit, ...history.refs.map(({ commit }) => commit)])];
  const cut = new Set((history.shallow ?? "").split("\n"));
  const filtered = await filterHistory(directory, git, { tips, cut }, { below, hidden });
  const shown = filtered === null ? null : historyOf(history, filtered);
  if (shown === null) return null;
  const [left, packed] = await Promise.all([listHidden(shown, null), pack(shown, "filtered")]);
  // SECURITY(T48): what was filtered is looked through once more, by git.
  return left?.length === 0 && packed.ok ? { ...shown, take: take("filtered") } : null;
}

/** Null if the current commit has nothing of the project. */
function historyOf(history: PersonsHistory, filtered: FilteredHistory): PersonsHistory | null {
  const head = filtered.get(history.commit) ?? null;
  if (head === null) return null;
  const refs = history.refs.flatMap(({ name, id, commit }) => {
    const now = filtered.get(commit) ?? null;
    // A tag that names another commit than it did would not be the one that somebody has signed.
    return now === null ? [] : [{ name, id: now.id === commit ? id : now.id, commit: now.id }];
  });
  const cut = history.shallow?.split("\n").filter((id) => filtered.get(id)?.id === id) ?? [];
  const shallow = cut.length === 0 ? null : `${cut.join("\n")}\n`;
  return { commit: head.id, tree: head.tree, branch: history.branch, refs, shallow };
}

/** Lines for git's standard input. */
function tipsOf(commit: string, refs: readonly PersonsRef[]): string {
  return `${[...new Set([commit, ...refs.map(({ id }) => id)])].join("\n")}\n`;
}

function runPacking(
  directory: string,
  words: readonly string[],
  stdin: string,
  call: CallStart,
): Promise<Result<Uint8Array>> {
  const box = packingInBox(packingOf(directory));
  return call.runInside(box, { repository: packingRepository, words, stdin, fileMb: limits.gitReadBytes / MiB });
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
function pathsOfHistory(below: string | null): string[] {
  const words =
    "log --stdin --format= -z --name-only -t --root --no-renames --diff-filter=A --diff-merges=first-parent";
  // Without `--full-history`, git passes over branches that were merged without an effect.
  return below === null
    ? words.split(" ")
    : ["--literal-pathspecs", ...words.split(" "), "--full-history", `--relative=${below}/`, "--", below];
}

/** One character for each byte. Null if git has listed none. */
function hiddenPaths(listed: Result<Uint8Array>, isSeen: (path: string) => boolean): string[] | null {
  if (!listed.ok) return null;
  const paths = new Set(latin1Text(listed.value).split("\0"));
  paths.delete("");
  return [...paths].filter((path) => !isSeen(Buffer.from(path, "latin1").toString("utf8")));
}

/** SECURITY(T48): the name becomes a path of a file that the gate writes. */
function branchOf({ gitDirectory }: Repository): string | null {
  const name = /^ref: refs\/heads\/(.+)$/.exec((plainText(gitDirectory, "HEAD") ?? "").trim())?.[1];
  const branch = name === undefined ? null : parseBranchName(name);
  return branch?.ok === true ? `refs/heads/${branch.value}` : null;
}

function plainText(directory: string, name: string): string | null {
  return readPlainFile(joinPath(directory, name), SMALL_BYTES)?.toString("utf8") ?? null;
}

export function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
