// The sessions that have work which has not landed, for people.
// Invariant: a draft that cannot be read is listed with the reason, and takes no more time or memory than one that can.

import { diffFiles } from "../git/publish/diff.ts";
import { draftPath, type ListedDraft, listDrafts } from "../sandbox/draft-list.ts";
import { isTouched } from "../sandbox/draft-touched.ts";
import { readDraftUse } from "../sandbox/draft-use.ts";
import { limits } from "../shared/limits.ts";
import { ok, type Result } from "../shared/result.ts";
import type { Backend } from "./backend.ts";
import { openDraftLook } from "./draft-look.ts";

/** The fields are those of `sallyport changes list --json`. */
export interface SessionChanges {
  readonly session: string;
  readonly agent: string;
  readonly project: string;
  /** The name of the draft's directory: no other draft has it. */
  readonly draft: string;
  /** ISO dates. */
  readonly begun: string;
  readonly files: number | null;
  /** Null if there is more to compare than a list should. */
  readonly added: number | null;
  readonly removed: number | null;
  /** Made inside. */
  readonly commits: number | null;
  readonly behind: { readonly commits: number; readonly files: number; readonly rewritten: boolean } | null;
  /** What the draft takes on the disk, roughly. */
  readonly bytes: number;
  /** Why it cannot be read. */
  readonly problem: string | null;
}

export interface ChangesFilter {
  /** Only drafts of this project, a real path. */
  readonly project?: string | undefined;
}

export interface ChangesList {
  readonly sessions: readonly SessionChanges[];
  /** How many drafts were not looked at, because there are too many. */
  readonly more: number;
}

/** The oldest first. */
export async function listChanges(backend: Backend, { project }: ChangesFilter): Promise<ChangesList> {
  const { stateDirectory } = backend.config;
  const drafts = listDrafts(stateDirectory).filter(
    (draft) =>
      (project === undefined || draft.project === project) &&
      isTouched(draftPath(stateDirectory, draft), Date.parse(draft.begun)),
  );
  const looked = drafts.slice(-limits.listedSessions);
  const sessions: SessionChanges[] = [];
  for (const draft of looked) {
    const found = await changesOf(backend, draft);
    if (found !== null) sessions.push(found);
  }
  return { sessions, more: drafts.length - looked.length };
}

/** Null if everything has landed, or nothing was changed. */
async function changesOf(backend: Backend, draft: ListedDraft): Promise<SessionChanges | null> {
  const directory = draftPath(backend.config.stateDirectory, draft);
  const { session, agent, project, begun, name } = draft;
  const listed = { session, agent, project, draft: name, begun, bytes: readDraftUse(directory) };
  const counted = await countChanges(backend, directory);
  if (!counted.ok) {
    const unknown = { files: null, added: null, removed: null, commits: null, behind: null };
    return { ...listed, ...unknown, problem: counted.failure.message };
  }
  return counted.value.files === 0 ? null : { ...listed, ...counted.value, problem: null };
}

interface Counted {
  readonly files: number;
  readonly added: number | null;
  readonly removed: number | null;
  readonly commits: number;
  readonly behind: SessionChanges["behind"];
}

async function countChanges(backend: Backend, directory: string): Promise<Result<Counted>> {
  const opened = await openDraftLook(backend, directory);
  if (!opened.ok) return opened;
  const look = opened.value;
  try {
    const found = await look.pairs([], limits.listedBytes);
    if (!found.ok) return found;
    const made = await look.commits();
    if (!made.ok) return made;
    const { pairs } = found.value;
    const isRead = pairs.every(({ after }) => after?.unreadBytes === undefined);
    const diff = isRead ? diffFiles(pairs) : [];
    const sum = (count: (file: (typeof diff)[number]) => number) =>
      diff.reduce((total, file) => total + count(file), 0);
    const { inProject } = look;
    const behind = {
      commits: inProject?.commits?.count ?? 0,
      files: inProject?.count ?? 0,
      rewritten: inProject?.commits?.isRewritten ?? false,
    };
    return ok({
      files: pairs.length,
      added: isRead ? sum(({ added, isBinary }) => (isBinary ? 0 : added)) : null,
      removed: isRead ? sum(({ removed, isBinary }) => (isBinary ? 0 : removed)) : null,
      commits: made.value?.count ?? 0,
      behind: behind.commits + behind.files > 0 || behind.rewritten ? behind : null,
    });
  } finally {
    look.close();
  }
}
