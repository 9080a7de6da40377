// The landings that pages have begun and nobody has answered, and the last ones that ended. They live in this server alone.
// Invariant: a landing is answered once, for the digest that was shown. What nobody answers does not land.

import type { StagedStore } from "../git/staged.ts";
import { askedIn } from "../approval/queue.ts";
import type { ShownConflict } from "../git/publish/push/shown-conflict.ts";
import type { FilePair } from "../git/publish/diff.ts";
import type { ShownLanding } from "../runtime/begin-landing.ts";
import type { LandedHere } from "../runtime/land-here.ts";
import type { LandedOnBranch } from "../runtime/land-on-branch.ts";
import type { ListedSession } from "../runtime/listed-session.ts";
import { bytesOfPush } from "../runtime/pushed-bytes.ts";
import type { Result } from "../shared/result.ts";
import type { LandingEnd, LandingView, LeftFile } from "./api-changes.ts";
import type { ReviewedChange } from "./change-routes.ts";
import { fileViews } from "./file-views.ts";

/** Each keeps its diff in memory, and that on a branch the workspace open. */
const KEPT = 8;

/** What did not fit; null until then. */
export interface SeenConflict {
  conflict: ShownConflict | null;
}

interface HeldLanding {
  readonly seen: SeenConflict;
  readonly landing: ShownLanding;
  readonly listed: ListedSession;
  readonly change: ReviewedChange;
  /** Null until somebody answers. */
  answered: Promise<LandingEnd> | null;
  end: LandingEnd | null;
}

export class Landings {
  readonly #held = new Map<string, HeldLanding>();
  readonly #staged: StagedStore;

  constructor(staged: StagedStore) {
    this.#staged = staged;
  }

  /** Leaves the oldest if there are too many. */
  async add(landing: ShownLanding, listed: ListedSession, seen: SeenConflict): Promise<LandingView> {
    const change = { files: landing.diff, bytes: bytesOf(landing, this.#staged) };
    const held: HeldLanding = { seen, landing, listed, change, answered: null, end: null };
    this.#held.set(landing.id, held);
    if (landing.how === "branch") void landing.ended.then(() => this.answer(landing.id, false));
    for (const id of this.#held.keys()) {
      if (this.#held.size <= KEPT) break;
      await this.answer(id, false);
      this.#held.delete(id);
    }
    return viewOf(held);
  }

  view(id: string): LandingView | undefined {
    const held = this.#held.get(id);
    return held === undefined ? undefined : viewOf(held);
  }

  change(id: string): ReviewedChange | undefined {
    return this.#held.get(id)?.change;
  }

  /** Undefined if there is none, or another answer came first. */
  async answer(id: string, isYes: boolean): Promise<LandingView | undefined> {
    const held = this.#held.get(id);
    if (held === undefined || held.answered !== null) return undefined;
    held.answered = endOf(held, isYes);
    held.end = await held.answered;
    return viewOf(held);
  }

  /** Leaves all that wait, and resolves when none is at work. */
  async close(): Promise<void> {
    for (const [id, held] of this.#held) await (held.answered ?? this.answer(id, false));
  }
}

async function endOf({ landing, listed, seen }: HeldLanding, isYes: boolean): Promise<LandingEnd> {
  const landed: Result<LandedHere | LandedOnBranch | null> = await landing.answer(isYes);
  if (!landed.ok) {
    const { message, hint, because = [] } = landed.failure;
    const more = [hint, ...because].filter((text) => text !== undefined).join(" ");
    const { conflict } = seen;
    return {
      state: "failed",
      message,
      ...(more === "" ? {} : { hint: more }),
      ...(conflict === null ? {} : { conflict }),
    };
  }
  if (landed.value === null) return { state: "left" };
  if ("branch" in landed.value) {
    const { files, commit: id, branch, commits: count, place, notes } = landed.value;
    return { state: "landed", files, commit: { id, branch, count }, place, conflicts: [], left: [], notes };
  }
  const { files, conflicts, left } = landed.value;
  const place = listed.project ?? "";
  return { state: "landed", files, commit: null, place, conflicts, left: leftFiles(left), notes: [] };
}

function viewOf({ landing, listed, end }: HeldLanding): LandingView {
  const { id, digest, how } = landing;
  const { name: draft, session, agent, project } = listed;
  const facts = { id, digest, how, draft, session, agent, project, view: fileViews(landing.diff), end };
  if (landing.how === "branch") return { ...facts, ...noMerge, push: landing.push, warnings: [] };
  const { changes, left } = landing.plan.merged;
  const paths = (kind: "merged" | "conflict") => changes.filter((one) => one.how === kind).map(({ path }) => path);
  const merge = { merged: paths("merged"), conflicts: paths("conflict"), left: leftFiles(left) };
  return { ...facts, ...merge, push: null, warnings: landing.warnings };
}

const noMerge = { merged: [], conflicts: [], left: [] };

function leftFiles(left: ReadonlyMap<string, string>): LeftFile[] {
  return [...left].map(([path, why]) => ({ path, why }));
}

function bytesOf(landing: ShownLanding, staged: StagedStore): ReviewedChange["bytes"] {
  if (landing.how === "here") return bytesOfPairs(landing.pairs);
  const asked = askedIn(landing.question);
  return async (side, file) => bytesOfPush(asked, side, file, staged);
}

/** The bytes that the diff was made of. */
export function bytesOfPairs(pairs: readonly FilePair[]): ReviewedChange["bytes"] {
  const known = new Map(pairs.map((pair) => [pair.path, pair]));
  return async (side, { path, id }) => {
    const found = known.get(path)?.[side] ?? null;
    return found === null || found.id !== id || found.unreadBytes !== undefined ? null : found.content;
  };
}
