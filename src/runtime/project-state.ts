// Whether the repository of the project has moved on since a draft began: new commits, another branch.

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

export interface CommitsSince {
  /** How many the project has that the draft has not. */
  readonly count: number;
  /** What the commits changed. */
  readonly files: ReadonlySet<string>;
  readonly isRewritten: boolean;
}

/** Null if the person's commit is the same. `head`: that when the draft began. */
export async function commitsSince(
  repository: Repository,
  head: string,
  call: CallStart,
): Promise<CommitsSince | null> {
  const commits = await call.readRepository(repository, ["rev-list", "--count", `${head}..HEAD`]);
  const files = await call.readRepository(repository, ["diff", "--name-only", "-z", "--no-renames", head, "HEAD"]);
  if (!commits.ok || !files.ok) return { count: 0, files: new Set(), isRewritten: true };
  const count = Number(new TextDecoder().decode(commits.value));
  const names = new TextDecoder().decode(files.value).split("\0").slice(0, -1);
  return count === 0 && names.length === 0 ? null : { count, files: new Set(names), isRewritten: false };
}
