// What happens to an answer: its call has taken it, waits for it, or is gone.
// Invariant: the text says only what is known. It says "The call goes on" only if a call has taken the answer.

import type { SettledAnswer } from "./approver.ts";
import type { QuestionQueue } from "./shared-store.ts";

export type AnswerUse =
  /** A call has taken the answer. The record has what came of it. */
  | { readonly state: "taken"; readonly call: string | null }
  /** A call waits for the answer and has not taken it yet. */
  | { readonly state: "awaited" }
  /** No call waits. The same call finds the answer until then, in milliseconds since 1970. */
  | { readonly state: "open"; readonly until: number }
  /** No call can take the answer any more. */
  | { readonly state: "over" };

/** How long the gate waits for the call to take the answer, before it tells the person. */
const TAKES_MS = 2_000;

export async function answerUseOf(queue: QuestionQueue, id: string): Promise<AnswerUse> {
  // The order matters: a call first takes the answer and then stops waiting.
  const isAwaited = await queue.isAwaited(id);
  const queued = await queue.find(id);
  if (queued === undefined) return { state: "over" };
  if (queued.isTaken) return { state: "taken", call: queued.takenBy ?? null };
  return isAwaited ? { state: "awaited" } : { state: "open", until: queued.expiresAt };
}

/** The same as `answerUseOf`. If a call waits, it first gets time to take the answer. */
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

/** The text for the person who answered. `when` formats a time for them. */
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
