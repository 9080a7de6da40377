// Reads a work tree's index at the paths of a landing, and updates it to match the branch.
// Invariant: only entries at these paths change, and only if they are unchanged since the gate read them. No filter runs: new
// entries are written without the times of their files, so that the person's own git compares those files once, and the gate
// switches off by name the filters in the configuration.

import { setTimeout as sleep } from "node:timers/promises";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { type ObjectFormat, zeroId } from "../../publish/object.ts";
import { type GitReader, type GitWriter, reasonOf } from "./git-runner.ts";
import type { WorkTree } from "./local-work-trees.ts";
import type { LandedFile } from "../target.ts";
import { errorCode } from "../../../shared/error-code.ts";
import { IndexDraft } from "./work-tree-index-lock.ts";

export interface IndexEntry {
  readonly mode: string;
  readonly id: string;
  readonly stage: number;
  /** The person has excluded the file from disk (a sparse checkout). */
  readonly isSkipped: boolean;
  readonly isAssumedUnchanged: boolean;
}

/** The entries at each path. There are several only while a merge conflict is not resolved. */
export type IndexEntries = ReadonlyMap<string, readonly IndexEntry[]>;

const PATHSPECS = 64;
const TRIES = 40;
const WAIT_MS = 100;

/** All entries at or below the first components of the paths, and perhaps more entries. */
export async function readIndex(
  git: GitReader,
  workTree: WorkTree,
  changes: readonly LandedFile[],
): Promise<Result<IndexEntries>> {
  const tops = [...new Set(changes.map(({ path }) => path.split("/", 1)[0] as string))];
  const paths = tops.length > PATHSPECS ? [] : ["--", ...tops];
  const output = await git.read(workTree, ["ls-files", "--full-name", "-v", "-s", "-z", ...paths], "");
  if (!output.ok) return output;
  const entries = new Map<string, IndexEntry[]>();
  for (const line of new TextDecoder().decode(output.value).split("\0")) {
    if (line === "") continue;
    const parsed = /^(\S) (\d+) ([0-9a-f]+) ([0-3])\t(.+)$/s.exec(line);
    if (parsed === null) throw new Error("git ls-files said something that is no entry");
    const [, tag = "", mode = "", id = "", stage, path = ""] = parsed;
    const entry = {
      mode,
      id,
      stage: Number(stage),
      isSkipped: tag.toUpperCase() === "S",
      isAssumedUnchanged: tag !== tag.toUpperCase(),
    };
    const same = entries.get(path);
    if (same === undefined) entries.set(path, [entry]);
    else same.push(entry);
  }
  return ok(entries);
}

/** True if the index has the same file at this path as the tree, or if both have none. */
export function isEntry(entries: IndexEntries, path: string, wanted: LandedFile["before"]): boolean {
  const found = entries.get(path) ?? [];
  if (wanted === null) return found.length === 0;
  const [entry] = found;
  return found.length === 1 && entry?.stage === 0 && entry.id === wanted.id && sameMode(entry.mode, wanted.mode);
}

// The index has three modes for files and links; an old tree may have more.
function sameMode(one: string, other: string): boolean {
  return indexMode(one) === indexMode(other);
}

function indexMode(mode: string): string {
  if (!/^0*100/.test(mode)) return mode.replace(/^0+/, "");
  return (Number.parseInt(mode, 8) & 0o100) === 0 ? "100644" : "100755";
}

/** What in the index prevents new entries, one text for each path. */
export function indexProblems(entries: IndexEntries, changes: readonly LandedFile[]): Map<string, string> {
  const problems = new Map<string, string>();
  const leaving = new Set(changes.filter(({ after }) => after === null).map(({ path }) => path));
  const directories = new Set<string>();
  for (const path of entries.keys()) {
    if (leaving.has(path)) continue;
    for (let cut = path.lastIndexOf("/"); cut > 0 && !directories.has(path.slice(0, cut));) {
      directories.add(path.slice(0, cut));
      cut = path.lastIndexOf("/", cut - 1);
    }
  }
  for (const { path, before, after } of changes) {
    if ((entries.get(path)?.length ?? 0) > 1) problems.set(path, "has a conflict that is not resolved");
    else if (!isEntry(entries, path, before)) problems.set(path, "has something staged");
    else if (before === null && directories.has(path)) problems.set(path, "is a directory with staged files");
    else if (before === null && after !== null) {
      const above = path.split("/").slice(0, -1);
      const file = above.map((_, depth) => above.slice(0, depth + 1).join("/"));
      const blocking = file.find((directory) => entries.has(directory) && !leaving.has(directory));
      if (blocking !== undefined) problems.set(path, `has a staged file in the place of its directory ${blocking}`);
    }
  }
  return problems;
}

/**
 * An environment in which no filter of the configuration is a program. When git writes an index, it reads files that may have
 * changed within the second of the last write, and runs their filter to compare them.
 */
export async function withoutFilters(
  git: GitWriter,
  workTree: WorkTree,
): Promise<Result<Readonly<Record<string, string>>>> {
  if (git.hidesConfiguration === true) return ok({});
  const words = ["config", "--includes", "--name-only", "-z", "--get-regexp", String.raw`^filter\.`];
  const { exitCode, stdout, stderr } = await git.write(workTree, words, null);
  if (exitCode === null || exitCode > 1)
    return fail("tool_failed", `The configuration cannot be read: ${stderr.trim()}`);
  // The gate could not pass a name that is not text back to git unchanged.
  if (stdout.includes("\ufffd"))
    return fail("tool_failed", `${workTree.workTree} is configured with a filter whose name is no text.`, {
      hint: "Remove it from the configuration.",
    });
  const drivers = new Set(stdout.split("\0").map((key) => /^filter\.(.+)\.[^.]+$/s.exec(key)?.[1]));
  const settings = [...drivers].flatMap((driver) =>
    driver === undefined
      ? []
      : [
          [`filter.${driver}.clean`, ""],
          [`filter.${driver}.smudge`, ""],
          [`filter.${driver}.process`, ""],
          [`filter.${driver}.required`, "false"],
        ],
  );
  const environment: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  for (const [number, [key = "", value = ""]] of settings.entries()) {
    environment[`GIT_CONFIG_KEY_${number}`] = key;
    environment[`GIT_CONFIG_VALUE_${number}`] = value;
  }
  return ok(environment);
}

export interface IndexUpdate {
  readonly changes: readonly LandedFile[];
  /** The entries before the landing, from which the person's marks are restored. */
  readonly entries: IndexEntries;
  readonly format: ObjectFormat;
  /** The result of `withoutFilters`. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function updateIndex(
  git: GitWriter,
  workTree: WorkTree,
  { changes, entries, format, environment }: IndexUpdate,
): Promise<Result<undefined>> {
  if (changes.length === 0) return ok(undefined);
  const lines = changes
    .toSorted((one, other) => Number(one.after !== null) - Number(other.after !== null)) // deletions first, to free paths
    .map(({ path, after }) =>
      after === null ? `0 ${zeroId(format)}\t${path}\0` : `${indexMode(after.mode)} ${after.id}\t${path}\0`,
    );
  const draft = await openDraft(workTree);
  if (!draft.ok) return draft;
  try {
    const written = await writeAll(draft.value);
    if (written.ok) draft.value.commit();
    return written;
  } catch (error) {
    return notWritten(error);
  } finally {
    draft.value.close();
  }

  async function writeAll({ path }: IndexDraft): Promise<Result<undefined>> {
    const done = await write(path, ["update-index", "-z", "--index-info"], lines.join(""));
    if (!done.ok) return done;
    const staying = changes.filter(({ after }) => after !== null).map(({ path }) => path);
    for (const [flag, isMarked] of [
      ["--skip-worktree", (entry: IndexEntry) => entry.isSkipped],
      ["--assume-unchanged", (entry: IndexEntry) => entry.isAssumedUnchanged],
    ] as const) {
      const marked = staying.filter((path) => entries.get(path)?.some(isMarked) === true);
      if (marked.length === 0) continue;
      const kept = await write(
        path,
        ["update-index", "-z", flag, "--stdin"],
        marked.map((path) => `${path}\0`).join(""),
      );
      if (!kept.ok) return kept;
    }
    return ok(undefined);
  }

  async function write(index: string, words: readonly string[], stdin: string): Promise<Result<undefined>> {
    const settings = { ...environment, GIT_INDEX_FILE: index };
    // Git starts in the work tree, because it must find the files that it compares.
    const ended = await git.write(workTree, ["-C", workTree.workTree, ...words], oneChunk(stdin), settings);
    return ended.exitCode === 0
      ? ok(undefined)
      : fail("tool_failed", `The index cannot be written: ${reasonOf(ended)}`);
  }
}

/** Retries, because editors run `git status` whenever a file changes, and git then holds the lock for a moment. */
async function openDraft({ gitDirectory }: WorkTree): Promise<Result<IndexDraft>> {
  try {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const draft = IndexDraft.open(gitDirectory);
      if (draft !== null) return ok(draft);
      await sleep(WAIT_MS);
    }
  } catch (error) {
    return notWritten(error);
  }
  return fail("tool_failed", "The index cannot be written: another git holds index.lock.");
}

function notWritten(error: unknown): Result<never> {
  if (errorCode(error) === "") throw error;
  return fail("tool_failed", `The index cannot be written (${errorCode(error)}).`);
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
