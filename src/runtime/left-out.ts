// Files that a draft does not copy when it begins, because they are large or cannot be read. They show through from the project, and git
// in the draft passes over them: it would read them whenever it compares.

import { accessSync, constants, lstatSync } from "node:fs";
import { brokenAnswer, nulParts, textOrNull } from "../git/draft/draft-git.ts";
import { limits } from "../shared/limits.ts";
import { joinPath } from "../shared/path.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { RunGit } from "./session-workspace.ts";

/** Of the paths that native/keeper has skipped, those of files. */
export function skippedFiles(project: string, paths: readonly string[]): Result<readonly string[]> {
  return bounded(paths.filter((path) => sizeOf(joinPath(project, path)) !== null));
}

/** For a project that is not copied: the files that git must not read. */
export function unreadFiles(project: string, paths: readonly string[]): Result<readonly string[]> {
  return bounded(
    paths.filter((path) => {
      const size = sizeOf(joinPath(project, path));
      return size !== null && (size > limits.draftFileBytes || !canRead(joinPath(project, path)));
    }),
  );
}

/** Git compares each path with each of these. */
function bounded(files: readonly string[]): Result<readonly string[]> {
  if (files.length <= limits.draftLeftOut) return ok(files);
  return fail(
    "tool_failed",
    `The project has ${files.length} files that a draft cannot copy: they are too large, or cannot be read.`,
    {
      hint: "Let git ignore them, for example in .git/info/exclude: then they show through. Or use a worktree of the project without them.",
      because: files.slice(0, limits.namedInText),
    },
  );
}

/** Null if it is no file. 0 if nobody can tell: git has listed it, so it is one. */
function sizeOf(path: string): number | null {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true ? found.size : null;
  } catch {
    return 0; // in a directory that cannot be entered
  }
}

function canRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Makes git take these files for unchanged if it tracks them. */
export async function passOver(git: RunGit, files: readonly string[]): Promise<Result<undefined>> {
  const tracked = await trackedOf(git, files);
  if (!tracked.ok || tracked.value.length === 0) return tracked.ok ? ok(undefined) : tracked;
  const words = tracked.value.map((path) => `${path}\0`);
  const marked = await git(["update-index", "-z", "--skip-worktree", "--stdin"], words.join(""));
  return marked.ok ? ok(undefined) : marked;
}

/** Puts what the commit has of these files into the index: what the person has staged of them is not in the draft. */
export async function unstage(git: RunGit, commit: string, files: readonly string[]): Promise<Result<undefined>> {
  const tracked = await trackedOf(git, files);
  if (!tracked.ok || tracked.value.length === 0) return tracked.ok ? ok(undefined) : tracked;
  const words = ["restore", `--source=${commit}`, "--staged", "--pathspec-from-file=-", "--pathspec-file-nul"];
  const done = await git(words, tracked.value.map((path) => `${path}\0`).join(""));
  return done.ok ? ok(undefined) : done;
}

async function trackedOf(git: RunGit, files: readonly string[]): Promise<Result<readonly string[]>> {
  if (files.length === 0) return ok([]);
  const listed = await git(["ls-files", "-z"]);
  if (!listed.ok) return listed;
  const parts = nulParts(listed.value);
  if (parts === null) return brokenAnswer("a list is cut off");
  const tracked = new Set(parts.map(textOrNull));
  return ok(files.filter((path) => tracked.has(path)));
}

/** One line for the agent. */
export function describeLeftOut(files: readonly string[]): string {
  const named = files.slice(0, limits.namedInText).map((path) => JSON.stringify(path));
  const more = files.length > named.length ? ` and ${files.length - named.length} more` : "";
  return `Not copied, because they are large or cannot be read: ${named.join(", ")}${more}. They show through from the project, as far as they can be read, and git in this session passes over them.`;
}
