// Plans the landing of a session in the person's work tree, and first clears up after one whose process was killed.
// Invariant: it changes nothing of the person's, but for putting back a file that a killed landing had moved aside.

import { existsSync } from "node:fs";
import type { FilePair } from "../git/publish/diff.ts";
import { findRepository } from "../git/repository.ts";
import { configValue, isTrue } from "../git/target/local/local-work-trees.ts";
import type { LandedFile } from "../git/target/target.ts";
import { compareFile, type DiskRules } from "../git/target/local/work-tree-file.ts";
import { openWorkTree } from "../git/target/local/work-tree-handle.ts";
import { type MergedWorkTree, planMerge } from "../git/target/local/work-tree-merge.ts";
import { planWorkTree } from "../git/target/local/work-tree-plan.ts";
import { WorkTreeUpdate } from "../git/target/local/work-tree-update.ts";
import { type DirectoryHandle, nameIn, splitPath } from "../process/directory-handle.ts";
import { type BegunDraftLanding, forgetDraftLanding, interruptedLanding } from "../sandbox/draft-landing.ts";
import { pullDirectory } from "../sandbox/draft-pull.ts";
import { errorCode } from "../shared/error-code.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { DraftLook } from "./draft-look.ts";

export interface HerePlan {
  /** What the session has changed. */
  readonly session: readonly FilePair[];
  readonly merged: MergedWorkTree;
  /** What would change in the work tree. */
  readonly pairs: readonly FilePair[];
}

export interface HerePlace {
  readonly look: DraftLook;
  /** The draft's own. */
  readonly directory: string;
}

/**
 * `readPairs` reads what the session has changed. First this puts back what a killed landing moved aside: a file that is aside would seem
 * deleted by the person, and the session's deletion of it would be lost.
 */
export async function planHere(
  { look, directory }: HerePlace,
  readPairs: () => Promise<Result<readonly FilePair[]>>,
): Promise<Result<HerePlan>> {
  const { project } = look.record;
  const unfinished = interruptedLanding(directory);
  if (unfinished === "in work")
    return fail("conflict", "Another process is landing this session.", { hint: "Try again when it has ended." });
  if (existsSync(pullDirectory(directory)))
    return fail("conflict", "The session is in the middle of a git_pull.", { hint: "Its next call finishes that." });
  return await inWorkTree(project, async (handle) => {
    const rules = diskRules(project);
    if (unfinished !== null) await putBack(handle, unfinished, rules);
    const read = await readPairs();
    if (!read.ok) return read;
    if (unfinished !== null) forgetDraftLanding(directory);
    const pairs = read.value;
    const landed = landedBefore(handle, unfinished, pairs, rules);
    const theirs = `session ${look.session.name.replace(/[^\w.-]+/g, "-")}`;
    const open = pairs.filter(({ path }) => !landed.has(path));
    const merged = await withRoom(handle, planMerge(handle, open, rules, { ours: "here", theirs }), rules);
    const shown = merged.changes.map(({ path, before, after, now }): FilePair => ({
      path,
      before: before === null || now === null ? null : { ...before, content: now },
      after,
    }));
    return ok({ session: pairs, merged: { ...merged, same: [...merged.same, ...landed] }, pairs: shown });
  });
}

/** Leaves what cannot be written. */
async function withRoom(handle: DirectoryHandle, merged: MergedWorkTree, rules: DiskRules): Promise<MergedWorkTree> {
  const { problems } = await planWorkTree(handle, merged.changes, numbersOf(merged.changes), new Map(), rules);
  const changes = merged.changes.filter(({ path }) => !problems.has(path));
  return { changes, left: new Map([...merged.left, ...problems]), same: merged.same };
}

export function numbersOf(changes: readonly LandedFile[]): ReadonlyMap<string, number> {
  return new Map(changes.map(({ path }, number) => [path, number]));
}

/**
 * Files that a killed landing had written already: to merge them once more would put marks into marks. What the session has changed since
 * then has not landed.
 */
function landedBefore(
  handle: DirectoryHandle,
  unfinished: BegunDraftLanding | null,
  pairs: readonly FilePair[],
  rules: DiskRules,
): ReadonlySet<string> {
  const inSession = new Map(pairs.map(({ path, after }) => [path, after]));
  const done = (unfinished?.files ?? []).filter(({ path, after, session }) => {
    const now = inSession.get(path);
    if (now == null || now.id !== session?.id || now.mode !== session.mode) return false;
    const [directory, name] = splitPath(path);
    const found = handle.inside(directory, (descriptor) =>
      after === null ? undefined : compareFile(nameIn(descriptor, name), after, rules),
    );
    return found?.is === "same";
  });
  return new Set(done.map(({ path }) => path));
}

async function putBack(handle: DirectoryHandle, { id, files }: BegunDraftLanding, rules: DiskRules): Promise<void> {
  if (id === "") return;
  const changes = files.map(({ path, before }): LandedFile => ({ path, before, after: null }));
  await new WorkTreeUpdate(handle, id, rules).sweep(changes, new Map());
}

/** Holds the work tree open while `work` runs. */
export async function inWorkTree<T>(
  project: string,
  work: (handle: DirectoryHandle) => Promise<Result<T>>,
): Promise<Result<T>> {
  let handle: DirectoryHandle;
  try {
    handle = openWorkTree(project);
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return fail("tool_failed", `${project} cannot be opened (${errorCode(error)}).`);
  }
  try {
    return await work(handle);
  } finally {
    handle.close();
  }
}

/** Ids are the gate's own here, and no repository's. */
export function diskRules(project: string): DiskRules {
  const { repository } = findRepository(project);
  const isOn = (key: string) => !repository.ok || isTrue(configValue(repository.value, "core", key) ?? "true");
  return { format: "sha256", hasFileMode: isOn("filemode"), hasSymlinks: isOn("symlinks") };
}
