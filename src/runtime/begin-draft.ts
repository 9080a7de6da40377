// Begins a draft: copies the project, as the agent may see it, into a new layer, and makes a git directory for it.
// Invariant: git runs in a box, and native/keeper copies without following a link. What the agent's grants hide is neither copied nor
// committed, and its objects are not in the draft.

import { existsSync, lstatSync, type Stats } from "node:fs";
import { findRepository } from "../git/repository.ts";
import { gitDirectoryProblem } from "../git/target/local/git-directory-check.ts";
import { type Capability, isHidden } from "../policy/capability.ts";
import { namesIn } from "../process/names-in.ts";
import { draftInBox } from "../sandbox/box-workspace.ts";
import {
  type DraftRecord,
  publishDraft,
  removeDraft,
  sealedDirectories,
  unfinishedDraft,
} from "../sandbox/draft-directory.ts";
import type { DraftHolder } from "../sandbox/draft-holder.ts";
import { seedWords } from "../sandbox/draft-seed.ts";
import { limits } from "../shared/limits.ts";
import { ancestorsOf, baseName, joinPath, parentPath } from "../shared/path.ts";
import { ok, type Result } from "../shared/result.ts";
import { committedShown, inDraftCapability } from "./committed-shown.ts";
import { commitStart, exclude, excludeNested, firstMessage, repositoryInside, startGit } from "./draft-git.ts";
import { skippedFiles, unreadFiles } from "./left-out.ts";
import { repositoryStamp } from "./project-state.ts";
import { rulesAround, repositoryAbove } from "./repository-above.ts";
import type { DraftPlan } from "./draft-plan.ts";
import { hiddenIn, hidePatterns } from "./hidden-in-project.ts";
import { type ListedFiles, listInside, listRepository } from "./list-project.ts";
import type { CallStart } from "./session-workspace.ts";

/** A new draft is mounted already. Call `release` when it is in use, or is not going to be. */
export interface BegunDraft {
  release(): void;
}

/** Does nothing if another gate begins the same draft and is faster. */
export async function beginDraft(plan: DraftPlan, call: CallStart): Promise<Result<BegunDraft>> {
  return await inNewDraft(plan, async (building, holder) => {
    const made = await snapshotProject(building, holder, call);
    if (!made.ok) return made;
    const { project, base } = made.value;
    if (publishDraft(building.directory, plan.directory, made.value))
      call.began({ draft: baseName(plan.directory), project, base });
    return ok({ release: () => holder.close() });
  });
}

/**
 * Runs `work` with an empty draft beside that of the plan. Afterwards it unmounts and removes that draft, unless it has got another name
 * meanwhile.
 */
export async function inNewDraft<T>(
  plan: DraftPlan,
  work: (building: DraftPlan, holder: DraftHolder) => Promise<T>,
): Promise<T> {
  const directory = unfinishedDraft(plan.directory, "begin");
  plan.parts.make(directory);
  const holder = plan.parts.holder(directory, plan.project);
  try {
    return await work({ ...plan, directory }, holder);
  } finally {
    if (existsSync(directory)) {
      await holder.end();
      removeDraft(directory);
    }
  }
}

/**
 * Copies the project as it is now into an empty draft, and commits it there. Resolves to what the draft is then. The draft stays mounted
 * as long as the holder is open.
 */
export async function snapshotProject(
  plan: DraftPlan,
  holder: DraftHolder,
  outer: CallStart,
): Promise<Result<DraftRecord>> {
  const { project, directory, session } = plan;
  const found = findRepository(project).repository;
  const person = found.ok && found.value.workTree === project ? found.value : null;
  const above = person === null ? repositoryAbove(project, outer.capability) : null;
  const repository = person ?? above?.repository ?? null;
  // Git would wait for a pipe until its time is up.
  const problem = repository === null ? null : gitDirectoryProblem([repository], "read");
  if (problem !== null) return problem;
  const stamp = person === null ? null : repositoryStamp(person);
  // SECURITY(T48): what is only staged would be in the first commit.
  const shown = await committedShown(project, repository, outer);
  const call = { ...outer, capability: inDraftCapability(project, shown, outer.capability) };
  const isSeen = seenPaths(project, call.capability);
  const below = above?.below ?? null;
  const rules = rulesAround(project, call);
  const listing = person === null ? await listInside(plan, rules, call) : listRepository(person, call);
  // Packing the history takes about as long as copying the files.
  const [seeded, start] = await Promise.all([
    seedDraft(plan, listing, isSeen, call),
    startGit({ directory, repository, below, agent: session.agent, rules }, isSeen, call),
  ]);
  if (!seeded.ok) return seeded;
  const { others, merged, isLive, leftOut } = seeded.value;
  excludeNested(directory, others);
  exclude(directory, leftOut);

  const mounted = await holder.mounted();
  if (!mounted.ok) return mounted;
  const box = draftInBox({ project, directory });
  const message = firstMessage(below);
  const base = await commitStart(directory, { ...start, message, leftOut }, box, repositoryInside(project), call);
  if (!base.ok) return base;
  return ok({
    version: 1,
    project,
    agent: session.agent,
    session: session.name,
    begunAt: Date.now() + 1, // the times of files have fractions
    base: base.value,
    head: start.persons,
    ...(start.head?.commit === start.persons ? {} : { parent: start.head?.commit }),
    stamp,
    hide: hidePatterns(project, call.capability),
    shown,
    merged,
    sealed: sealedDirectories(directory, Object.keys(merged)),
    ...(rules === "" ? {} : { ignoreRules: rules }),
    isLive,
    ...(leftOut.length === 0 ? {} : { leftOut }),
  });
}

interface SeededDraft {
  /** Files that git neither tracks nor ignores. */
  readonly others: readonly string[];
  /** For these, see `DraftRecord`. */
  readonly merged: DraftRecord["merged"];
  readonly isLive: boolean;
  readonly leftOut: readonly string[];
}

async function seedDraft(
  plan: DraftPlan,
  listing: Result<ListedFiles> | Promise<Result<ListedFiles>>,
  isSeen: (path: string) => boolean,
  call: CallStart,
): Promise<Result<SeededDraft>> {
  const { project, directory, parts } = plan;
  const listed = await listing;
  if (!listed.ok) return listed;
  const { tracked, others, ignored } = listed.value;
  const copied = [...tracked, ...others].filter(isSeen);
  const hiding = hiddenIn(project, call.capability, parts);
  if (hiding.failure !== null) return { ok: false, failure: hiding.failure };
  const hidden = hiding.paths;
  const showing = mergedDirectories(ignored, hidden);
  const names = namesBelow(project, ["", ...showing]);
  const isLive = copied.length > limits.draftFiles || JSON.stringify(names).length > limits.draftNamesBytes;
  // In a project that is not copied, all directories show through.
  const merged = isLive ? mergedDirectories(hidden, hidden) : showing;
  const note = (count: number) => call.progress(count, copied.length, "files of the project copied");
  const words = isLive
    ? { copied: [], hidden, merged, ignored: [] }
    : { copied: counted(copied, note), hidden, merged, ignored };
  const seeded = await parts.seed(directory, project, seedWords(words));
  if (!seeded.ok) return seeded;
  note(copied.length);
  const skipped = seeded.value.leftOut.filter(isSeen);
  const leftOut = isLive ? unreadFiles(project, copied) : skippedFiles(project, skipped);
  if (!leftOut.ok) return leftOut;
  const shown = await showLeftOut(plan, merged, hidden, { paths: skipped, files: leftOut.value });
  if (!shown.ok) return shown;
  const known = isLive ? {} : { ...names, ...namesBelow(project, shown.value) };
  return ok({ others, merged: known, isLive, leftOut: leftOut.value });
}

function namesBelow(project: string, directories: readonly string[]): DraftRecord["merged"] {
  return Object.fromEntries(directories.map((path) => [path, namesIn(joinPath(project, path))]));
}

const COUNTED = 5000;

/** Tells how many paths were taken. Native/keeper takes them as it copies, so that it is at most a few thousand behind. */
function* counted(paths: readonly string[], note: (count: number) => void): Generator<string> {
  for (const [index, path] of paths.entries()) {
    if (index % COUNTED === 0) note(index);
    yield path;
  }
}

/** Whether the agent may see a path of the project. Most paths are those of files and those of the history, so they are kept. */
function seenPaths(project: string, capability: Capability): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return (path) => {
    const isSeen = known.get(path) ?? !isHidden(capability, joinPath(project, path));
    known.set(path, isSeen);
    return isSeen;
  };
}

/**
 * Directories in which the project shows through: those that hold something ignored, and those above something hidden in an ignored
 * directory, which is not copied.
 */
function mergedDirectories(ignored: readonly string[], hidden: readonly string[]): string[] {
  const trees = new Set(ignored.map((path) => path.replace(/\/$/, "")));
  const isInTree = (path: string) => ancestorsOf(`/${path}`).some((above) => trees.has(above.slice(1)));
  const merged = new Set<string>();
  for (const path of [...trees, ...hidden.filter(isInTree)])
    for (const above of ancestorsOf(parentPath(`/${path}`))) if (above !== "/") merged.add(above.slice(1));
  return [...merged];
}

/**
 * Repositories inside the project, such as submodules, are not copied: they show through. A submodule's `.git` leads into the person's
 * git directory, which is not in the draft, so git would stop there: it is left out. Files that were left out show through too.
 * Resolves to the directories that show through.
 */
async function showLeftOut(
  { project, directory, parts }: DraftPlan,
  merged: readonly string[],
  hidden: readonly string[],
  { paths, files }: { readonly paths: readonly string[]; readonly files: readonly string[] },
): Promise<Result<readonly string[]>> {
  const nested = paths.map((path) => path.replace(/\/$/, "")).filter((path) => isDirectory(joinPath(project, path)));
  const pointers = nested.map((path) => `${path}/.git`).filter((path) => isFile(joinPath(project, path)));
  const known = new Set(merged);
  const above = mergedDirectories([...nested, ...pointers, ...files], hidden).filter((path) => !known.has(path));
  if (above.length === 0) return ok([]);
  const seeded = await parts.seed(
    directory,
    project,
    // SECURITY(T48): what is hidden in directories that show through from now on needs its mark now.
    seedWords({ copied: [], hidden: [...hidden, ...pointers], merged: above, ignored: [] }),
  );
  return seeded.ok ? ok(above) : seeded;
}

function isDirectory(path: string): boolean {
  return statsOf(path)?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return statsOf(path)?.isFile() === true;
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // in a directory that cannot be entered
  }
}
