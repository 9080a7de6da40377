// The first half of a landing, for a program that shows it to a person and waits for their yes: what would land, frozen, with a digest.
// Invariant: only what the digest stands for lands. If the session has changed what it had when the person looked, nothing begins.

import { randomBytes } from "node:crypto";
import type { PushAction } from "../action/action.ts";
import type { DiffFile } from "../action/diff-file.ts";
import type { Question } from "../approval/approver.ts";
import type { FilePair } from "../git/publish/diff.ts";
import { draftPath } from "../sandbox/draft-list.ts";
import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { Backend } from "./backend.ts";
import { openDraftLook } from "./draft-look.ts";
import { landHere, type LandedHere } from "./land-here.ts";
import { knownPlace, type LandedOnBranch, landOnBranch, type LandOnBranchOptions } from "./land-on-branch.ts";
import type { ListedSession } from "./listed-session.ts";
import type { SessionLook } from "./look-session.ts";
import { nodeMachine } from "./node-machine.ts";
import { type HerePlan, planHere } from "./plan-here.ts";
import { listedDiff } from "./session-changes.ts";
import { changesDigest, shownDiff } from "./session-diff.ts";
import { openSessionLook } from "./session-look.ts";

/** What a person wants to land. */
export interface WantedLanding {
  /** Of the changes that they saw: see `changesDigest`. */
  readonly digest: string;
  readonly who: string;
}

interface Landing<Landed> {
  readonly id: string;
  readonly digest: string;
  readonly diff: readonly DiffFile[];
  /** Lands it, or leaves it. Null if it was left. */
  answer(isYes: boolean): Promise<Result<Landed | null>>;
}

export interface BranchLanding extends Landing<LandedOnBranch> {
  readonly how: "branch";
  readonly push: PushAction;
  readonly question: Question;
  /** Resolves when nothing can be answered any more. */
  readonly ended: Promise<unknown>;
}

export interface HereLanding extends Landing<LandedHere> {
  readonly how: "here";
  readonly pairs: readonly FilePair[];
  readonly plan: HerePlan;
  readonly warnings: readonly string[];
}

export type ShownLanding = BranchLanding | HereLanding;

export interface WantedBranch extends WantedLanding {
  readonly branch: string;
  /** Of one commit of everything. Null: the commits that were made inside, as they are. */
  readonly message: string | null;
  readonly onConflict: LandOnBranchOptions["onConflict"];
}

/** `backend`: with the configuration for the place in which it lands. It holds the workspace open until it was answered. */
export async function beginBranch(
  backend: Backend,
  listed: ListedSession,
  { digest, who, branch, message, onConflict }: WantedBranch,
): Promise<Result<BranchLanding>> {
  const place = knownPlace(backend, listed);
  if (place === null)
    return fail(
      "invalid_args",
      "Nobody knows in which repository it should land: nothing was pulled from one on this machine.",
      {
        hint: "`sallyport changes land` in the project does it.",
      },
    );
  const pairs = await withLook(await openSessionLook(backend, listed), (look) => samePairs(look, digest));
  if (!pairs.ok) return pairs;
  const stage: LandOnBranchOptions["stage"] =
    message === null ? { commits: "all" } : { files: pairs.value.map(({ path }) => path), message };
  const asked = Promise.withResolvers<Question | null>();
  const said = Promise.withResolvers<boolean>();
  const landing = landOnBranch(backend, listed, {
    stage,
    branch,
    place,
    who,
    onConflict,
    decide(question, signal) {
      signal.addEventListener("abort", () => said.resolve(false), { once: true });
      asked.resolve(question);
      return said.promise;
    },
  });
  const ended = landing.then(
    () => asked.resolve(null),
    (fault: unknown) => asked.reject(fault),
  );
  const question = await asked.promise;
  const push = question?.action.push;
  if (question === null || push === undefined) {
    const landed = await landing;
    return landed.ok ? fail("internal", "It landed without being shown.") : landed;
  }
  return ok({
    how: "branch",
    id: randomBytes(12).toString("hex"),
    digest: question.action.digest,
    diff: question.diff ?? [],
    push,
    question,
    ended,
    async answer(isYes) {
      said.resolve(isYes);
      const landed = await landing;
      return !isYes && !landed.ok ? ok(null) : landed;
    },
  });
}

/** In the person's files, without a commit. */
export async function beginHere(
  backend: Backend,
  listed: ListedSession,
  { digest, who }: WantedLanding,
): Promise<Result<HereLanding>> {
  if (listed.project === null)
    return fail("invalid_args", "The workspace of this session is in memory: it has no project.");
  const directory = draftPath(backend.config.stateDirectory, listed);
  const planned = await withLook(await openDraftLook(backend, directory), (look) =>
    planHere({ look, directory }, () => samePairs(look, digest)),
  );
  if (!planned.ok) return planned;
  const plan = planned.value;
  const { diff, warnings } = await shownDiff(plan.pairs, listedDiff);
  const answer = async (isYes: boolean): Promise<Result<LandedHere | null>> => {
    if (!isYes) return ok(null);
    return await withLook(await openDraftLook(backend, directory), async (look) => {
      const again = await samePairs(look, digest);
      return again.ok ? await landHere(backend, { look, directory }, again.value, plan, { who }) : again;
    });
  };
  const id = randomBytes(12).toString("hex");
  return ok({ how: "here", id, digest: planDigest(digest, plan), diff, pairs: plan.pairs, plan, warnings, answer });
}

/** Fails if the session has changed something since the person looked. */
async function samePairs(look: SessionLook, digest: string): Promise<Result<readonly FilePair[]>> {
  const found = await look.pairs([], limits.listedBytes);
  if (!found.ok) return found;
  const { pairs } = found.value;
  if (changesDigest(pairs) === digest) return ok(pairs);
  return fail("changed", "The session has changed something since you looked. Nothing has landed.", {
    hint: "Look at it again.",
  });
}

function planDigest(digest: string, { merged, pairs }: HerePlan): string {
  const facts = [digest, changesDigest(pairs), merged.changes.map(({ path, how }) => [path, how]), [...merged.left]];
  return nodeMachine.hashes.hex("sha256", JSON.stringify(facts));
}

async function withLook<Look extends SessionLook, T>(
  opened: Result<Look>,
  work: (look: Look) => Promise<Result<T>>,
): Promise<Result<T>> {
  if (!opened.ok) return opened;
  try {
    return await work(opened.value);
  } finally {
    opened.value.close();
  }
}
