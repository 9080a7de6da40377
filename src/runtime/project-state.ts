// Whether the project has moved on since a draft began: new commits, another branch. It does not look at every file, because it runs
// before each call: edits that the person has not committed are not noticed.

import { lstatSync } from "node:fs";
import type { Repository } from "../git/repository.ts";
import { readPlainFile } from "../process/plain-file.ts";
import { joinPath } from "../shared/path.ts";
import { errorCode } from "../shared/error-code.ts";
import type { CallStart } from "./session-workspace.ts";

/** Differs after each commit, checkout and staging in the repository. */
export function repositoryStamp({ gitDirectory, commonDirectory }: Repository): string {
  const head = readPlainFile(joinPath(gitDirectory, "HEAD"), 4096)?.toString("utf8").trim() ?? "";
  const branch = /^ref: (refs\/[^\0]+)$/.exec(head)?.[1];
  const ref = branch === undefined ? null : readPlainFile(joinPath(commonDirectory, branch), 4096)?.toString("utf8");
  return [
    head,
    ref ?? stampOf(joinPath(commonDirectory, "packed-refs")),
    stampOf(joinPath(gitDirectory, "index")),
  ].join("\n");
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = lstatSync(path);
    return `${ino}:${size}:${mtimeMs}`;
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return "";
  }
}

/** One line for the agent; null if the person's commit is the same. `head`: the person's commit when the draft began. */
export async function describeBehind(repository: Repository, head: string, call: CallStart): Promise<string | null> {
  const commits = await call.readRepository(repository, ["rev-list", "--count", `${head}..HEAD`]);
  const files = await call.readRepository(repository, ["diff", "--name-only", "-z", "--no-renames", head, "HEAD"]);
  if (!commits.ok || !files.ok) return "The project's history has been rewritten since this draft began.";
  const count = Number(new TextDecoder().decode(commits.value));
  const changed = new TextDecoder().decode(files.value).split("\0").length - 1;
  if (count === 0 && changed === 0) return null;
  const other = count === 0 ? "is on another commit" : `has ${count} new commit${count === 1 ? "" : "s"}`;
  return `The project ${other} since this draft began; ${changed} file${changed === 1 ? " differs" : "s differ"}.`;
}
