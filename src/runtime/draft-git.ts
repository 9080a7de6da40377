// The git directory of a draft: what it takes over from the person's repository, and the first commit, which holds the project as it was
// when the draft began.
// Invariant: configuration, hooks and credentials of the person stay outside. `draft-history.ts` brings the objects.

import { lstatSync } from "node:fs";
import { plainIndex } from "../git/index-names.ts";
import type { Repository } from "../git/repository.ts";
import { readPlainFile } from "../process/plain-file.ts";
import type { BoxWorkspace } from "../sandbox/box-workspace.ts";
import { type PersonsIndex, writeGitDirectory, writeIndex } from "../sandbox/draft-directory.ts";
import { limits } from "../shared/limits.ts";
import { joinPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { decoded, packHistory, readHistory } from "./draft-history.ts";
import { passOver, unstage } from "./left-out.ts";
import type { CallStart, InsideGit, RunGit } from "./session-workspace.ts";

const INDEX_BYTES = 512 << 20;

/** What git in the draft starts from. */
export interface GitStart {
  /** The commit below the first one of the session; null if there is none. It differs from the person's if something is hidden in it. */
  readonly head: { readonly commit: string; readonly tree: string } | null;
  /** The person's own. Null if `head` is. */
  readonly persons: string | null;
  /** Such as `refs/heads/main`; null if the person is on no branch. */
  readonly branch: string | null;
  readonly hasIndex: boolean;
}

const noHistory: GitStart = { head: null, persons: null, branch: "refs/heads/main", hasIndex: false };

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

export interface NewGit {
  /** The draft's own. */
  readonly directory: string;
  /** The person's; null if git must not show it. */
  readonly repository: Repository | null;
  /** Where the project lies in the repository; null if it is the whole of it. */
  readonly below?: string | null;
  readonly agent: string;
  /** What is ignored beside what `.gitignore` files name. One character for each byte. */
  readonly rules: string;
}

/** Writes the git directory of a new draft. */
export async function startGit(
  { directory, repository, below = null, agent, rules }: NewGit,
  isSeen: (path: string) => boolean,
  call: CallStart,
): Promise<GitStart> {
  const persons = repository === null ? null : await readHistory(repository, call);
  const config = configText(agent, persons?.commit.length === 64);
  const history =
    repository === null || persons === null
      ? null
      : await packHistory(directory, persons, { repository, below, isSeen, config }, call);
  if (repository === null || persons === null || history === null) {
    writeGitDirectory(directory, {
      config: configText(agent, false),
      HEAD: "ref: refs/heads/main\n",
      "info/exclude": Buffer.from(rules, "latin1"),
    });
    return noHistory;
  }
  const { commit, tree, branch, refs } = history;
  const index = indexOf(repository, commit.length / 2, below, isSeen);
  writeGitDirectory(directory, {
    config,
    HEAD: branch === null ? `${commit}\n` : `ref: ${branch}\n`,
    "packed-refs": refs.map(({ id, name }) => `${id} ${name}\n`).join(""),
    "info/exclude": Buffer.from(rules, "latin1"),
    ...optional("shallow", history.shallow),
  });
  if (index !== null) writeIndex(directory, index);
  history.take();
  return { head: { commit, tree }, persons: persons.commit, branch, hasIndex: index !== null };
}

/** Null if there is none that the draft can take over: git then builds one, and reads all files. */
function indexOf(
  { gitDirectory }: Repository,
  idBytes: number,
  below: string | null,
  isSeen: (path: string) => boolean,
): PersonsIndex | null {
  const path = joinPath(gitDirectory, "index");
  // Read before the content: of an index that is replaced meanwhile, git then takes too little for granted, not too much.
  const mtimeMs = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const read = readPlainFile(path, INDEX_BYTES);
  const bytes = read === null ? null : plainIndex(read, idBytes, below, isSeen);
  return bytes === null ? null : { bytes, mtimeMs };
}

/** Git cannot add a repository that is not a submodule, so it ignores those. Git lists them as directories. */
export function excludeNested(directory: string, others: readonly string[]): void {
  exclude(
    directory,
    others.filter((path) => path.endsWith("/")),
  );
}

/** Git ignores these paths, unless it tracks them. */
export function exclude(directory: string, paths: readonly string[]): void {
  if (paths.length === 0) return;
  const lines = paths.map((path) => `/${path.replace(/[\\*?[\]!# ]/g, "\\$&")}\n`);
  // The rules that are there need not be UTF-8.
  const before = readPlainFile(`${directory}/git/info/exclude`, limits.ignoreTotalBytes) ?? Buffer.alloc(0);
  writeGitDirectory(directory, { "info/exclude": Buffer.concat([before, Buffer.from(`\n${lines.join("")}`)]) });
}

const MESSAGE = `The project as it was when this session began

The last commit of the person, and work that they had not committed. This is
not the agent's work: it stays behind when the agent's commits land.
`;

/** `below`: where the project lies in a larger repository; null if it is the whole repository. */
export function firstMessage(below: string | null): string {
  if (below === null) return MESSAGE;
  return `${MESSAGE}
This directory is ${JSON.stringify(below)} of a larger repository. What is pushed
lands in that directory there.
`;
}

type RunInside = (words: readonly string[], more?: Partial<InsideGit>) => Promise<Result<Uint8Array>>;

const settings = [
  "core.checkStat=minimal",
  "core.trustctime=false",
  "user.name=Sallyport",
  "user.email=sallyport@localhost",
];

/** Commits what the person had not committed. Resolves to the first commit of the session. */
export async function commitStart(
  directory: string,
  { message, ...start }: GitStart & { readonly message: string; readonly leftOut: readonly string[] },
  box: BoxWorkspace,
  repository: Repository,
  call: CallStart,
): Promise<Result<string>> {
  const run: RunInside = (words, more = {}) =>
    call.runInside(box, { repository, words: [...settings.flatMap((one) => ["-c", one]), ...words], ...more });
  if (start.head !== null && !start.hasIndex) {
    const read = await run(["read-tree", start.head.commit]);
    if (!read.ok) return read;
  }
  const git: RunGit = (words, stdin = "") => run(words, { stdin });
  const unstaged = start.head === null ? ok(undefined) : await unstage(git, start.head.commit, start.leftOut);
  if (!unstaged.ok) return unstaged;
  const passed = await passOver(git, start.leftOut);
  if (!passed.ok) return passed;
  const added = await addAll(directory, run, call);
  if (!added.ok) return added;
  const first = await run(["write-tree"]);
  const tree = first.ok || start.head === null ? first : await writeTreeAnew(git, start.head.commit);
  if (!tree.ok) return tree;
  const id = decoded(tree.value).trim();
  if (start.head !== null && id === start.head.tree) return ok(start.head.commit);
  const parent = start.head === null ? [] : ["-p", start.head.commit];
  const made = await run(["commit-tree", ...parent, "-m", message, id]);
  if (!made.ok) return made;
  const commit = decoded(made.value).trim();
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return fail("tool_failed", "git made no commit of the project as it is.");
  writeGitDirectory(directory, { [start.branch ?? "HEAD"]: `${commit}\n` });
  return ok(commit);
}

/**
 * For git, a file that the person staged and did not touch since is up to date. Its content is not among the objects of the draft, which
 * has what branches and tags reach. So git forgets such files, and adds them again.
 */
async function writeTreeAnew(git: RunGit, head: string): Promise<Result<Uint8Array>> {
  const staged = await git(["diff-index", "--cached", "--name-only", "-z", "--no-renames", head]);
  if (!staged.ok) return staged;
  const paths = decoded(staged.value);
  for (const how of [["--force-remove"], ["--add", "--remove"]]) {
    const done = await git(["update-index", ...how, "-z", "--stdin"], paths);
    if (!done.ok) return done;
  }
  return await git(["write-tree"]);
}

const TOLD_MS = 5_000;

/** Reads every file that is not as it was committed, which may take minutes. */
async function addAll(directory: string, run: RunInside, call: CallStart): Promise<Result<Uint8Array>> {
  const begun = Date.now();
  const passedS = () => Math.round((Date.now() - begun) / 1000);
  const tell = () => call.progress(passedS(), limits.gitBeginS, "seconds at most, to commit the project");
  const timer = setInterval(tell, TOLD_MS);
  const add = () => run(["add", "--all", "--ignore-errors"], { timeS: limits.gitBeginS - passedS() });
  try {
    let added = await add();
    if (!added.ok && passedS() < limits.gitBeginS) added = await asTheyAre(directory, add);
    if (added.ok) return added;
    return fail("tool_failed", added.failure.message, {
      hint: "A draft commits what git does not ignore and is not committed yet. Let git ignore large files, or commit them.",
    });
  } finally {
    clearInterval(timer);
  }
}

/** Git adds nothing at all if one file is not in the encoding that its attributes name. Here it adds the bytes of each. */
async function asTheyAre<T>(directory: string, add: () => Promise<T>): Promise<T> {
  writeGitDirectory(directory, { "info/attributes": "* !working-tree-encoding\n" });
  try {
    return await add();
  } finally {
    writeGitDirectory(directory, { "info/attributes": "" });
  }
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
    "\tuntrackedCache = true",
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
