// Discards the draft of a session for a person, and takes it back.
// Invariant: the record has the decision before it takes effect. Nothing is lost for a day.

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
import { draftPath, type ListedDraft } from "../sandbox/draft-list.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { Backend } from "./backend.ts";
import { oneDraftOf, type WantedDraft } from "./find-draft.ts";

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
  draft: ListedDraft,
  { who, files }: DiscardOptions,
): Result<Discarded> {
  const { session, agent, project, name } = draft;
  const { stateDirectory } = config;
  const directory = draftPath(stateDirectory, draft);
  if (hasRunningBoxes(directory)) return inUse("a program of the session runs");
  if (interruptedLanding(directory) !== null)
    return inUse("a landing of the session in the work tree was not finished; `changes land --here` does it");
  const nowMs = Date.now();
  const keptUntil = nowMs + KEPT_MS;
  const outcome = { draft: name, project, files, kept_until: new Date(keptUntil).toISOString(), who };
  journal.append({ event: "session.discarded", session, agent, outcome }, { durable: true });
  if (setDraftAside(stateDirectory, directory, nowMs) === null) {
    const why = "a program of the session was started meanwhile, or the draft is gone";
    journal.append({ event: "session.restored", session, agent, outcome: { draft: name, project, who, why } });
    return inUse(why);
  }
  // A draft that the session begins anew is compared with the project, not with what landed from this one.
  const id = { agent, name: session };
  staged.notePulled(id, [], [...staged.pulled(id).keys()], []);
  return ok({ keptUntil });
}

function inUse(why: string): Result<never> {
  return fail("conflict", `Nothing was discarded: ${why}.`, {
    hint: "Wait until its calls have ended, or end them. Then discard it again.",
  });
}

/** The one that was discarded last, if the session has several. */
export function findDiscarded(stateDirectory: string, wanted: WantedDraft): Result<DiscardedDraft> {
  const newest = new Map(listDiscarded(stateDirectory).map((draft) => [draft.name, draft]));
  return oneDraftOf([...newest.values()], wanted, () => true);
}

const problems: Readonly<Record<RestoreProblem, readonly [why: string, hint: string]>> = {
  taken: ["The session has begun another draft since.", "Discard that one first, then name this one by its draft."],
  "in use": ["A process still uses it, from before it was discarded.", "Close the agent that had it open."],
  gone: ["It is gone.", "`sallyport changes list --discarded` shows what is kept."],
};

export async function restoreSession(
  { config, journal }: Backend,
  draft: DiscardedDraft,
  who: string,
): Promise<Result<undefined>> {
  const { session, agent, project, name } = draft;
  const { stateDirectory } = config;
  let before = restoreProblem(stateDirectory, draft);
  // Whoever held it last may be about to end.
  for (const until = Date.now() + WAIT_MS; before === "in use" && Date.now() < until;) {
    await sleep(20);
    before = restoreProblem(stateDirectory, draft);
  }
  if (before !== null) return notRestored(before);
  const outcome = { draft: name, project, who };
  journal.append({ event: "session.restored", session, agent, outcome }, { durable: true });
  const problem = restoreDraft(stateDirectory, draft);
  if (problem === null) return ok(undefined);
  journal.append({ event: "session.discarded", session, agent, outcome: { ...outcome, files: null, why: problem } });
  return notRestored(problem);
}

function notRestored(problem: RestoreProblem): Result<never> {
  const [why, hint] = problems[problem];
  return fail("conflict", `Nothing was restored. ${why}`, { hint });
}
