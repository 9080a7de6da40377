// What asking a person needs of a session and a call.

import { randomUUID } from "node:crypto";
import type { DiffFile } from "../action/diff-file.ts";
import type { ApprovalContext } from "../approval/approve.ts";
import type { Approver } from "../approval/approver.ts";
import { systemClock } from "../shared/clock.ts";
import { storedAnswers } from "./answer-service.ts";
import type { LiveCall } from "./call-context.ts";
import type { GateSession } from "./gate-session.ts";

export function approvalContext(
  { id, endsWithGate, backend, rules }: GateSession,
  { record, listener, timeoutMs }: LiveCall,
  approvers: readonly Approver[],
  diff: readonly DiffFile[] | undefined,
): ApprovalContext {
  const { approvals, config, command } = backend;
  const { remember, forget } = storedAnswers({ approvals, places: config });
  return {
    approvers,
    memory: { answers: () => rules.answers(), remember, forget },
    callId: record.callId,
    session: id.name,
    endsWithGate,
    project: config.project,
    command,
    timeoutMs,
    signal: listener.signal,
    diff,
    questionId: (digest) => approvals.queue.waitingId(digest, id) ?? `q-${randomUUID().slice(0, 8)}`,
    now: () => systemClock.now(),
    record: (question, answer, given) => record.answered(question, answer, given),
    asked: (question) => record.asked(question),
    timedOut: (question) => record.timedOut(question),
  };
}
