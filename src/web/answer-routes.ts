// Takes a person's answer from the page. It goes through the answer service, as every answer does.
// Invariant: an answer to something other than what was shown, or one that was not offered, is refused here and leaves the
// question open.

import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Answer, Question } from "../approval/approver.ts";
import { checkEdited, type Offer, scopes } from "../approval/offer.ts";
import { questionTitle } from "../approval/question.ts";
import { waitForUse } from "../approval/answer-use.ts";
import type { RuleText } from "../policy/rule.ts";
import { reviewReason } from "../approval/review-comments.ts";
import type { AnswerService } from "../runtime/answer-service.ts";
import { limits } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { AlsoRequest, AlsoRow, AlsoView, AnswerTaken, AnswerRequest } from "./api.ts";
import { limitOn } from "./allowance.ts";
import "./asker.ts";
import { readBody } from "./read-body.ts";
import { noQuestion, refuse } from "./refuse.ts";

const answerRequest = z.strictObject({
  decision: z.enum(["allow", "deny"]),
  scope: z.enum(scopes),
  digest: z.string().max(200),
  reason: z.string().max(2_000).optional(),
  comments: z
    .array(
      z.strictObject({
        path: z.string().max(10_000),
        side: z.enum(["before", "after"]),
        line: z.number().int().min(1).max(1_000_000_000),
        text: z.string().min(1).max(1_000),
      }),
    )
    .max(limits.reviewComments)
    .optional(),
  rules: z.array(z.string().max(20_000)).max(200).optional(),
  answersOthers: z.boolean().optional(),
});

const alsoRequest: z.ZodType<AlsoRequest> = z.strictObject({
  decision: z.enum(["allow", "deny"]),
  scope: z.enum(scopes),
  rules: z.array(z.string().max(20_000)).max(200),
});

/** Reads one rule as a person has edited it. */
export type RuleReader = (line: string, question: Question) => Result<RuleText>;

export function answerRoutes(answerService: AnswerService, readRule: RuleReader): Hono {
  const routes = new Hono();
  routes.post("/:id/also", async (c) => {
    const body = await readBody(c, alsoRequest);
    if (body instanceof Response) return body;
    const queued = await answerService.findOrWithdrawEnded(c.req.param("id"));
    if (queued === undefined || queued.answer !== null) return noQuestion(c);
    return c.json<AlsoView>(await alsoView(queued.question, body, answerService, readRule));
  });
  return routes.post("/:id/answer", async (c) => {
    const body = await readBody(c, answerRequest);
    if (body instanceof Response) return body;
    const id = c.req.param("id");
    const queued = await answerService.findOrWithdrawEnded(id);
    if (queued === undefined) return noQuestion(c);
    const { question } = queued;
    if (body.digest !== question.action.digest)
      return refuse(c, 409, "changed", "The answer is for something else than this question.", "Read it once more.");
    const offer = question.offers.find(({ decision, scope }) => decision === body.decision && scope === body.scope);
    if (offer === undefined)
      return refuse(
        c,
        400,
        "invalid_args",
        `scope: ${body.decision} ${body.scope} is not offered here.`,
        offered(question),
      );
    const limit = limitOn(c.get("asker").device?.allowance ?? "all", question, offer.scope);
    if (limit !== null) return refuse(c, 403, "forbidden", limit);
    const rules = editedRules(body.rules, question, offer, readRule);
    if (!rules.ok) return refuse(c, 400, "invalid_args", rules.failure.message, rules.failure.hint);
    const { reason = "", comments = [] } = body;
    if (comments.length > 0 && body.decision !== "deny")
      return refuse(c, 400, "invalid_args", "comments: they go with a no.");
    const why = reviewReason(reason, comments, question.diff ?? []);
    if (!why.ok) return refuse(c, 400, "invalid_args", why.failure.message);
    return await give(c, id, answerOf(body, why.value, c.get("asker").who, rules.value), answerService);
  });
}

const ALSO_LISTED = 5;
const ALSO_CHARACTERS = 300;

async function alsoView(
  question: Question,
  { decision, scope, rules: lines }: AlsoRequest,
  answerService: AnswerService,
  readRule: RuleReader,
): Promise<AlsoView> {
  const offer = question.offers.find((one) => one.decision === decision && one.scope === scope);
  if (offer === undefined || scope === "once") return { count: 0, questions: [] };
  const rules = editedRules(lines, question, offer, readRule);
  if (!rules.ok) return { count: 0, questions: [], problem: rules.failure.message };
  const find = await answerService.alsoAnswers(question);
  const others = await find({ decision, scope, rules: rules.value ?? offer.rules });
  const questions = others.slice(0, ALSO_LISTED).map((other): AlsoRow => ({
    id: other.id,
    title: questionTitle(other, ALSO_CHARACTERS),
    session: other.session,
  }));
  return { count: others.length, questions };
}

async function give(c: Context, id: string, answer: Answer, answerService: AnswerService): Promise<Response> {
  const settled = await answerService.answer(id, answer);
  if ("ok" in settled) return refuse(c, 409, "conflict", `Your answer does not count: ${settled.reason}.`);
  const { decision, scope, note, also = [] } = settled;
  const others = also.length === 0 ? {} : { also: also.length };
  return c.json<AnswerTaken>({ decision, scope, note, ...others, pickUp: await waitForUse(answerService.queue, id) });
}

function answerOf(
  { decision, scope, digest, answersOthers = false }: AnswerRequest,
  reason: string | null,
  who: string,
  rules: readonly RuleText[] | undefined,
): Answer {
  return { decision, scope, digest, who, reason, answersOthers, ...(rules === undefined ? {} : { rules }) };
}

function offered({ offers }: Question): string {
  return `Offered are ${offers.map(({ decision, scope }) => `${decision} ${scope}`).join(", ")}.`;
}

/** Undefined if the rules are as offered. */
function editedRules(
  lines: readonly string[] | undefined,
  question: Question,
  offer: Offer,
  readRule: RuleReader,
): Result<readonly RuleText[] | undefined> {
  if (lines === undefined) return ok(undefined);
  if (offer.rules.length === 0) return fail("invalid_args", "rules: this answer keeps none.");
  const rules: RuleText[] = [];
  for (const line of lines.filter((text) => text.trim() !== "")) {
    const read = readRule(line, question);
    if (!read.ok) return fail("invalid_args", `rules: ${read.failure.message}`, { hint: read.failure.hint });
    rules.push(read.value);
  }
  return checkEdited(offer, rules, question.verdict);
}
