// Compares a workspace in memory or in a directory with what was pulled or landed. It reads every file of the workspace.

import type { Hashes } from "../../../shared/hash.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { SessionId } from "../../../shared/session-id.ts";
import { IgnoredFiles } from "../../../workspace/ignored-files.ts";
import type { WorkspacePath } from "../../../workspace/path.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import type { FileState, StagedStore } from "../../staged.ts";
import type { BaseFile, ChangedFiles, ComparedBase } from "./compared-base.ts";
import type { WantedPaths } from "./wanted-paths.ts";
import { differences, isSameState, stateOf } from "./workspace-state.ts";

export interface PulledBaseParts {
  readonly staged: StagedStore;
  readonly session: SessionId;
  readonly hashes: Hashes;
}

export function createPulledBase(parts: PulledBaseParts): ComparedBase {
  return new PulledBase(parts);
}

class PulledBase implements ComparedBase {
  readonly #parts: PulledBaseParts;

  constructor(parts: PulledBaseParts) {
    this.#parts = parts;
  }

  async changed(
    files: Workspace,
    wanted: WantedPaths,
    settled: ReadonlyMap<string, FileState | null>,
  ): Promise<Result<ChangedFiles>> {
    const { staged, session, hashes } = this.#parts;
    const pulled = staged.pulled(session);
    const checked = await wanted.check(files, pulled.keys());
    if (!checked.ok) return checked;
    const rules = new IgnoredFiles(files);
    const isTracked = this.#trackedPaths();
    let ignored = 0;
    const changes = await differences(files, pulled, hashes, {
      isSettled: (path, state) => settled.has(path) && isSameState(settled.get(path), state),
      async isShown(path) {
        if (!wanted.has(path)) return false;
        if (isTracked(path) || !(await wanted.isIgnored(path, rules))) return true;
        ignored += 1;
        return false;
      },
    });
    return ok({ changes, ignored });
  }

  async files(paths: readonly WorkspacePath[]): Promise<Result<ReadonlyMap<string, BaseFile>>> {
    const { staged, session } = this.#parts;
    const pulled = staged.pulled(session);
    const found = new Map<string, BaseFile>();
    for (const path of paths) {
      const file = pulled.get(path);
      if (file === undefined) continue;
      const bytes = () => staged.content(file.contentHash, session);
      found.set(path, { state: stateOf(file), bytes, isStored: true });
    }
    return ok(found);
  }

  async tracked(paths: readonly WorkspacePath[]): Promise<Result<ReadonlySet<string>>> {
    return ok(new Set(paths.filter(this.#trackedPaths())));
  }

  async commits(): Promise<Result<null>> {
    return ok(null);
  }

  series(): Promise<Result<never>> {
    return noCommits();
  }

  madeTree(): Promise<Result<never>> {
    return noCommits();
  }

  /** As git ignores no file that it tracks, a file that was pulled or is staged is never ignored. */
  #trackedPaths(): (path: string) => boolean {
    const { staged, session } = this.#parts;
    let tracked: { has(path: string): boolean }[] | null = null;
    return (path) => {
      tracked ??= [
        staged.pulled(session),
        new Set(staged.list(session).flatMap(({ files }) => files.map((file) => file.path))),
      ];
      return tracked.some((paths) => paths.has(path));
    };
  }
}

async function noCommits(): Promise<Result<never>> {
  return fail("invalid_args", "commits: this workspace has no git of its own, so nobody can commit in it.", {
    hint: "Stage `files` with a `message`. A draft has commits.",
  });
}
