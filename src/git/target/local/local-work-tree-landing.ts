// Lands a commit in one work tree in which the branch is checked out, from the first check to the updated index.

import { ok, fail, type Result } from "../../../shared/result.ts";
import type { ConfigEntry } from "../../config-file.ts";
import { lastValue } from "../../person-config.ts";
import type { Repository } from "../../repository.ts";
import type { GitReader, GitWriter } from "./git-runner.ts";
import { type IndexEntries, indexProblems, isEntry, readIndex, updateIndex, withoutFilters } from "./local-index.ts";
import { configValue, isTrue, type WorkTree } from "./local-work-trees.ts";
import type { LandedFile, Landing, Progress } from "../target.ts";
import { compareFile, type DiskRules } from "./work-tree-file.ts";
import { nameIn, splitPath, type DirectoryHandle } from "../../../process/directory-handle.ts";
import { errorCode } from "../../../shared/error-code.ts";
import { openWorkTree } from "./work-tree-handle.ts";
import { conversionProblems } from "./work-tree-conversion.ts";
import { type FileStep, planWorkTree } from "./work-tree-plan.ts";
import { type KeptFiles, WorkTreeUpdate } from "./work-tree-update.ts";
import { shownPath } from "../../publish/tree-path.ts";

export interface LandingContext {
  readonly repository: Repository;
  readonly git: GitReader;
  /** The person's own settings, used if the repository has no such setting. */
  readonly settings?: readonly ConfigEntry[] | undefined;
}

export interface KeptFile {
  readonly workTree: string;
  /** Null for the whole index. */
  readonly path: string | null;
  readonly why: string;
}

export interface WorkTreeLanding {
  /** If there are any, nothing may land. */
  readonly problems: readonly string[];
  /** Writes new content to temporary files beside its final paths. Throws errors of the disk. */
  prepare(): Promise<void>;
  /** Call it after the branch has moved. */
  finish(progress: Progress): Promise<KeptFile[]>;
  close(): void;
}

/** `isLanded`: the branch has moved already, and only the files that were not updated yet remain. */
export async function openWorkTreeLanding(
  landing: Landing,
  workTree: WorkTree,
  { git, settings = [] }: LandingContext,
  writer: GitWriter,
  isLanded: boolean,
): Promise<Result<WorkTreeLanding>> {
  const { commit, state } = landing;
  const rules = diskRules(landing, workTree);
  const entries = await readIndex(git, workTree, landing.changes);
  if (!entries.ok) return entries;
  const environment = await withoutFilters(writer, workTree);
  if (!environment.ok) return environment;
  const opened = openHandle(workTree.workTree);
  if (!opened.ok) return opened;
  const handle = opened.value;
  const update = new WorkTreeUpdate(handle, commit, rules);
  const kept: KeptFiles = new Map();
  try {
    const changes = realChanges(landing);
    await update.sweep(changes, kept);
    const found = isLanded ? settled(changes, entries.value, kept) : indexProblems(entries.value, changes);
    const todo = isLanded ? changes.filter(({ path }) => !found.has(path)) : changes;
    const plan = await planWorkTree(handle, todo, numbersOf(changes), entries.value, rules);
    const converted = await unconverted(git, workTree, plan.steps, settings);
    if (!converted.ok) {
      handle.close();
      return converted;
    }
    const foreign = conversionProblems(handle, workTree.commonDirectory, todo, plan.problems);
    const problems = new Map([...plan.problems, ...converted.value, ...foreign, ...(isLanded ? [] : found)]);
    const steps = plan.steps.filter(({ change }) => !problems.has(change.path));
    if (isLanded) {
      for (const change of todo) {
        const why = problems.get(change.path);
        if (why !== undefined && !hasFollowed(handle, change, rules)) kept.set(change.path, why);
      }
    }
    return ok({
      problems: isLanded ? [] : problemLines(problems),
      prepare: () => update.prepare(steps),
      async finish(progress) {
        await update.finish(steps, kept, progress);
        const lagging = await syncIndex(todo, kept, entries.value, environment.value);
        return [...[...kept].map(([path, why]) => ({ workTree: workTree.workTree, path, why })), ...lagging];
      },
      close() {
        update.discard();
        handle.close();
      },
    });
  } catch (error) {
    handle.close();
    throw error;
  }

  /** Reads the index again, so that entries which were staged meanwhile stay staged. */
  async function syncIndex(
    todo: readonly LandedFile[],
    keptFiles: KeptFiles,
    before: IndexEntries,
    settings: Readonly<Record<string, string>>,
  ): Promise<KeptFile[]> {
    const now = await readIndex(git, workTree, todo);
    const staged = now.ok ? indexProblems(now.value, todo) : new Map<string, string>();
    for (const [path, why] of staged) if (!keptFiles.has(path)) keptFiles.set(path, `${why}, done meanwhile`);
    const following = todo.filter(({ path }) => !staged.has(path));
    const written = now.ok
      ? await updateIndex(writer, workTree, {
          changes: following,
          entries: before,
          format: state.format,
          environment: settings,
        })
      : now;
    return written.ok ? [] : [{ workTree: workTree.workTree, path: null, why: written.failure.message }];
  }
}

/** What would prevent the landing. Makes the same checks but writes nothing, and does not even remove leftovers. */
export async function workTreeProblems(
  landing: Landing,
  workTree: WorkTree,
  { git, settings = [] }: LandingContext,
): Promise<Result<readonly string[]>> {
  const changes = realChanges(landing);
  const entries = await readIndex(git, workTree, changes);
  if (!entries.ok) return entries;
  const opened = openHandle(workTree.workTree);
  if (!opened.ok) return opened;
  try {
    const rules = diskRules(landing, workTree);
    const plan = await planWorkTree(opened.value, changes, numbersOf(changes), entries.value, rules);
    const converted = await unconverted(git, workTree, plan.steps, settings);
    if (!converted.ok) return converted;
    const foreign = conversionProblems(opened.value, workTree.commonDirectory, changes, plan.problems);
    const staged = indexProblems(entries.value, changes);
    return ok(problemLines([...plan.problems, ...converted.value, ...foreign, ...staged]));
  } finally {
    opened.value.close();
  }
}

function diskRules({ state }: Landing, workTree: WorkTree): DiskRules {
  return {
    format: state.format,
    hasFileMode: isTrue(configValue(workTree, "core", "filemode") ?? "true"),
    hasSymlinks: isTrue(configValue(workTree, "core", "symlinks") ?? "true"),
  };
}

function realChanges({ changes }: Landing): LandedFile[] {
  return changes.filter(({ before, after }) => before?.id !== after?.id || before?.mode !== after?.mode);
}

function problemLines(problems: Iterable<readonly [path: string, why: string]>): string[] {
  return [...new Map(problems)].map(([path, why]) => `${shownPath(path)} ${why}.`).sort();
}

function openHandle(path: string): Result<DirectoryHandle> {
  try {
    return ok(openWorkTree(path));
  } catch (error) {
    return fail("tool_failed", `${path} cannot be opened (${errorCode(error)}).`);
  }
}

/**
 * The changes that need no work any more. The index is updated last and as a whole. So if one entry is new, everything was updated,
 * and any difference since then is the person's change. An entry that is neither old nor new is also the person's change.
 */
function settled(changes: readonly LandedFile[], entries: IndexEntries, kept: KeptFiles): Map<string, string> {
  if (changes.some(({ path, after }) => isEntry(entries, path, after)))
    return new Map(changes.map(({ path }) => [path, "is in step"]));
  const staged = changes.filter(({ path, before }) => !isEntry(entries, path, before));
  for (const { path } of staged) kept.set(path, "has something staged");
  return new Map(staged.map(({ path }) => [path, "has something staged"]));
}

function hasFollowed(handle: DirectoryHandle, { path, after }: LandedFile, rules: DiskRules): boolean {
  const [directory, name] = splitPath(path);
  const found = handle.inside(directory, (descriptor) =>
    compareFile(nameIn(descriptor, name), after ?? { mode: "100644", id: "" }, rules),
  );
  return after === null ? (found?.is ?? "missing") === "missing" : found?.is === "same";
}

function numbersOf(changes: readonly LandedFile[]): ReadonlyMap<string, number> {
  return new Map(changes.map(({ path }, number) => [path, number]));
}

/** Files whose line ends differ from the branch although no setting tells git to convert them. Such files are modified. */
async function unconverted(
  git: GitReader,
  workTree: WorkTree,
  steps: readonly FileStep[],
  settings: readonly ConfigEntry[],
): Promise<Result<Map<string, string>>> {
  const asked = steps.filter(({ lineEnds }) => lineEnds === "crlf").map(({ change }) => change.path);
  const modified = new Map<string, string>();
  if (asked.length === 0) return ok(modified);
  const words = ["check-attr", "-z", "--stdin", "text", "crlf", "eol"];
  const output = await git.read(workTree, words, asked.map((path) => `${path}\0`).join(""));
  if (!output.ok) return output;
  const fields = new TextDecoder().decode(output.value).split("\0");
  const attributes = new Map<string, string>();
  for (let at = 0; at + 2 < fields.length; at += 3)
    attributes.set(`${fields[at]}\0${fields[at + 1]}`, fields[at + 2] ?? "");
  const autocrlf = configValue(workTree, "core", "autocrlf") ?? lastValue(settings, "core", "autocrlf")?.toLowerCase();
  const byConfig = ["true", "yes", "on", "1", "input"].includes(autocrlf ?? "");
  for (const path of asked) {
    const [text, crlf, eol] = ["text", "crlf", "eol"].map(
      (name) => attributes.get(`${path}\0${name}`) ?? "unspecified",
    );
    const said = text === "unspecified" ? crlf : text;
    const converts = said === "unspecified" ? byConfig || eol === "lf" || eol === "crlf" : said !== "unset";
    if (!converts) modified.set(path, "is modified on disk");
  }
  return ok(modified);
}
