// The order in which many questions are listed: no agent's questions all come after those of another.

import { limits } from "../shared/limits.ts";
import type { QueuedQuestion } from "./shared-store.ts";

/**
 * Oldest first. If there are more than a page of them, agents take turns, and within an agent its sessions: the first
 * question of each comes before the second of any.
 */
export function orderFairly(waiting: readonly QueuedQuestion[]): readonly QueuedQuestion[] {
  if (waiting.length <= limits.questionsListed) return waiting;
  const bySession = numbered(waiting, ({ question }) => JSON.stringify([question.action.agent, question.session]));
  const inTurn = bySession.toSorted((one, other) => one.turn - other.turn);
  const byAgent = numbered(inTurn, ({ item }) => item.question.action.agent);
  return byAgent.toSorted((one, other) => one.turn - other.turn).map(({ item }) => item.item);
}

/** Each item with the number of items of its kind before it. */
function numbered<T>(items: readonly T[], kindOf: (item: T) => string): { readonly item: T; readonly turn: number }[] {
  const counts = new Map<string, number>();
  return items.map((item) => {
    const kind = kindOf(item);
    const turn = counts.get(kind) ?? 0;
    counts.set(kind, turn + 1);
    return { item, turn };
  });
}
