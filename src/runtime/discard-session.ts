// Discards what a session has changed for a person, and takes it back.
// Invariant: the record has the decision before it takes effect. Nothing is lost for a day.

import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type DiscardedDraft,
  KEPT_MS,
  listDiscarded,
  restoreDraft,
  type RestoreProblem,
  restoreProblem,
  setDraftAside,
} from "../sandbox/discarded-drafts.ts";
import { interruptedLanding } from "../sandbox/draft-landing.ts";
import { hasRunningBoxes } from "../sandbox/draft-in-use.ts";
import { draftPath } from "../sandbox/draft-list.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { Backend } from "./backend.ts";
import { type KeptWorkspaces, openWorkspaceStore } from "../store/workspaces.ts";
import { oneSessionOf, type WantedSession } from "./find-session.ts";
import { type ListedSession, memoryName } from "./listed-session.ts";

const WAIT_MS = 2_000;

export interface DiscardOptions {
  /** The person, for the record. */
  readonly who: string;
  /** How many files had not landed; null if nobody could tell. */
  readonly files: number | null;
}

export interface Discarded {
  /** Milliseconds since 1970: when it is removed for good. */
  readonly keptUntil: number;
}

export function discardSession(
  { config, journal, staged }: Backend,
  listed: ListedSession,
  { who, files }: DiscardOptions,
): Result<Discarded> {
  const { session, agent, project, name } = listed;
  const { stateDirectory } = config;
  const problem = discardProblem(stateDirectory, listed);
  if (problem !== null) return inUse(problem);
  const nowMs = Date.now();
  const keptUntil = nowMs + KEPT_MS;
  const outcome = { draft: name, project, files, kept_until: new Date(keptUntil).toISOString(), who };
  journal.append({ event: "session.discarded", session, agent, outcome }, { durable: true });
  if (!setAside(stateDirectory, listed, nowMs)) {
    const why = "a program of the session was started meanwhile, or the draft is gone";
    journal.append({ event: "session.restored", session, agent, outcome: { draft: name, project, who, why } });
    return inUse(why);
  }
  // A draft that the session begins anew is compared with the project, not with what landed from this one.
  const id = { agent, name: session };
  staged.notePulled(id, [], [...staged.pulled(id).keys()], []);
  return ok({ keptUntil });
}

/** Why it cannot be discarded now; null if it can. */
function discardProblem(stateDirectory: string, listed: ListedSession): string | null {
  if (listed.project === null) return null;
  const directory = draftPath(stateDirectory, listed);
  if (hasRunningBoxes(directory)) return "a program of the session runs";
  return interruptedLanding(directory) === null
    ? null
    : "a landing of the session in the work tree was not finished; `changes land --here` does it";
}

/** False if it is in use or gone: nothing has changed then. */
function setAside(stateDirectory: string, listed: ListedSession, nowMs: number): boolean {
  if (listed.project !== null) return setDraftAside(stateDirectory, draftPath(stateDirectory, listed), nowMs) !== null;
  return withStore(stateDirectory, (store) => store.setAside({ agent: listed.agent, name: listed.session }, nowMs));
}

function withStore<T>(stateDirectory: string, work: (store: KeptWorkspaces) => T): T {
  const store = openWorkspaceStore(stateDirectory);
  try {
    return work(store);
  } finally {
    store.close();
  }
}

function inUse(why: string): Result<never> {
  return fail("conflict", `Nothing was discarded: ${why}.`, {
    hint: "Wait until its calls have ended, or end them: `changes discard --end` does. Then discard it again.",
  });
}

/** A workspace in memory that was discarded. */
interface DiscardedMemory {
  readonly name: string;
  readonly project: null;
  readonly agent: string;
  readonly session: string;
  readonly begun: string;
  readonly bytes: number;
  readonly discardedAt: number;
}

export type DiscardedSession = DiscardedDraft | DiscardedMemory;

/** What was discarded within the last day, the oldest first. Reading makes no store. */
export function listDiscardedSessions(stateDirectory: string): DiscardedSession[] {
  const inMemory = existsSync(`${stateDirectory}/workspaces.sqlite`)
    ? withStore(stateDirectory, (store) => store.aside())
    : [];
  const memories = inMemory.map(({ session, discardedAt }): DiscardedMemory => ({
    name: memoryName(session),
    project: null,
    agent: session.agent,
    session: session.name,
    begun: new Date(discardedAt).toISOString(),
    bytes: 0,
    discardedAt,
  }));
  return [...listDiscarded(stateDirectory), ...memories]
    .filter(({ discardedAt }) => Date.now() - discardedAt < KEPT_MS)
    .sort((a, b) => a.discardedAt - b.discardedAt);
}

/** The one that was discarded last, if the session has several. */
export function findDiscarded(stateDirectory: string, wanted: WantedSession): Result<DiscardedSession> {
  const newest = new Map(listDiscardedSessions(stateDirectory).map((one) => [one.name, one]));
  return oneSessionOf([...newest.values()], wanted, () => true);
}

const problems: Readonly<Record<RestoreProblem, readonly [why: string, hint: string]>> = {
  taken: ["The session has begun another draft since.", "Discard that one first, then name this one by its draft."],
  "in use": ["A process still uses it, from before it was discarded.", "Close the agent that had it open."],
  gone: ["It is gone.", "`sallyport changes list --discarded` shows what is kept."],
};

export async function restoreSession(
  { config, journal }: Backend,
  discarded: DiscardedSession,
  who: string,
): Promise<Result<undefined>> {
  const { session, agent, project, name } = discarded;
  const { stateDirectory } = config;
  const before = discarded.project === null ? null : await draftRestorable(stateDirectory, discarded);
  if (before !== null) return notRestored(before);
  const outcome = { draft: name, project, who };
  journal.append({ event: "session.restored", session, agent, outcome }, { durable: true });
  const problem = takeBack(stateDirectory, discarded);
  if (problem === null) return ok(undefined);
  journal.append({ event: "session.discarded", session, agent, outcome: { ...outcome, files: null, why: problem } });
  return notRestored(problem);
}

async function draftRestorable(stateDirectory: string, draft: DiscardedDraft): Promise<RestoreProblem | null> {
  let problem = restoreProblem(stateDirectory, draft);
  // Whoever held it last may be about to end.
  for (const until = Date.now() + WAIT_MS; problem === "in use" && Date.now() < until;) {
    await sleep(20);
    problem = restoreProblem(stateDirectory, draft);
  }
  return problem;
}

function takeBack(stateDirectory: string, discarded: DiscardedSession): RestoreProblem | null {
  if (discarded.project !== null) return restoreDraft(stateDirectory, discarded);
  const session = { agent: discarded.agent, name: discarded.session };
  const aside = { session, discardedAt: discarded.discardedAt };
  return withStore(stateDirectory, (store) => store.takeBack(aside)) ? null : "taken";
}

function notRestored(problem: RestoreProblem): Result<never> {
  const [why, hint] = problems[problem];
  return fail("conflict", `Nothing was restored. ${why}`, { hint });
}
