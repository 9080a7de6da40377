// Answers several questions with one action of a person, each for itself. The page and `review` answer them here.
// Invariant: an answer counts for a question that was shown whole, by its digest. No push is answered here: its diff is looked at first.

import type { Answer, Question } from "../approval/approver.ts";
import type { AnswerService, GivenAnswer } from "./answer-service.ts";

/** One answer, once, to each of these questions as they were shown. */
export interface TogetherAnswer {
  readonly decision: Answer["decision"];
  readonly who: string;
  readonly reason: string | null;
  readonly questions: readonly { readonly id: string; readonly digest: string }[];
}

export interface TogetherGiven {
  readonly answered: readonly GivenAnswer[];
  /** Those whose answer does not count, and why. */
  readonly left: readonly { readonly id: string; readonly why: string }[];
}

/** `limitOn`: why this person may not answer a question. Null if they may. */
export async function answerTogether(
  { questions, ...given }: TogetherAnswer,
  answerService: AnswerService,
  limitOn: (question: Question) => string | null = () => null,
): Promise<TogetherGiven> {
  const answered: GivenAnswer[] = [];
  const left: { id: string; why: string }[] = [];
  for (const { id, digest } of questions) {
    const one = await answerOne(id, { ...given, digest, scope: "once" }, answerService, limitOn);
    if (typeof one === "string") left.push({ id, why: one });
    else answered.push(one);
  }
  return { answered, left };
}

/** Why the answer does not count, if it does not. */
async function answerOne(
  id: string,
  answer: Answer,
  answerService: AnswerService,
  limitOn: (question: Question) => string | null,
): Promise<GivenAnswer | string> {
  const question = (await answerService.findOrWithdrawEnded(id))?.question;
  if (question === undefined) return "it does not wait any more";
  // SECURITY(T80): the digest is the one that was on the screen.
  if (question.action.digest !== answer.digest) return "it is another question than the one that was shown";
  if (question.action.push !== undefined) return "a push is answered by itself, with its diff";
  const limit = limitOn(question);
  if (limit !== null) return limit;
  const settled = await answerService.answer(id, answer);
  return "ok" in settled ? settled.reason : settled;
}
