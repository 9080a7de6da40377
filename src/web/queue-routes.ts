// Serves what waits for a person: the questions and the staged commits, each with its files.

import { Hono } from "hono";
import type { Question } from "../approval/approver.ts";
import { orderFairly } from "../approval/fair-order.ts";
import { answerUseOf } from "../approval/answer-use.ts";
import { askedIn } from "../approval/queue.ts";
import { sessionOf, type StagedStore } from "../git/staged.ts";
import type { AnswerService } from "../runtime/answer-service.ts";
import { bytesOfPush } from "../runtime/pushed-bytes.ts";
import { notAskedAbout, stagedIn } from "../runtime/staged-commits.ts";
import { limits } from "../shared/limits.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import { answerRoutes, type RuleReader } from "./answer-routes.ts";
import type { QueueView, QuestionView, StagedView } from "./api.ts";
import { type ReviewedChange, changeRoutes } from "./change-routes.ts";
import { fileViews } from "./file-views.ts";
import { questionRow, questionView, stagedRow } from "./question-view.ts";
import { recent } from "./recent.ts";
import { noQuestion, refuseNotFound } from "./refuse.ts";

/** Some changes are kept, because diffs are long and a page requests their files one by one. */
const CHANGES_KEPT = 4;

export interface QueueContext {
  readonly answerService: AnswerService;
  readonly staged: StagedStore;
  /** The command with which a person starts this program. */
  readonly command?: OwnCommand;
  readonly directories?: { readonly home: string };
}

export function queueRoutes(context: QueueContext, readRule: RuleReader): Hono {
  const { answerService, staged } = context;
  const source = stagedIn(staged);
  const pushes = recent(CHANGES_KEPT, (id) => pushChange(id, context));
  const commits = recent(CHANGES_KEPT, async (id): Promise<ReviewedChange | undefined> => {
    const commit = source.stagedCommits().find((one) => one.id === id);
    if (commit === undefined) return undefined;
    return { files: await source.stagedDiff(id), bytes: async (_, file) => staged.content(file.id, sessionOf(commit)) };
  });
  const routes = new Hono();
  routes.get("/queue", async (c) => {
    const waiting = await answerService.listAndWithdrawEnded();
    const rest = notAskedAbout(source.stagedCommits(), waiting);
    const demo = context.command?.("demo");
    const shown = orderFairly(waiting).slice(0, limits.questionsListed);
    return c.json<QueueView>({
      questions: shown.map(questionRow),
      ...(shown.length === waiting.length ? {} : { more: waiting.length - shown.length }),
      staged: rest.map(stagedRow),
      ...(demo === undefined ? {} : { demo }),
    });
  });
  routes.get("/questions/:id", async (c) => {
    const id = c.req.param("id");
    const queued = await answerService.findOrWithdrawEnded(id);
    if (queued === undefined) return noQuestion(c);
    const home = context.directories?.home ?? "/";
    const also = queued.answer === null ? await alsoByOffer(queued.question, answerService) : [];
    return c.json<QuestionView>(questionView(queued, await answerUseOf(answerService.queue, id), also, home));
  });
  routes.get("/staged/:id", async (c) => {
    const id = c.req.param("id");
    const commit = source.stagedCommits().find((one) => one.id === id);
    const change = commit === undefined ? undefined : await commits(id);
    if (commit === undefined || change === undefined)
      return refuseNotFound(c, "This commit", "It was pushed or discarded meanwhile.");
    return c.json<StagedView>({ ...stagedRow(commit), view: fileViews(change.files) });
  });
  return routes
    .route("/questions", changeRoutes(pushes))
    .route("/questions", answerRoutes(answerService, readRule))
    .route("/staged", changeRoutes(commits));
}

/** How many other questions each offer would answer as well. */
async function alsoByOffer(question: Question, answerService: AnswerService): Promise<readonly number[]> {
  const find = await answerService.alsoAnswers(question);
  return await Promise.all(
    question.offers.map(async ({ decision, scope, rules }) =>
      scope === "once" ? 0 : (await find({ decision, scope, rules })).length,
    ),
  );
}

async function pushChange(id: string, { answerService, staged }: QueueContext): Promise<ReviewedChange | undefined> {
  const question = (await answerService.findOrWithdrawEnded(id))?.question;
  if (question?.diff === undefined) return undefined;
  const { diff } = question;
  return { files: diff, bytes: async (side, file) => bytesOfPush(askedIn(question), side, file, staged) };
}
