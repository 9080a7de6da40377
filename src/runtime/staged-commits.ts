// Staged commits that no agent has asked to push yet. Every screen that shows questions shows them too.

import type { DiffFile } from "../action/diff-file.ts";
import type { QueuedQuestion } from "../approval/shared-store.ts";
import { diffFiles, type FileSide } from "../git/publish/diff.ts";
import type { ObjectId } from "../git/publish/object.ts";
import { type FileState, sessionOf, type StagedStore } from "../git/staged.ts";
import type { SessionId } from "../shared/session-id.ts";

export interface StagedCommitView {
  readonly id: string;
  readonly message: string;
  readonly files: readonly unknown[];
  readonly session: string;
  readonly agent: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface StagedSource {
  stagedCommits(): readonly StagedCommitView[];
  stagedDiff(id: string): Promise<readonly DiffFile[]>;
  /** The bytes of a file in a staged commit. Null if they are no longer kept. */
  stagedBytes(session: SessionId, file: DiffFile): Uint8Array | null;
}

/** The staged commits of all sessions. The diff is against what was pulled, because no target is named yet. */
export function stagedIn(store: StagedStore): StagedSource {
  const sideOf = (state: FileState | null, session: SessionId): FileSide | null =>
    state === null
      ? null
      : { mode: state.mode, id: state.contentHash as ObjectId, content: store.content(state.contentHash, session) };
  return {
    stagedCommits: () => store.list(null),
    async stagedDiff(id) {
      const commit = store.list(null).find((one) => one.id === id);
      if (commit === undefined) throw new Error("It is not staged any more.");
      return diffFiles(
        commit.files.map(({ path, before, after }) => ({
          path,
          before: sideOf(before, sessionOf(commit)),
          after: sideOf(after, sessionOf(commit)),
        })),
      );
    },
    stagedBytes(session, { newId }) {
      try {
        return newId === null ? null : store.content(newId, session);
      } catch {
        return null;
      }
    },
  };
}

/** Leaves out commits that a waiting question is about. Compares agent, session and id, because messages may be equal. */
export function notAskedAbout(
  commits: readonly StagedCommitView[],
  waiting: readonly QueuedQuestion[],
): readonly StagedCommitView[] {
  const asked = new Set(
    waiting.flatMap(({ question: { session, action } }) =>
      action.push === undefined ? [] : [JSON.stringify([action.agent, session, action.operation?.details["staged"]])],
    ),
  );
  return commits.filter(({ agent, session, id }) => !asked.has(JSON.stringify([agent, session, id])));
}
