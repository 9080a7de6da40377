// What becomes of an answer: whether the call that it is for has it, waits for it, or is gone.
// Invariant: says no more than is known. "The call goes on" is said of an answer that a call has taken, of no other.

import type { SettledAnswer } from "./approver.ts";
import type { QuestionQueue } from "./shared-store.ts";

export type AnswerUse =
  /** A call has it. */
  | { readonly state: "taken" }
  /** A call waits for it, and does not have it yet. */
  | { readonly state: "awaited" }
  /** No call waits; the same call finds it until then, in milliseconds since 1970. */
  | { readonly state: "open"; readonly until: number }
  /** Nothing can pick it up any more. */
  | { readonly state: "over" };

/** How long who has answered is kept waiting for what came of it. */
const TAKES_MS = 2_000;

export async function answerUseOf(queue: QuestionQueue, id: string): Promise<AnswerUse> {
  // In this order: a call takes the answer first and stops waiting then.
  const isAwaited = await queue.isAwaited(id);
  const queued = await queue.find(id);
  if (queued === undefined) return { state: "over" };
  if (queued.isTaken) return { state: "taken" };
  return isAwaited ? { state: "awaited" } : { state: "open", until: queued.expiresAt };
}

/** The same, a moment later where a call waits: it had the time to take it. */
export async function waitForUse(queue: QuestionQueue, id: string, withinMs = TAKES_MS): Promise<AnswerUse> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), withinMs);
  try {
    for (;;) {
      const version = await queue.version();
      const now = await answerUseOf(queue, id);
      if (now.state !== "awaited" || late.signal.aborted) return now;
      await queue.changed(version, late.signal);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** For the person who answered. `when`: a time as they read it. */
export function describeAnswerUse(
  { decision, scope }: Pick<SettledAnswer, "decision" | "scope">,
  pickUp: AnswerUse,
  when: (ms: number) => string,
): string {
  const isYes = decision === "allow";
  switch (pickUp.state) {
    case "taken":
      return isYes ? "The call goes on." : "The agent is told.";
    case "awaited":
      return "A call waits for this answer, but has not picked it up yet.";
    case "open":
      if (scope !== "once")
        return `The call has ended. Made again, it ${isYes ? "goes on without a question" : "is refused"}.`;
      return isYes
        ? `The call has ended, and nothing was done. The same call picks this answer up until ${when(pickUp.until)}.`
        : `The call has ended. The same call is told until ${when(pickUp.until)}.`;
    case "over":
      if (scope === "once" || scope === "session")
        return "Nothing picks this answer up: the session that asked has ended, or the time for it is over.";
      return "The call has ended, and does not go on. What you said holds for later calls.";
  }
}
