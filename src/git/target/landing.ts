// Checks a landing before anything is sent: a chain of commits, directly on the base that `readState` saw.

import type { ObjectId } from "../publish/object.ts";
import { type CommitParts, parseCommit } from "./commit-parts.ts";
import type { Landing } from "./target.ts";

/** What is wrong with the landing, or null. A wrong landing is a bug in the gate, so callers throw. */
export function checkLanding(landing: Landing): string | null {
  const { state, steps, commit } = landing;
  if (steps.at(-1)?.commit !== commit) return "a landing must end with its own commit";
  let parent = state.baseCommit;
  for (const step of steps) {
    const parts = commitIn(landing, step.commit);
    if (parts === null) return "a landing must hold its own commits";
    const expected = parent === null ? [] : [parent];
    if (parts.parents.join() !== expected.join()) return "the parent of a landed commit must be what it was built on";
    parent = step.commit;
  }
  if (state.oldCommit !== null && state.oldCommit !== state.baseCommit)
    return "a branch that is there is itself what a commit builds on";
  return null;
}

/** The last commit. */
export function landedCommit(landing: Landing): CommitParts | null {
  return commitIn(landing, landing.commit);
}

export function commitIn({ objects }: Landing, commit: ObjectId): CommitParts | null {
  const object = objects.find(({ id, type }) => id === commit && type === "commit");
  return object === undefined ? null : parseCommit(object.content);
}
