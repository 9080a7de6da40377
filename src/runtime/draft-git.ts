// The git directory of a draft: what it takes over from the person's repository, and the first commit, which holds the project as it was
// when the draft began.
// Invariant: git reads the person's repository in a box, within the agent's grants. Only what branches, tags and the current commit reach
// comes along, and nothing if a path that is hidden is in it. Configuration, hooks and credentials stay outside. Nothing in the person's
// repository changes.

import { parseBranchName } from "../git/ref-name.ts";
import type { Repository } from "../git/repository.ts";
import { readPlainFile } from "../process/plain-file.ts";
import type { BoxWorkspace } from "../sandbox/box-workspace.ts";
import { writeGitDirectory } from "../sandbox/draft-directory.ts";
import { joinPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { CallStart } from "./session-workspace.ts";

const INDEX_BYTES = 512 << 20;
const SMALL_BYTES = 1 << 20;

/** What git in the draft starts from. */
export interface GitStart {
  /** The person's commit; null if there is none, or if its history would show what is hidden. */
  readonly head: { readonly commit: string; readonly tree: string } | null;
  /** Such as `refs/heads/main`; null if the person is on no branch. */
  readonly branch: string | null;
  /** The name of the pack with the history; null if there is none. */
  readonly pack: string | null;
  readonly hasIndex: boolean;
}

const noHistory: GitStart = { head: null, branch: "refs/heads/main", pack: null, hasIndex: false };

/**
 * The repository that programs see in the draft. SECURITY(T48): the box does not mount a harmless configuration over the session's own, as
 * it does for a person's repository: a program could make a link of that file meanwhile, and bubblewrap would follow it. What the
 * session's configuration starts, it starts in a box of the session, like any program of the agent.
 */
export function repositoryInside(project: string): Repository {
  const gitDirectory = joinPath(project, ".git");
  return {
    workTree: project,
    gitDirectory,
    commonDirectory: gitDirectory,
    configFile: null,
    isOwnedByGate: true,
  };
}

/** Writes the git directory of a new draft. `repository`: the person's; null if git must not show it. */
export async function startGit(
  directory: string,
  repository: Repository | null,
  agent: string,
  isSeen: (path: string) => boolean,
  call: CallStart,
): Promise<GitStart> {
  const taken = repository === null ? null : await takeOver(repository, isSeen, call);
  const start = taken?.start ?? noHistory;
  writeGitDirectory(directory, {
    config: configText(agent, start.head?.commit.length === 64),
    HEAD: start.branch === null ? `${start.head?.commit}\n` : `ref: ${start.branch}\n`,
    ...taken?.files,
  });
  return start;
}

interface TakenOver {
  readonly start: GitStart;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
}

/** Null if there is no commit, git cannot read the history, it is too large, or it shows what is hidden. */
async function takeOver(
  repository: Repository,
  isSeen: (path: string) => boolean,
  call: CallStart,
): Promise<TakenOver | null> {
  const git = async (words: readonly string[], stdin = "") => {
    const output = await call.readRepository(repository, words, stdin);
    return output.ok ? output.value : null;
  };
  const head = await git(["log", "-1", "--format=%H %T", "HEAD"]);
  // Not refs/stash: what a person put aside may be hidden.
  const refs = await git([
    "for-each-ref",
    "--format=%(objectname) %(refname)",
    "refs/heads",
    "refs/tags",
    "refs/remotes",
  ]);
  if (head === null || refs === null) return null;
  const [commit = "", tree = ""] = textOf(head).trim().split(" ");
  const starts = [
    commit,
    ...textOf(refs)
      .split("\n")
      .map((line) => line.split(" ")[0] ?? ""),
  ].filter((id) => id !== "");
  const stdin = `${[...new Set(starts)].join("\n")}\n`;
  const objects = await git(["rev-list", "--objects", "--stdin"], stdin);
  if (objects === null || hiddenPath(textOf(objects), isSeen)) return null;
  const bytes = await git(["pack-objects", "--revs", "--stdout", "-q"], stdin);
  if (bytes === null) return null;
  const pack = `pack-${Buffer.from(bytes.subarray(commit.length === 64 ? -32 : -20)).toString("hex")}`;
  const index = indexOf(repository);
  const files = {
    [`objects/pack/${pack}.pack`]: bytes,
    "packed-refs": textOf(refs),
    "info/exclude": plainText(repository.commonDirectory, "info/exclude") ?? "",
    ...optional("shallow", plainText(repository.commonDirectory, "shallow")),
    ...optional("index", index),
  };
  return { start: { head: { commit, tree }, branch: branchOf(repository), pack, hasIndex: index !== null }, files };
}

/** Whether a path of the list is hidden. Each line is an id, and a path unless the object is a commit or the root. */
function hiddenPath(list: string, isSeen: (path: string) => boolean): boolean {
  const paths = new Set(list.split("\n").map((line) => line.slice(line.indexOf(" ") + 1 || line.length)));
  return [...paths].some((path) => path !== "" && !isSeen(path));
}

/** Null if the index needs another file, which is not taken over. */
function indexOf({ gitDirectory }: Repository): Uint8Array | null {
  const bytes = readPlainFile(joinPath(gitDirectory, "index"), INDEX_BYTES);
  return bytes === null || isSplit(bytes) ? null : bytes;
}

/** A split index has an extension called `link`. An entry's path could contain the word too: then git only reads more files. */
function isSplit(bytes: Buffer): boolean {
  return bytes.includes("link\0\0");
}

/** SECURITY(T48): the name becomes a path of a file that the gate writes. */
function branchOf({ gitDirectory }: Repository): string | null {
  const name = /^ref: refs\/heads\/(.+)$/.exec((plainText(gitDirectory, "HEAD") ?? "").trim())?.[1];
  const branch = name === undefined ? null : parseBranchName(name);
  return branch?.ok === true ? `refs/heads/${branch.value}` : null;
}

/** Git cannot add a repository that is not a submodule, so it ignores those. Git lists them as directories. */
export function excludeNested(directory: string, others: readonly string[]): void {
  const nested = others.filter((path) => path.endsWith("/"));
  if (nested.length === 0) return;
  const lines = nested.map((path) => `/${path.replace(/[\\*?[\]!# ]/g, "\\$&")}\n`);
  writeGitDirectory(directory, {
    "info/exclude": `${plainText(`${directory}/git`, "info/exclude") ?? ""}\n${lines.join("")}`,
  });
}

const MESSAGE = `The project as it was when this session began

The last commit of the person, and work that they had not committed. This is
not the agent's work: it stays behind when the agent's commits land.
`;

const settings = [
  "core.checkStat=minimal",
  "core.trustctime=false",
  "user.name=Sallyport",
  "user.email=sallyport@localhost",
];

/** Commits what the person had not committed. Resolves to the first commit of the session. */
export async function commitStart(
  directory: string,
  start: GitStart,
  box: BoxWorkspace,
  repository: Repository,
  call: CallStart,
): Promise<Result<string>> {
  const run = (words: readonly string[]) =>
    call.runInside(box, { repository, words: [...settings.flatMap((one) => ["-c", one]), ...words] });
  if (start.pack !== null) {
    const indexed = await run(["index-pack", joinPath(repository.gitDirectory, `objects/pack/${start.pack}.pack`)]);
    if (!indexed.ok) return indexed;
  }
  if (start.head !== null && !start.hasIndex) {
    const read = await run(["read-tree", start.head.commit]);
    if (!read.ok) return read;
  }
  const added = await run(["add", "--all", "--ignore-errors"]);
  if (!added.ok) return added;
  const tree = await run(["write-tree"]);
  if (!tree.ok) return tree;
  const id = textOf(tree.value).trim();
  if (start.head !== null && id === start.head.tree) return ok(start.head.commit);
  const parent = start.head === null ? [] : ["-p", start.head.commit];
  const made = await run(["commit-tree", ...parent, "-m", MESSAGE, id]);
  if (!made.ok) return made;
  const commit = textOf(made.value).trim();
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return fail("tool_failed", "git made no commit of the project as it is.");
  writeGitDirectory(directory, { [start.branch ?? "HEAD"]: `${commit}\n` });
  return ok(commit);
}

/** Sizes and seconds of times decide whether a file has changed: the copies have other inodes. */
function configText(agent: string, isSha256: boolean): string {
  return [
    "[core]",
    `\trepositoryformatversion = ${isSha256 ? 1 : 0}`,
    "\tfilemode = true",
    "\tbare = false",
    "\tlogallrefupdates = true",
    "\tcheckStat = minimal",
    "\ttrustctime = false",
    ...(isSha256 ? ["[extensions]", "\tobjectformat = sha256"] : []),
    "[user]",
    `\tname = ${JSON.stringify(agent)}`,
    `\temail = ${JSON.stringify(`${agent}@sallyport.invalid`)}`,
    "",
  ].join("\n");
}

function optional<T>(name: string, value: T | null): Record<string, T> {
  return value === null ? {} : { [name]: value };
}

function plainText(directory: string, name: string): string | null {
  return readPlainFile(joinPath(directory, name), SMALL_BYTES)?.toString("utf8") ?? null;
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
