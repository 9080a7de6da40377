// The questions that are alike, on one page, and one answer to several of them.

import { Hono } from "hono";
import { z } from "zod";
import { togetherOf } from "../approval/queue-list.ts";
import type { AnswerService } from "../runtime/answer-service.ts";
import { answerTogether } from "../runtime/answer-together.ts";
import { limits } from "../shared/limits.ts";
import type { AnswersRequest, AnswersTaken, TogetherView } from "./api-together.ts";
import { limitOn } from "./allowance.ts";
import "./asker.ts";
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
    const group = togetherOf(await answerService.listAndWithdrawEnded(), c.req.param("group"));
    if (group === null)
      return refuseNotFound(c, "This group of questions", "They were answered meanwhile, or have expired.");
    const { wants, items, more } = group;
    return c.json<TogetherView>({
      wants,
      questions: items.map((item) => ({
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
    const { who, device } = c.get("asker");
    const reason = body.reason?.trim() ?? "";
    const { answered, left } = await answerTogether(
      { ...body, who, reason: reason === "" ? null : reason },
      answerService,
      (question) => limitOn(device?.allowance ?? "all", question, "once"),
    );
    return c.json<AnswersTaken>({ answered: answered.map(({ question }) => question), left });
  });
}
