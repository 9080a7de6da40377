// Lands what a session has changed in the person's work tree, without a commit, for a person who has seen it.
// Invariant: what was shown is what is written: a file that has changed since is left. Each file is whole at every moment. If the process
// is killed in the middle, the next landing of the session first puts back what was moved aside, and then does the rest.

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import type { FilePair } from "../git/publish/diff.ts";
import { findRepository } from "../git/repository.ts";
import type { PulledFile } from "../git/staged.ts";
import { configValue, isTrue } from "../git/target/local/local-work-trees.ts";
import type { LandedFile } from "../git/target/target.ts";
import { compareFile, type DiskRules } from "../git/target/local/work-tree-file.ts";
import { openWorkTree } from "../git/target/local/work-tree-handle.ts";
import { type MergedWorkTree, planMerge } from "../git/target/local/work-tree-merge.ts";
import { planWorkTree } from "../git/target/local/work-tree-plan.ts";
import { type KeptFiles, WorkTreeUpdate } from "../git/target/local/work-tree-update.ts";
import { type DirectoryHandle, nameIn, splitPath } from "../process/directory-handle.ts";
import {
  type BegunDraftLanding,
  forgetDraftLanding,
  interruptedLanding,
  noteDraftLanding,
} from "../sandbox/draft-landing.ts";
import { pullDirectory } from "../sandbox/draft-pull.ts";
import { errorCode } from "../shared/error-code.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { Backend } from "./backend.ts";
import type { DraftLook } from "./draft-look.ts";

export interface HerePlan {
  readonly merged: MergedWorkTree;
  /** What would change in the work tree. */
  readonly pairs: readonly FilePair[];
}

export interface LandedHere {
  readonly files: number;
  /** Paths with conflict marks. */
  readonly conflicts: readonly string[];
  /** Files that stay as the person has them, with the reason. */
  readonly left: ReadonlyMap<string, string>;
}

interface Place {
  readonly look: DraftLook;
  /** The draft's own. */
  readonly directory: string;
}

/** `pairs`: what the session has changed. First finishes or undoes what a killed landing left. */
export async function planHere({ look, directory }: Place, pairs: readonly FilePair[]): Promise<Result<HerePlan>> {
  const { project } = look.record;
  const unfinished = interruptedLanding(directory);
  if (unfinished === "in work")
    return fail("conflict", "Another process is landing this session.", { hint: "Try again when it has ended." });
  if (existsSync(pullDirectory(directory)))
    return fail("conflict", "The session is in the middle of a git_pull.", { hint: "Its next call finishes that." });
  return await inWorkTree(project, async (handle) => {
    const rules = diskRules(project);
    if (unfinished !== null) {
      await putBack(handle, unfinished, rules);
      forgetDraftLanding(directory);
    }
    const landed = landedBefore(handle, unfinished, rules);
    const theirs = `session ${look.session.name.replace(/[^\w.-]+/g, "-")}`;
    const open = pairs.filter(({ path }) => !landed.has(path));
    const merged = await withRoom(handle, planMerge(handle, open, rules, { ours: "here", theirs }), rules);
    const shown = merged.changes.map(({ path, before, after, now }): FilePair => ({
      path,
      before: before === null || now === null ? null : { ...before, content: now },
      after,
    }));
    return ok({ merged: { ...merged, same: [...merged.same, ...landed] }, pairs: shown });
  });
}

/** Leaves what cannot be written. */
async function withRoom(handle: DirectoryHandle, merged: MergedWorkTree, rules: DiskRules): Promise<MergedWorkTree> {
  const { problems } = await planWorkTree(handle, merged.changes, numbersOf(merged.changes), new Map(), rules);
  const changes = merged.changes.filter(({ path }) => !problems.has(path));
  return { changes, left: new Map([...merged.left, ...problems]), same: merged.same };
}

function numbersOf(changes: readonly LandedFile[]): ReadonlyMap<string, number> {
  return new Map(changes.map(({ path }, number) => [path, number]));
}

/** Files that a killed landing had written already: to merge them once more would put marks into marks. */
function landedBefore(
  handle: DirectoryHandle,
  unfinished: BegunDraftLanding | null,
  rules: DiskRules,
): ReadonlySet<string> {
  const done = (unfinished?.files ?? []).filter(({ path, after }) => {
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

export interface LandHereOptions {
  /** The person, for the record. */
  readonly who: string;
}

export async function landHere(
  backend: Backend,
  { look, directory }: Place,
  pairs: readonly FilePair[],
  { merged }: HerePlan,
  { who }: LandHereOptions,
): Promise<Result<LandedHere>> {
  const { project, agent, session } = look.record;
  const { changes } = merged;
  const begun = {
    id: randomBytes(8).toString("hex"),
    files: changes.map(({ path, before, after }) => ({
      path,
      before,
      after: after === null ? null : { mode: after.mode, id: after.id },
    })),
  };
  return await inWorkTree(project, async (handle) => {
    const rules = diskRules(project);
    const plan = await planWorkTree(handle, changes, numbersOf(changes), new Map(), rules);
    const kept: KeptFiles = new Map([...merged.left, ...plan.problems]);
    if (!noteDraftLanding(directory, begun))
      return fail("conflict", "Another process is landing this session.", { hint: "Try again when it has ended." });
    const update = new WorkTreeUpdate(handle, begun.id, rules);
    try {
      await update.prepare(plan.steps);
    } catch (error) {
      update.discard();
      forgetDraftLanding(directory);
      if (errorCode(error) === "") throw error;
      return fail("tool_failed", `The files cannot be written (${errorCode(error)}). Nothing was changed.`, {
        hint: "Check that the disk has room and that the work tree can be written.",
      });
    }
    const outcome = {
      place: project,
      how: "here",
      files: plan.steps.length,
      left: [...kept.keys()].slice(0, 100),
      who,
    };
    backend.journal.append({ event: "session.landed", session, agent, outcome }, { durable: true });
    await update.finish(plan.steps, kept, () => undefined);
    noteAsLanded(
      backend,
      look,
      pairs.filter(({ path }) => !kept.has(path)),
    );
    forgetDraftLanding(directory);
    const written = changes.filter(({ path }) => !kept.has(path));
    const conflicts = written.filter(({ how }) => how === "conflict").map(({ path }) => path);
    return ok({ files: written.length, conflicts, left: kept });
  });
}

/** From now on the session is compared with what landed. */
function noteAsLanded({ staged }: Backend, { session, record }: DraftLook, pairs: readonly FilePair[]): void {
  const { project, base } = record;
  const files: PulledFile[] = [];
  const contents: { hash: string; bytes: Uint8Array }[] = [];
  for (const { path, after } of pairs) {
    if (after === null) continue;
    const mode = after.mode as PulledFile["mode"];
    files.push({ path, mode, contentHash: after.id, size: after.content.length, source: project, commit: base });
    contents.push({ hash: after.id, bytes: after.content });
  }
  const gone = pairs.filter(({ after }) => after === null).map(({ path }) => path);
  staged.notePulled(session, files, gone, contents);
}

async function inWorkTree<T>(
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
function diskRules(project: string): DiskRules {
  const { repository } = findRepository(project);
  const isOn = (key: string) => !repository.ok || isTrue(configValue(repository.value, "core", key) ?? "true");
  return { format: "sha256", hasFileMode: isOn("filemode"), hasSymlinks: isOn("symlinks") };
}
