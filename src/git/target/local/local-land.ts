// Lands a commit in a repository on this machine: objects, branch, files, index, in this order.
// Invariant: until the branch moves (by compare-and-swap), nothing of the person's has changed, and everything that is needed is
// on disk. From then on nothing is refused: a file that cannot be updated stays as the person has it, and the answer names it.
// If the gate is killed in between, the same landing is repeated: the branch has moved already, index entries that are still
// those of the old commit show which files were not updated yet, and no extra state is kept in the git directory.

import { lstatSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { zeroId } from "../../publish/object.ts";
import { treePathProblem } from "../../publish/tree-path.ts";
import { branchRef } from "../../ref-name.ts";
import { findRepository, type Repository } from "../../repository.ts";
import { gitDirectoryProblem } from "./git-directory-check.ts";
import { type GitWriter, reasonOf } from "./git-runner.ts";
import { checkLanding, landedCommit } from "../landing.ts";
import { isSymbolic, refId } from "./local-refs.ts";
import { storeObjects } from "./store-objects.ts";
import {
  type KeptFile,
  type LandingContext,
  openWorkTreeLanding,
  type WorkTreeLanding,
  workTreeProblems,
} from "./local-work-tree-landing.ts";
import { indexLock, operationUnderWay, type WorkTree, workTreesOn } from "./local-work-trees.ts";
import { refusedContent } from "./refused-content.ts";
import { sweepLandings } from "./sweep-landings.ts";
import type { Landing, Progress } from "../target.ts";
import { errorCode } from "../../../shared/error-code.ts";

export interface Landed {
  /** Files that were not updated with the branch, because somebody changed them meanwhile. */
  readonly kept: readonly KeptFile[];
}

const PROBLEMS_SHOWN = 50;
const LOCK_TRIES = 20;
const LOCK_WAIT_MS = 50;

export async function landLocally(
  landing: Landing,
  reading: LandingContext,
  writer: GitWriter,
  progress: Progress,
): Promise<Result<Landed>> {
  const found = stillThere(reading.repository);
  if (!found.ok) return found;
  const repository = found.value;
  const context: LandingContext = { repository, git: reading.git, settings: reading.settings };
  const committer = checkAll(landing);
  const { state, commit } = landing;
  const { branch, address: directory } = state;
  const workTrees = workTreesOn(branch, repository);
  if (!workTrees.ok) return workTrees;
  const now = refId(branchRef(branch), repository);
  const isLanded = now === commit;
  if (!isLanded && now !== state.oldCommit) return moved(landing, now);
  if (!isLanded) {
    const paths = workTrees.value.map(({ workTree }) => workTree);
    const unborn = checkedOutUnborn(landing, workTrees.value);
    if (unborn !== null) return unborn;
    if (JSON.stringify(paths) !== JSON.stringify(state.checkedOut))
      return refuse(`Where ${branch} of ${directory} is checked out has changed meanwhile.`, "Push again.");
  }
  const strange = gitDirectoryProblem([repository, ...workTrees.value], "write") ?? foreignOwner(repository);
  if (strange !== null) return strange;
  await sweepLandings(repository, branch, workTrees.value);
  const busy = await whatIsUnderWay();
  if (busy !== null) return busy;

  const opened: WorkTreeLanding[] = [];
  try {
    const problems: string[] = [];
    for (const workTree of workTrees.value) {
      const each = await openWorkTreeLanding(landing, workTree, context, writer, isLanded);
      if (!each.ok) return each;
      opened.push(each.value);
      problems.push(...each.value.problems);
    }
    if (problems.length > 0) return inTheWay(problems, landing);
    const prepared = isLanded ? await prepareAll(opened) : await moveWith(opened);
    if (!prepared.ok) return prepared;
    const kept: KeptFile[] = [];
    for (const each of opened) kept.push(...(await each.finish(progress)));
    return ok({ kept });
  } finally {
    for (const each of opened) each.close();
  }

  /** Writes everything to disk before the branch moves. If the branch does not move, the new objects are removed again. */
  async function moveWith(all: readonly WorkTreeLanding[]): Promise<Result<undefined>> {
    const stored = await storeObjects(landing, repository, writer, progress);
    if (!stored.ok) return stored;
    try {
      const prepared = await prepareAll(all);
      if (!prepared.ok) return prepared;
      const late = await whatIsUnderWay();
      if (late !== null) return late;
      const released = stored.value.release();
      return released.ok ? await moveBranch(landing, repository, writer, committer) : released;
    } finally {
      stored.value.close();
    }
  }

  async function whatIsUnderWay(): Promise<Result<never> | null> {
    const trees = workTrees.ok ? workTrees.value : [];
    if (isSymbolic(branch, repository))
      return refuse(
        `${branch} has become another name for a branch of ${directory}.`,
        "Name the branch that it leads to.",
      );
    const busy = operationUnderWay(branch, repository, trees);
    if (busy !== null) return refuse(`Nothing can land on ${branch}: ${busy}`, "Then push again.");
    // Even `git status` holds the lock for a moment.
    for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
      if (indexLock(trees) === null) return null;
      await sleep(LOCK_WAIT_MS);
    }
    const lock = indexLock(trees);
    if (lock === null) return null;
    return refuse(`Nothing can land on ${branch}: another git is at work.`, `If there is none, remove ${lock}.`);
  }
}

/**
 * Fails if the landing would be refused now. The gate calls this before it asks a person, so that nobody reviews what cannot land.
 * It writes nothing. Problems that appear later are found when the commit lands.
 */
export async function checkLocally(landing: Landing, context: LandingContext): Promise<Result<undefined>> {
  const { branch } = landing.state;
  const refused = refusedContent(landing);
  if (refused !== null) return refused;
  const workTrees = workTreesOn(branch, context.repository);
  if (!workTrees.ok) return workTrees;
  const unborn = checkedOutUnborn(landing, workTrees.value);
  if (unborn !== null) return unborn;
  const { repository } = context;
  // SECURITY(T36): a link in the place of a file that would be written is not followed, and no person is asked about it.
  const strange = gitDirectoryProblem([repository, ...workTrees.value], "write") ?? foreignOwner(repository);
  if (strange !== null) return strange;
  const busy = operationUnderWay(branch, repository, workTrees.value);
  if (busy !== null) return refuse(`Nothing can land on ${branch}: ${busy}`, "Then push again.");
  const problems: string[] = [];
  for (const workTree of workTrees.value) {
    const found = await workTreeProblems(landing, workTree, context);
    if (!found.ok) return found;
    problems.push(...found.value);
  }
  return problems.length > 0 ? inTheWay(problems, landing) : ok(undefined);
}

function checkedOutUnborn({ state }: Landing, workTrees: readonly WorkTree[]): Result<never> | null {
  if (workTrees.length === 0 || state.oldCommit !== null || state.baseCommit === null) return null;
  const paths = workTrees.map(({ workTree }) => workTree).join(", ");
  return refuse(`${state.branch} is checked out in ${paths}, and has no commit yet.`, "Make one there first.");
}

/** In its box, root has no more rights than other users: it cannot write another user's files, and should not. */
function foreignOwner({ commonDirectory }: Repository): Result<never> | null {
  if (process.geteuid?.() !== 0) return null;
  const { uid, mode } = lstatSync(commonDirectory);
  if (uid === 0 || (mode & 0o002) !== 0) return null;
  return refuse(
    `${commonDirectory} belongs to another user (${uid}), and the gate runs as root.`,
    "Run it as that user.",
  );
}

/** Reads the repository again with its configuration, because time has passed since the first read. */
function stillThere(reading: Repository): Result<Repository> {
  const directory = reading.workTree ?? reading.gitDirectory;
  const { repository } = findRepository(directory);
  const isSame =
    repository.ok &&
    (["workTree", "gitDirectory", "commonDirectory"] as const).every((key) => repository.value[key] === reading[key]);
  if (isSame) return repository;
  return fail("changed", `${directory} is not the repository any more that was looked at.`, {
    hint: "Nothing was changed. See what became of it, then push again.",
  });
}

/** Throws for a landing that no correct caller makes. Returns the variables that name the committer in the branch's log. */
function checkAll(landing: Landing): Readonly<Record<string, string>> {
  const wrong = checkLanding(landing);
  if (wrong !== null) throw new Error(wrong);
  for (const { path, before, after } of landing.changes) {
    const problem = treePathProblem(path);
    if (problem !== null) throw new Error(`${JSON.stringify(path)} ${problem}`);
    if ([before, after].some((file) => file !== null && !/^0*1(?:00|20)\d{3}$/.test(file.mode)))
      throw new Error(`${JSON.stringify(path)} is neither a file nor a link`);
  }
  const committer = landedCommit(landing)?.committer;
  return committer === undefined ? {} : { GIT_COMMITTER_NAME: committer.name, GIT_COMMITTER_EMAIL: committer.email };
}

async function prepareAll(opened: readonly WorkTreeLanding[]): Promise<Result<undefined>> {
  try {
    for (const each of opened) await each.prepare();
    return ok(undefined);
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return fail("tool_failed", `The files cannot be written (${errorCode(error)}). Nothing was changed.`, {
      hint: "Check that the disk has room and that the work tree can be written.",
    });
  }
}

async function moveBranch(
  landing: Landing,
  repository: Repository,
  git: GitWriter,
  environment: Readonly<Record<string, string>>,
): Promise<Result<undefined>> {
  const { state, commit } = landing;
  const { branch, oldCommit, format, address: directory } = state;
  const words = ["update-ref", "--no-deref", "-m", "push: by sallyport", branchRef(branch), commit];
  const ended = await git.write(repository, [...words, oldCommit ?? zeroId(format)], null, environment);
  if (ended.exitCode === 0) return ok(undefined);
  const now = refId(branchRef(branch), repository);
  if (now === commit) return ok(undefined);
  if (now !== oldCommit) return moved(landing, now);
  return fail("conflict", `${branch} of ${directory} cannot be moved: ${reasonOf(ended)}`, {
    hint: "Nothing was changed. Another git may hold the branch, or its name may be the beginning of another's.",
  });
}

function moved({ state: { branch, address: directory, oldCommit } }: Landing, now: string | null): Result<never> {
  const was = oldCommit === null ? "was not there" : `was at ${oldCommit}`;
  const is = now === null ? "is gone" : `is at ${now}`;
  return refuse(`${branch} of ${directory} has moved: it ${was}, and now ${is}.`, "Pull what is new, then push again.");
}

function inTheWay(problems: readonly string[], { state: { branch } }: Landing): Result<never> {
  const rest = problems.length - PROBLEMS_SHOWN;
  return fail("conflict", `${branch} is checked out, and files of it are not as the branch has them.`, {
    hint: "Nothing was changed. Commit, stash or move them there, or push to another branch.",
    because: [...problems.slice(0, PROBLEMS_SHOWN), ...(rest > 0 ? [`and ${rest} more`] : [])],
  });
}

function refuse(message: string, hint: string): Result<never> {
  return fail("conflict", message, { hint: `Nothing was changed. ${hint}` });
}
