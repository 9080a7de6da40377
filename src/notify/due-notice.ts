// When a channel is due, and which questions its next notice is about.

import type { ChannelState } from "../approval/notices.ts";
import { severityRanks } from "../approval/severity.ts";
import type { QueuedQuestion } from "../approval/shared-store.ts";
import type { NoticeWay } from "./channel.ts";
import { firstLoudTime } from "./quiet-hours.ts";

export type DueNotice =
  /** Nothing waits that this channel has not told. */
  | { readonly kind: "nothing" }
  | { readonly kind: "later"; readonly at: number }
  | { readonly kind: "now"; readonly questions: readonly QueuedQuestion[] };

/**
 * The oldest question decides when. The notice is about all that wait then, so that many questions at once are one notice, and those
 * that come before the next one is allowed are one more.
 */
export function dueNotice(
  waiting: readonly QueuedQuestion[],
  { afterMs, everyMs, quiet, atLeast }: NoticeWay,
  { told, sentAt, notBefore }: ChannelState,
  now: number,
): DueNotice {
  const untold = waiting.filter(
    ({ question }) => !told.has(question.id) && severityRanks[question.severity] >= severityRanks[atLeast],
  );
  if (untold.length === 0) return { kind: "nothing" };
  const first = Math.min(...untold.map(({ question }) => question.askedAt)) + afterMs;
  const at = firstLoudTime(quiet, Math.max(first, now, (sentAt ?? -Infinity) + everyMs, notBefore));
  return at > now ? { kind: "later", at } : { kind: "now", questions: untold };
}
