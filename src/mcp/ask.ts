// Asks about a call from an MCP client: always through the queue, and also through the client if its answer counts.

import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import type { Approver, Question } from "../approval/approver.ts";
import { type Prompt, queueApprover, queueForLater } from "../approval/queue.ts";
import type { AnswerService } from "../runtime/answer-service.ts";
import { answerOfForm, questionForm } from "./form.ts";

/** Shows a form and waits for the response. */
export type ShowForm = (form: ElicitRequestFormParams, signal: AbortSignal) => Promise<unknown>;

/** For a connection on which the server can ask (2025): the form is open while the call waits. */
export function askWhileWaiting(answerService: AnswerService, show: ShowForm, who: string): Approver {
  const prompt: Prompt = {
    async show(question, signal) {
      const form = questionForm(question);
      if (form === null) return;
      const answer = answerOfForm(question, await show(form, signal), who);
      if (answer !== null) await answerService.answer(question.id, answer);
    },
  };
  return queueApprover(() => answerService.queue, prompt);
}

/**
 * For a connection on which the server cannot ask (2026): it notes the question and ends the call, and the client sends the
 * call again with the answer. A question that came back without an answer, or is too long for a form, waits in the queue like
 * any other.
 */
export function askByReturning(
  answerService: AnswerService,
  asked: (question: Question) => void,
  before: string | null,
): Approver {
  const waiting = queueApprover(() => answerService.queue);
  const later = queueForLater(() => answerService.queue, asked);
  return {
    ...waiting,
    ask: (question, signal) => (isWaiting(question, before) ? waiting : later).ask(question, signal),
  };
}

/** A program holds a connection while its host is asked about, so the call cannot end for that. */
function isWaiting(question: Question, before: string | null): boolean {
  const isConnection = question.action.operation?.name === "connect";
  return isConnection || question.id === before || questionForm(question) === null;
}

/** Tells the client repeatedly that the call waits for a person, because some clients give up on a silent call. */
export function announced(approver: Approver, announce: (question: Question) => () => void): Approver {
  return {
    ...approver,
    async ask(question, signal) {
      const stop = announce(question);
      try {
        return await approver.ask(question, signal);
      } finally {
        stop();
      }
    },
  };
}
