// The files that git_status and git_diff show: what differs from what was pulled, without what git ignores.

import { differences, type WorkspaceDifference } from "../../git/publish/push/workspace-state.ts";
import type { SessionCommits } from "../../git/publish/push/session-commits.ts";
import type { FileState, StagedStore } from "../../git/staged.ts";
import { ok, type Result } from "../../shared/result.ts";
import type { SessionId } from "../../shared/session-id.ts";
import { IgnoredFiles } from "../../workspace/ignored-files.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { WantedPaths } from "./wanted-paths.ts";

export interface ChangedFiles {
  readonly changes: readonly WorkspaceDifference[];
  /** How many files were left out because git ignores them. */
  readonly ignored: number;
}

export async function changedFiles(
  files: Workspace,
  { staged, session, hashes }: SessionCommits,
  wanted: WantedPaths,
  isSettled: (path: string, state: FileState | null) => boolean,
): Promise<Result<ChangedFiles>> {
  const pulled = staged.pulled(session);
  const checked = await wanted.check(files, pulled.keys());
  if (!checked.ok) return checked;
  const rules = new IgnoredFiles(files);
  const isTracked = trackedPaths(staged, session);
  let ignored = 0;
  const changes = await differences(files, pulled, hashes, {
    isSettled,
    async isShown(path) {
      if (!wanted.has(path)) return false;
      if (isTracked(path) || !(await wanted.isIgnored(path, rules))) return true;
      ignored += 1;
      return false;
    },
  });
  return ok({ changes, ignored });
}

/** As git ignores no file that it tracks, a file that was pulled or is staged is never ignored. */
export function trackedPaths(staged: StagedStore, session: SessionId): (path: string) => boolean {
  let tracked: { has(path: string): boolean }[] | null = null;
  return (path) => {
    tracked ??= [
      staged.pulled(session),
      new Set(staged.list(session).flatMap(({ files }) => files.map((file) => file.path))),
    ];
    return tracked.some((paths) => paths.has(path));
  };
}
