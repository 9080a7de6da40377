// Checks a landing before anything is sent: it must be one commit, directly on the base that `readState` saw.

import { type CommitParts, parseCommit } from "./commit-parts.ts";
import type { Landing } from "./target.ts";

/** What is wrong with the landing, or null. A wrong landing is a bug in the gate, so callers throw. */
export function checkLanding(landing: Landing): string | null {
  const parts = landedCommit(landing);
  if (parts === null) return "a landing must hold its own commit";
  const { baseCommit, oldCommit } = landing.state;
  const expected = baseCommit === null ? [] : [baseCommit];
  if (parts.parents.join() !== expected.join()) return "the parent of a landed commit must be what it was built on";
  if (oldCommit !== null && oldCommit !== baseCommit) return "a branch that is there is itself what a commit builds on";
  return null;
}

export function landedCommit({ commit, objects }: Landing): CommitParts | null {
  const object = objects.find(({ id, type }) => id === commit && type === "commit");
  return object === undefined ? null : parseCommit(object.content);
}
