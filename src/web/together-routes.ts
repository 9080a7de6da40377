// Answers several questions that are alike with one action of the person, each for itself.
// Invariant: an answer counts for a question that was shown whole, by its digest. No push is answered here: its diff is looked at first.

import { Hono } from "hono";
import { z } from "zod";
import type { Answer } from "../approval/approver.ts";
import { groupAlike } from "../approval/queue-list.ts";
import { wantsOf } from "../approval/question.ts";
import type { AnswerService } from "../runtime/answer-service.ts";
import { limits } from "../shared/limits.ts";
import type { Allowance } from "../store/device-kind.ts";
import type { AnswersRequest, AnswersTaken, TogetherView } from "./api-together.ts";
import { limitOn } from "./allowance.ts";
import type { Asker } from "./asker.ts";
import { questionRow } from "./question-view.ts";
import { readBody } from "./read-body.ts";
import { refuseNotFound } from "./refuse.ts";

const answersRequest: z.ZodType<AnswersRequest> = z.strictObject({
  decision: z.enum(["allow", "deny"]),
  reason: z.string().max(2_000).optional(),
  questions: z
    .array(z.strictObject({ id: z.string().max(200), digest: z.string().max(200) }))
    .min(1)
    .max(limits.answeredTogether),
});

export function togetherRoutes(answerService: AnswerService): Hono {
  const routes = new Hono();
  routes.get("/together/:group", async (c) => {
    const waiting = await answerService.listAndWithdrawEnded();
    const group = groupAlike(waiting, "oldest").find(({ id }) => id === c.req.param("group"));
    const [first] = group?.items ?? [];
    if (group === undefined || first === undefined || first.question.action.push !== undefined)
      return refuseNotFound(c, "This group of questions", "They were answered meanwhile, or have expired.");
    const shown = group.items.slice(0, limits.answeredTogether);
    const more = group.items.length - shown.length;
    return c.json<TogetherView>({
      wants: wantsOf(first.question.verdict),
      questions: shown.map((item) => ({
        ...questionRow(item),
        digest: item.question.action.digest,
        text: item.question.text,
      })),
      ...(more === 0 ? {} : { more }),
    });
  });
  return routes.post("/answers", async (c) => {
    const body = await readBody(c, answersRequest);
    if (body instanceof Response) return body;
    return c.json<AnswersTaken>(await answerEach(body, c.get("asker"), answerService));
  });
}

async function answerEach(
  { decision, reason = "", questions }: AnswersRequest,
  { who, device }: Asker,
  answerService: AnswerService,
): Promise<AnswersTaken> {
  const why = reason.trim() === "" ? null : reason.trim();
  const answered: string[] = [];
  const left: { id: string; why: string }[] = [];
  for (const { id, digest } of questions) {
    const answer: Answer = { decision, digest, who, reason: why, scope: "once" };
    const problem = await answerOne(id, answer, device?.allowance ?? "all", answerService);
    if (problem === null) answered.push(id);
    else left.push({ id, why: problem });
  }
  return { answered, left };
}

/** Why the answer does not count; null if it does. */
async function answerOne(
  id: string,
  answer: Answer,
  may: Allowance,
  answerService: AnswerService,
): Promise<string | null> {
  const question = (await answerService.findOrWithdrawEnded(id))?.question;
  if (question === undefined) return "it does not wait any more";
  // SECURITY(T80): the digest is the one that was on the screen.
  if (question.action.digest !== answer.digest) return "it is another question than the one that was shown";
  if (question.action.push !== undefined) return "a push is answered by itself, with its diff";
  const limit = limitOn(may, question, "once");
  if (limit !== null) return limit;
  const settled = await answerService.answer(id, answer);
  return "ok" in settled ? settled.reason : null;
}
