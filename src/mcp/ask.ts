// How a call from an MCP client asks: always through the queue, and beside it through the client where its answer counts.

import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import type { Approver, Question } from "../approval/approver.ts";
import { type Prompt, queueApprover, queueForLater } from "../approval/queue.ts";
import type { AnswerService } from "../runtime/answer-service.ts";
import { answerOfForm, questionForm } from "./form.ts";

/** Shows a form and waits for what comes back. */
export type ShowForm = (form: ElicitRequestFormParams, signal: AbortSignal) => Promise<unknown>;

/** Over a connection on which the server can ask (2025): the form is open while the call waits. */
export function askWhileWaiting(answerService: AnswerService, show: ShowForm, who: string): Approver {
  const prompt: Prompt = {
    async show(question, signal) {
      const form = questionForm(question);
      if (form === null) return;
      const answer = answerOfForm(question, await show(form, signal), who);
      if (answer !== null) await answerService.answer(question.id, answer);
    },
  };
  return queueApprover(answerService.queue, prompt);
}

/**
 * Over one on which it cannot (2026): the question is noted, the call ends, and comes again with the answer. One that
 * came back without an answer, or is too long for a form, waits in the queue as any other.
 */
export function askByReturning(
  answerService: AnswerService,
  asked: (question: Question) => void,
  before: string | null,
): Approver {
  const waiting = queueApprover(answerService.queue);
  const later = queueForLater(answerService.queue, asked);
  return {
    ...waiting,
    ask: (question, signal) =>
      (question.id === before || questionForm(question) === null ? waiting : later).ask(question, signal),
  };
}

/** Tells the caller, again and again, that a person is being waited for: some clients give up on what says nothing. */
export function announced(approver: Approver, tell: (question: Question) => () => void): Approver {
  return {
    ...approver,
    async ask(question, signal) {
      const stop = tell(question);
      try {
        return await approver.ask(question, signal);
      } finally {
        stop();
      }
    },
  };
}
