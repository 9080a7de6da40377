// The order in which many questions are listed: nobody's stand behind all of another's.

import { limits } from "../shared/limits.ts";
import type { QueuedQuestion } from "./shared-store.ts";

/**
 * The oldest first, as they come. Where there are more than a page of them, agents take turns, and within an agent its
 * sessions: the first question of each stands before the second of any.
 */
export function orderFairly(waiting: readonly QueuedQuestion[]): readonly QueuedQuestion[] {
  if (waiting.length <= limits.questionsListed) return waiting;
  const bySession = numbered(waiting, ({ question }) => JSON.stringify([question.action.agent, question.session]));
  const inTurn = bySession.toSorted((one, other) => one.turn - other.turn);
  const byAgent = numbered(inTurn, ({ item }) => item.question.action.agent);
  return byAgent.toSorted((one, other) => one.turn - other.turn).map(({ item }) => item.item);
}

/** Each with how many of its kind stand before it. */
function numbered<T>(items: readonly T[], kindOf: (item: T) => string): { readonly item: T; readonly turn: number }[] {
  const counts = new Map<string, number>();
  return items.map((item) => {
    const kind = kindOf(item);
    const turn = counts.get(kind) ?? 0;
    counts.set(kind, turn + 1);
    return { item, turn };
  });
}
