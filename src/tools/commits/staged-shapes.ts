// Arguments of git_status and git_diff, and staged commits in the shape that callers see.

import { z } from "zod";
import type { StagedCommit } from "../../git/staged.ts";
import { limits } from "../../shared/limits.ts";
import { workspaceRoot } from "../../workspace/path.ts";
import { pathArgument } from "../files/file-arguments.ts";

/** `paths` of git_status and git_diff. */
export const pathsArgument = z.array(pathArgument).min(1).max(1_000).describe("Only these files and directories.");

/** `after` of git_status and git_diff. */
export const afterArgument = pathArgument.describe("Only files after this path: the last of the page before.");

export const stagedCommitShape = z.object({
  id: z.string(),
  message: z.string(),
  files: z.array(
    z.object({
      sandboxPath: z.string(),
      operation: z.enum(["create", "update", "delete"]),
      contentHash: z.string(),
      size: z.number(),
    }),
  ),
  createdAt: z.string(),
  commits: z
    .array(z.object({ id: z.string(), message: z.string() }))
    .optional()
    .describe("The commits of a series, oldest first, with their ids in the workspace."),
  moreCommits: z.number().optional(),
  moreFiles: z.number().optional().describe("How many files of the commit are not listed."),
});

type StagedResult = z.infer<typeof stagedCommitShape>;

const COMMITS_LISTED = 100;
const MESSAGE_CHARACTERS = 200;

export function stagedResult({ id, message, files, series = [], createdAt }: StagedCommit): StagedResult {
  const commits = series.slice(0, COMMITS_LISTED).map((step) => ({
    id: step.id,
    message: [...step.message.trimEnd()].slice(0, MESSAGE_CHARACTERS).join(""),
  }));
  return {
    id,
    message,
    files: files.map(({ path, operation, after }) => ({
      sandboxPath: `${workspaceRoot}/${path}`,
      operation,
      contentHash: after?.contentHash ?? "",
      size: after?.size ?? 0,
    })),
    createdAt: new Date(createdAt).toISOString(),
    ...(commits.length === 0 ? {} : { commits }),
    ...(series.length > commits.length ? { moreCommits: series.length - commits.length } : {}),
  };
}

/** With its first files. */
export function shownCommit(result: StagedResult, most: number = limits.statusEntries): StagedResult {
  const { files } = result;
  return files.length <= most ? result : { ...result, files: files.slice(0, most), moreFiles: files.length - most };
}

/** The newest commits, oldest first. All of them together list as many files as one. */
export function shownCommits(commits: readonly StagedCommit[]): { staged: StagedResult[]; moreStaged?: number } {
  let left = limits.statusEntries;
  const staged = commits.slice(-limits.statusEntries).map((commit) => {
    const shown = shownCommit(stagedResult(commit), left);
    left -= shown.files.length;
    return shown;
  });
  return { staged, ...(staged.length < commits.length ? { moreStaged: commits.length - staged.length } : {}) };
}
