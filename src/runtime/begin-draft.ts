// Begins a draft: copies the project, as the agent may see it, into a new layer, and makes a git directory for it.
// Invariant: git runs in a box, and native/keeper copies without following a link. What the agent's grants hide is neither copied nor
// committed, and its objects are not in the draft.

import { lstatSync, readdirSync } from "node:fs";
import { findRepository, type Repository } from "../git/repository.ts";
import { type Capability, isHidden } from "../policy/capability.ts";
import { draftInBox } from "../sandbox/box-workspace.ts";
import { type DraftRecord, publishDraft, removeDraft, sealedDirectories } from "../sandbox/draft-directory.ts";
import { seedWords } from "../sandbox/draft-seed.ts";
import type { DraftParts } from "../sandbox/sandbox.ts";
import { canonicalJson } from "../shared/json.ts";
import { limits } from "../shared/limits.ts";
import { ancestorsOf, isWithin, joinPath, parentPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";
import { commitStart, excludeNested, repositoryInside, startGit } from "./draft-git.ts";
import { repositoryStamp } from "./project-state.ts";
import type { CallStart } from "./session-workspace.ts";

export interface DraftPlan {
  readonly project: string;
  /** Where the draft is to be. */
  readonly directory: string;
  readonly session: SessionId;
  readonly parts: DraftParts;
}

/** Does nothing if another gate begins the same draft and is faster. */
export async function beginDraft(plan: DraftPlan, call: CallStart): Promise<Result<undefined>> {
  const { directory } = plan;
  const building = `${directory}.begin-${process.pid}-${Date.now().toString(36)}`;
  plan.parts.make(building);
  try {
    const made = await buildDraft({ ...plan, directory: building }, call);
    if (!made.ok) return made;
    publishDraft(building, directory, made.value);
    return ok(undefined);
  } finally {
    removeDraft(building); // it is gone if it was published
  }
}

async function buildDraft(plan: DraftPlan, call: CallStart): Promise<Result<DraftRecord>> {
  const { project, directory, session, parts } = plan;
  const found = findRepository(project).repository;
  const person = found.ok && found.value.workTree === project ? found.value : null;
  const stamp = person === null ? null : repositoryStamp(person);
  const listed = person === null ? await listInside(plan, call) : await listRepository(person, call);
  if (!listed.ok) return listed;
  const { tracked, others, ignored } = listed.value;
  const isSeen = (path: string) => !isHidden(call.capability, joinPath(project, path));
  const start = await startGit(directory, person, session.agent, isSeen, call);

  const copied = [...tracked, ...others].filter(isSeen);
  const isLive = copied.length > limits.draftFiles;
  call.progress(0, copied.length, "files of the project copied");
  const hiding = hiddenIn(project, call.capability, parts);
  if (!hiding.ok) return hiding;
  const hidden = hiding.value;
  // In a project that is not copied, all directories show through.
  const merged = mergedDirectories(isLive ? hidden : ignored, hidden);
  const words = isLive ? { copied: [], hidden, merged } : { copied, hidden, merged };
  const seeded = await parts.seed(directory, project, seedWords(words));
  if (!seeded.ok) return seeded;
  call.progress(copied.length, copied.length, "files of the project copied");
  const shown = await showNested(plan, merged, hidden, seeded.value.leftOut);
  if (!shown.ok) return shown;
  excludeNested(directory, others);
  const showing = ["", ...merged, ...shown.value];

  const box = draftInBox({ project, directory });
  const base = await inHeldDraft(plan, () => commitStart(directory, start, box, repositoryInside(project), call));
  if (!base.ok) return base;
  return ok({
    version: 1,
    project,
    agent: session.agent,
    session: session.name,
    begunAt: Date.now(),
    base: base.value,
    head: start.head?.commit ?? null,
    stamp,
    hide: hidePatterns(project, call.capability),
    merged: Object.fromEntries(showing.map((path) => [path, namesIn(joinPath(project, path))])),
    sealed: isLive ? [] : sealedDirectories(directory, showing),
    isLive,
  });
}

interface ListedFiles {
  readonly tracked: readonly string[];
  /** Files that git neither tracks nor ignores. */
  readonly others: readonly string[];
  /** Files that git ignores, and directories, which end in a slash. */
  readonly ignored: readonly string[];
}

const lists = {
  tracked: ["ls-files", "-z", "--cached", "--deduplicate"],
  others: ["ls-files", "-z", "--others", "--exclude-standard"],
  ignored: ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"],
};

async function listRepository(repository: Repository, call: CallStart): Promise<Result<ListedFiles>> {
  return await listBy((words) => call.readRepository(repository, words));
}

/** For a project that is no repository: git lists it in a draft into which nothing has been copied yet. */
async function listInside(plan: DraftPlan, call: CallStart): Promise<Result<ListedFiles>> {
  const { project, directory, session } = plan;
  await startGit(directory, null, session.agent, () => true, call);
  const box = draftInBox({ project, directory });
  const repository = repositoryInside(project);
  return await inHeldDraft(plan, () => listBy((words) => call.runInside(box, { repository, words })));
}

async function listBy(git: (words: readonly string[]) => Promise<Result<Uint8Array>>): Promise<Result<ListedFiles>> {
  const found: Record<string, readonly string[]> = {};
  for (const [name, words] of Object.entries(lists)) {
    const output = await git(words);
    if (!output.ok) return output;
    // A name that is not UTF-8 cannot be passed on. The file is not in the draft.
    found[name] = new TextDecoder()
      .decode(output.value)
      .split("\0")
      .filter((path) => path !== "" && !path.includes("\ufffd"));
  }
  const { tracked = [], others = [], ignored = [] } = found;
  return ok({ tracked, others, ignored });
}

/** Runs `work` while the draft is mounted. The holder ends afterwards, because the layer may be changed from outside then. */
async function inHeldDraft<T>(plan: DraftPlan, work: () => Promise<Result<T>>): Promise<Result<T>> {
  const holder = plan.parts.holder(plan.directory, plan.project);
  try {
    const mounted = await holder.mounted();
    const done = mounted.ok ? await work() : mounted;
    if (await holder.end()) return done;
    return fail("tool_failed", "The holder of a new draft did not end.", { hint: "Call again." });
  } finally {
    holder.close();
  }
}

/** Paths in the project that the agent's grants hide. `unseen`: directories of the project that need no look. */
export function hiddenIn(
  project: string,
  { fsGrants }: Capability,
  parts: DraftParts,
  unseen: readonly string[] = [],
): Result<string[]> {
  const paths = new Set(unseen.map((path) => joinPath(project, path)));
  const isUnseen = (path: string) => ancestorsOf(path).some((above) => paths.has(above));
  const inside = fsGrants.filter(({ path }) => isWithin(path, project) && !isUnseen(path));
  const hidden = inside.flatMap((grant) => parts.hidden(grant, paths));
  const unnameable = hidden.find(({ kind }) => kind === "unnameable");
  if (unnameable !== undefined)
    return fail("sandbox_unavailable", `${unnameable.path} should be hidden, but its name is not UTF-8.`, {
      hint: "Rename it.",
    });
  return ok([...new Set(hidden.map(({ path }) => path.slice(project.length + 1)))]);
}

/** What the grants hide, to notice that it has changed. */
export function hidePatterns(project: string, { fsGrants }: Capability): string {
  const inside = fsGrants.filter(({ path }) => isWithin(path, project));
  return canonicalJson(inside.map(({ path, hide }) => [path, [...hide].sort()]));
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
 * git directory, which is not in the draft, so git would stop there: it is left out. Resolves to the directories that show through.
 */
async function showNested(
  { project, directory, parts }: DraftPlan,
  merged: readonly string[],
  hidden: readonly string[],
  leftOut: readonly string[],
): Promise<Result<readonly string[]>> {
  const nested = leftOut.map((path) => path.replace(/\/$/, "")).filter((path) => isDirectory(joinPath(project, path)));
  const pointers = nested.map((path) => `${path}/.git`).filter((path) => isFile(joinPath(project, path)));
  const above = mergedDirectories([...nested, ...pointers], hidden).filter((path) => !merged.includes(path));
  if (above.length === 0) return ok([]);
  const seeded = await parts.seed(directory, project, seedWords({ copied: [], hidden: pointers, merged: above }));
  return seeded.ok ? ok(above) : seeded;
}

export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // gone, or not to be read: then it shows nothing
  }
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
