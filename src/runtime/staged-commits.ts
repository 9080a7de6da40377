// Staged commits beside the questions: what an agent has put together and has not asked to push. Every screen that shows
// questions shows them, too.

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
  /** What a file of a staged commit becomes; null: it is not kept any more. */
  stagedBytes(session: SessionId, file: DiffFile): Uint8Array | null;
}

/** Every session's; what differs is shown against what was pulled, because no target was named yet. */
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

/** Not those that a waiting question is about. Their names count: two may say the same of themselves. */
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
