// Collects what `approve` needs from a session and a call to ask a person.

import type { DiffFile } from "../action/diff-file.ts";
import type { ApprovalContext } from "../approval/approve.ts";
import type { Approver } from "../approval/approver.ts";
import { systemClock } from "../shared/clock.ts";
import type { LiveCall } from "./call-context.ts";
import type { GateSession } from "./gate-session.ts";

export function approvalContext(
  { id, endsWithGate, machine, backend, rules, onAsking }: GateSession,
  { record, listener, timeoutMs }: LiveCall,
  approvers: readonly Approver[],
  diff: readonly DiffFile[] | undefined,
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
    command,
    timeoutMs,
    signal: listener.signal,
    diff,
    async questionId(digest) {
      onAsking();
      return (await store.queue.waitingId(digest, id)) ?? machine.newId("q-");
    },
    now: () => systemClock.now(),
    record: (question, answer, keptRules) => record.answered(question, answer, keptRules),
    asked: (question) => record.asked(question),
    timedOut: (question) => record.timedOut(question),
  };
}
