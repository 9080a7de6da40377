// Finds the files of a draft that may differ from its first commit, by git's index, so that unchanged files are not read.
// Invariant: no decision and no review depends on this, because the agent can write the index. It says what an agent is shown.

import { ok, type Result } from "../../shared/result.ts";
import { parseWorkspacePath, type WorkspacePath } from "../../workspace/path.ts";
import type { ObjectId } from "../publish/object.ts";
import { entryKind } from "../publish/tree-entry.ts";
import { fileMode } from "../publish/tree.ts";
import { brokenAnswer, type DraftGit, nulParts, textOrNull } from "./draft-git.ts";
import type { NamedBlob } from "./first-commit.ts";

export interface FoundDifference {
  /** The file in the first commit; null if there is none; undefined if git did not say. */
  readonly was: NamedBlob | null | undefined;
  /** Whether git compared the file itself. If not, it may be as it was. */
  readonly isCertain: boolean;
}

export type FoundDifferences = Map<WorkspacePath, FoundDifference>;

const PATHSPEC_BYTES = 128 * 1024; // of one command line; with more paths, the caller chooses among all files

// What the draft's own configuration may say otherwise. The index may hold a cache of untracked files, which the agent can write.
const fixed = ["core.fileMode=true", "core.symlinks=true", "core.ignoreCase=false", "core.untrackedCache=false"];
const gitOptions = ["--literal-pathspecs", ...fixed.flatMap((setting) => ["-c", setting])];

const rawDiff = `diff --raw -z --no-renames --no-abbrev --no-relative --no-color --ignore-submodules=all --no-ext-diff --no-textconv`;

/** Files that git tracks now or in the first commit. Names that are no paths of a workspace are left out. */
export async function trackedDifferences(
  git: DraftGit,
  base: ObjectId,
  paths: readonly WorkspacePath[] | null,
): Promise<Result<FoundDifferences>> {
  const output = await git.read([...gitOptions, ...rawDiff.split(" "), base, "--", ...pathspecs(paths)], "");
  if (!output.ok) return output;
  const parts = nulParts(output.value);
  if (parts === null || parts.length % 2 !== 0) return brokenAnswer("the list of changed files is cut off");
  const found: FoundDifferences = new Map();
  for (let at = 0; at < parts.length; at += 2) {
    const fields = textOrNull(parts[at] as Uint8Array);
    const parsed = /^:([0-7]{6}) [0-7]{6} ([0-9a-f]{40}|[0-9a-f]{64}) [0-9a-f]{40,64} ([ADMTU])$/.exec(fields ?? "");
    if (parsed === null) return brokenAnswer("a changed file is not described as git does");
    const path = workspacePath(parts[at + 1] as Uint8Array);
    if (path === null) continue;
    const [, mode = "", id = "", status = ""] = parsed;
    // A file with a conflict may be named twice, and the second time as any other.
    if (status === "U") {
      if (!found.has(path)) found.set(path, { was: undefined, isCertain: false });
      continue;
    }
    // A file that is in the directory, but no longer in the index, is called deleted.
    found.set(path, { was: namedBlob(mode, id), isCertain: status !== "D" });
  }
  return ok(found);
}

/** Files that git does not track now. `isWhole`: with those that it ignores. */
export async function untrackedFiles(
  git: DraftGit,
  paths: readonly WorkspacePath[] | null,
  isWhole = false,
): Promise<Result<WorkspacePath[]>> {
  const excluding = isWhole ? [] : ["--exclude-standard"];
  const words = [...gitOptions, "ls-files", "-z", "--others", ...excluding, "--", ...pathspecs(paths)];
  const output = await git.read(words, "");
  if (!output.ok) return output;
  const parts = nulParts(output.value);
  if (parts === null) return brokenAnswer("the list of new files is cut off");
  return ok(parts.flatMap((part) => workspacePath(part) ?? []));
}

function pathspecs(paths: readonly WorkspacePath[] | null): readonly string[] {
  const bytes = (paths ?? []).reduce((sum, path) => sum + path.length * 3, 0);
  return paths === null || bytes > PATHSPEC_BYTES ? [] : paths;
}

/** Null for a name that is no path of a workspace, and for a repository in the draft, whose name git ends with a slash. */
function workspacePath(bytes: Uint8Array): WorkspacePath | null {
  const text = textOrNull(bytes);
  const path = text === null || text === "" ? null : parseWorkspacePath(text);
  return path?.ok === true && path.value === text ? path.value : null;
}

function namedBlob(mode: string, id: ObjectId): NamedBlob | null {
  const kind = entryKind(mode);
  return /^0+$/.test(mode) || kind === "submodule" || kind === "directory" ? null : { mode: fileMode(mode), id };
}
