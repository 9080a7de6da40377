// The sessions that have work which has not landed, for people.
// Invariant: a draft that cannot be read is listed with the reason, and takes no more time or memory than one that can.

import { diffFilesInTurns, type FilePair } from "../git/publish/diff.ts";
import type { MadeCommits } from "../git/publish/push/compared-base.ts";
import { limits } from "../shared/limits.ts";
import { ok, type Result } from "../shared/result.ts";
import { createEventLoopYield } from "../store/event-loop-yield.ts";
import type { Backend } from "./backend.ts";
import { isSessionTouched, type ListedSession, listSessions, sessionBytes, sessionUse } from "./listed-session.ts";
import { changesDigest } from "./session-diff.ts";
import type { SessionLook } from "./look-session.ts";
import { openSessionLook } from "./session-look.ts";

/** The fields are those of `sallyport changes list --json`. */
export interface SessionChanges {
  readonly session: string;
  readonly agent: string;
  /** Null for a workspace in memory. */
  readonly project: string | null;
  /** The name of the draft, or of the workspace in memory: no other has it. */
  readonly draft: string;
  /** An ISO date. Of a workspace in memory: when it was saved last. */
  readonly begun: string;
  /** `running`: a program of the session runs. `open`: a gate holds the draft. */
  readonly use: "running" | "open" | null;
  /** Of what has not landed: see `changesDigest`. */
  readonly digest: string | null;
  readonly files: number | null;
  /** Null if there is more to compare than a list should. */
  readonly added: number | null;
  readonly removed: number | null;
  /** Made inside. */
  readonly commits: number | null;
  readonly behind: { readonly commits: number; readonly files: number; readonly rewritten: boolean } | null;
  /** What it takes on the disk, roughly. */
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
  const found = listSessions(stateDirectory).filter(
    (one) => (project === undefined || one.project === project) && isSessionTouched(stateDirectory, one),
  );
  const looked = found.slice(-limits.listedSessions);
  const sessions: SessionChanges[] = [];
  for (const one of looked) {
    const changes = await changesOf(backend, one);
    if (changes !== null) sessions.push(changes);
  }
  return { sessions, more: found.length - looked.length };
}

/** Null if everything has landed, or nothing was changed. */
export async function changesOf(backend: Backend, listed: ListedSession): Promise<SessionChanges | null> {
  const seen = await seeChanges(backend, listed);
  if (seen.ok) return seen.value.pairs.length === 0 ? null : seen.value.row;
  const unknown = { digest: null, files: null, added: null, removed: null, commits: null, behind: null };
  return { ...factsOf(backend, listed), ...unknown, problem: seen.failure.message };
}

export interface SeenChanges {
  readonly row: SessionChanges & { readonly digest: string };
  readonly pairs: readonly FilePair[];
  readonly made: MadeCommits | null;
}

/** One look: what a list tells of it, and all of it up to what a list reads. */
export async function seeChanges(backend: Backend, listed: ListedSession): Promise<Result<SeenChanges>> {
  const facts = factsOf(backend, listed);
  const opened = await openSessionLook(backend, listed);
  if (!opened.ok) return opened;
  const look = opened.value;
  try {
    const found = await look.pairs([], limits.listedBytes);
    if (!found.ok) return found;
    const made = await look.commits();
    if (!made.ok) return made;
    const { pairs } = found.value;
    const counted = { ...(await countPairs(pairs)), commits: made.value?.count ?? 0, behind: behindOf(look) };
    return ok({ row: { ...facts, ...counted, problem: null }, pairs, made: made.value });
  } finally {
    look.close();
  }
}

function factsOf({ config: { stateDirectory } }: Backend, listed: ListedSession) {
  const { session, agent, project, begun, name: draft } = listed;
  const bytes = sessionBytes(stateDirectory, listed);
  return { session, agent, project, draft, begun, use: sessionUse(stateDirectory, listed), bytes };
}

interface CountedPairs {
  readonly digest: string;
  readonly files: number;
  readonly added: number | null;
  readonly removed: number | null;
}

async function countPairs(pairs: readonly FilePair[]): Promise<CountedPairs> {
  const isRead = pairs.every(({ after }) => after?.unreadBytes === undefined);
  const diff = isRead ? await diffFilesInTurns(pairs, createEventLoopYield(), listedDiff) : [];
  const sum = (count: (file: (typeof diff)[number]) => number) => diff.reduce((total, file) => total + count(file), 0);
  return {
    digest: changesDigest(pairs),
    files: pairs.length,
    added: isRead ? sum(({ added, isBinary }) => (isBinary ? 0 : added)) : null,
    removed: isRead ? sum(({ removed, isBinary }) => (isBinary ? 0 : removed)) : null,
  };
}

/** A list, and the page, compare files line by line up to here. Longer ones are shown whole, in parts. */
export const listedDiff = { maxFileBytes: limits.listedFileBytes, maxFileLines: limits.listedFileLines };

function behindOf({ inProject }: SessionLook): SessionChanges["behind"] {
  const behind = {
    commits: inProject?.commits?.count ?? 0,
    files: inProject?.count ?? 0,
    rewritten: inProject?.commits?.isRewritten ?? false,
  };
  return behind.commits + behind.files > 0 || behind.rewritten ? behind : null;
}
