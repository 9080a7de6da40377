// Collects what `approve` needs from a session and a call to ask a person.

import type { DiffFile } from "../action/diff-file.ts";
import type { ApprovalContext } from "../approval/approve.ts";
import type { Approver, Question } from "../approval/approver.ts";
import { systemClock } from "../shared/clock.ts";
import type { LiveCall } from "./call-context.ts";
import type { GateSession } from "./gate-session.ts";

/** What is special about one question. */
export interface Asking {
  /** The diff of a push, shown with the question. */
  readonly diff?: readonly DiffFile[] | undefined;
  /** Waits no longer than this for an answer. */
  readonly mostMs?: number | undefined;
  /** Called with the question before it is asked. */
  readonly onAsked?: ((question: Question) => void) | undefined;
}

export function approvalContext(
  { id, endsWithGate, machine, backend, rules, onAsking }: GateSession,
  { record, listener, timeoutMs, claimedBy }: LiveCall,
  approvers: readonly Approver[],
  { diff, mostMs = Infinity, onAsked }: Asking,
): ApprovalContext {
  const { store, config, command } = backend;
  return {
    approvers,
    answers: () => rules.answers(),
    rules: store.rules,
    callId: record.callId,
    session: id.name,
    endsWithGate,
    project: config.project,
    claimedBy,
    command,
    timeoutMs: Math.min(timeoutMs, mostMs),
    signal: listener.signal,
    diff,
    async questionId(digest) {
      onAsking();
      return (await store.queue.waitingId(digest, id)) ?? machine.newId("q-");
    },
    now: () => systemClock.now(),
    record: (question, answer, keptRules) => record.answered(question, answer, keptRules),
    asked(question) {
      onAsked?.(question);
      record.asked(question);
    },
    timedOut: (question) => record.timedOut(question),
    cancelled: (question) => backend.answerService.withdrawCancelled(question),
  };
}
