// Serves what waits for a person: the questions and the staged commits, each with its files.

import { Hono } from "hono";
import { z } from "zod";
import { effectKinds } from "../action/effect.ts";
import type { Question } from "../approval/approver.ts";
import { facetsOf, fitsFilter, groupAlike, queueSorts } from "../approval/queue-list.ts";
import { wantsOf } from "../approval/question.ts";
import type { QueuedQuestion } from "../approval/shared-store.ts";
import { answerUseOf } from "../approval/answer-use.ts";
import { askedIn } from "../approval/queue.ts";
import { sessionOf, type StagedStore } from "../git/staged.ts";
import type { AnswerService } from "../runtime/answer-service.ts";
import { bytesOfPush } from "../runtime/pushed-bytes.ts";
import { notAskedAbout, stagedIn } from "../runtime/staged-commits.ts";
import { limits } from "../shared/limits.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import { limitOn } from "./allowance.ts";
import { answerRoutes, type RuleReader } from "./answer-routes.ts";
import type { QuestionRow, AlikeGroup, QueueView, QuestionView, StagedView } from "./api.ts";
import { type ReviewedChange, changeRoutes } from "./change-routes.ts";
import { fileViews } from "./file-views.ts";
import { questionRow, questionView, stagedRow, toldView } from "./question-view.ts";
import { readValue } from "./read-body.ts";
import { recent } from "./recent.ts";
import { noQuestion, refuseNotFound } from "./refuse.ts";
import { togetherRoutes } from "./together-routes.ts";

const text = z.string().max(500).optional();
const queueQuery = z.strictObject({
  agent: text,
  client: text,
  session: text,
  severity: z.enum(["low", "medium", "high"]).optional(),
  effect: z.enum(effectKinds).optional(),
  text,
  sort: z.enum(queueSorts).default("fair"),
});

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
    // An empty field does not filter.
    const written = Object.fromEntries(Object.entries(c.req.query()).filter(([, value]) => value !== ""));
    const query = readValue(c, written, queueQuery as z.ZodType<z.output<typeof queueQuery>>);
    if (query instanceof Response) return query;
    const waiting = await answerService.listAndWithdrawEnded();
    const rest = notAskedAbout(source.stagedCommits(), waiting);
    const demo = context.command?.("demo");
    return c.json<QueueView>({
      ...listedQuestions(waiting, query),
      waiting: waiting.length,
      facets: facetsOf(waiting),
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
    const view = questionView(queued, await answerUseOf(answerService.queue, id), also, home);
    const told = (await answerService.queue.notices.sentFor(id)).map(toldView);
    const may = c.get("asker").device?.allowance ?? "all";
    const limit = limitOn(may, queued.question, "once");
    return c.json<QuestionView>({
      ...view,
      offers: view.offers.filter((offer) => limitOn(may, queued.question, offer.scope) === null),
      ...(limit === null ? {} : { limit }),
      ...(told.length === 0 ? {} : { told }),
    });
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
    .route("/", togetherRoutes(answerService))
    .route("/questions", changeRoutes(pushes))
    .route("/questions", answerRoutes(answerService, readRule))
    .route("/staged", changeRoutes(commits));
}

interface ListedQuestions {
  readonly questions: readonly QuestionRow[];
  readonly groups: readonly AlikeGroup[];
  readonly more?: number;
}

/** As many as a page has room for: of each group those that `firstRows` names, and then others in the order of the groups. */
function listedQuestions(
  waiting: readonly QueuedQuestion[],
  { sort, ...filter }: z.output<typeof queueQuery>,
): ListedQuestions {
  const fitting = waiting.filter((item) => fitsFilter(item, filter));
  const alike = groupAlike(fitting, sort);
  const inOrder = new Set([...alike.flatMap(({ items }) => firstRows(items)), ...alike.flatMap(({ items }) => items)]);
  const listed = new Set([...inOrder].slice(0, limits.questionsListed));
  const groups: AlikeGroup[] = [];
  const questions = alike.flatMap(({ id, items }) => {
    const rows = items.filter((item) => listed.has(item)).map(questionRow);
    const [one] = items;
    if (rows.length === 0 || items.length === 1 || one === undefined) return rows;
    groups.push({ id, count: items.length, wants: wantsOf(one.question.verdict) });
    return rows.map((row) => ({ ...row, group: id }));
  });
  const more = fitting.length - questions.length;
  return { questions, groups, ...(more === 0 ? {} : { more }) };
}

/** SECURITY(T39): alike or not, the first question of every session has a row before the fourth of another one has. */
function firstRows(items: readonly QueuedQuestion[]): readonly QueuedQuestion[] {
  const sessions = new Set<string>();
  return items.filter(({ question: { session } }, at) => {
    const isFirst = !sessions.has(session);
    sessions.add(session);
    return isFirst || at < limits.alikeShown;
  });
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
