// Questions and changes in the format of the page. An agent's text stays unchanged: the page shows it through the display function.

import { describeEffect } from "../action/effect.ts";
import type { Question, SettledAnswer } from "../approval/approver.ts";
import type { SentNotice } from "../approval/notices.ts";
import { opensOf } from "../approval/answer-meaning.ts";
import { askedFindings, type Offer } from "../approval/offer.ts";
import { type ReadyScope, readyScopes } from "../approval/ready-scopes.ts";
import type { AnswerUse } from "../approval/answer-use.ts";
import { claimNotes, questionTitle, wantsOf } from "../approval/question.ts";
import type { QueuedQuestion } from "../approval/shared-store.ts";
import { editableRule } from "../policy/render.ts";
import type { StagedCommitView } from "../runtime/staged-commits.ts";
import { displayText } from "../shared/display.ts";
import type { OfferView, QuestionRow, QuestionView, StagedRow, ToldView, WidthView } from "./api.ts";
import { fileViews } from "./file-views.ts";

/** The limit for a list. The question itself has its complete title. */
const ROW_CHARACTERS = 1_000;

export function questionRow({ question, expiresAt, isAwaited }: QueuedQuestion): QuestionRow {
  const { id, askedAt, session, project, severity, action } = question;
  const { push } = action;
  return {
    id,
    asked: isoTime(askedAt),
    expires: isoTime(expiresAt),
    agent: action.agent,
    session,
    sessionName: displayText(question.sessionName ?? session, { maxLength: 200 }),
    awaited: isAwaited,
    project,
    tool: action.tool,
    severity,
    title: displayText(questionTitle(question, ROW_CHARACTERS), { maxLength: ROW_CHARACTERS }),
    ...(action.steps.length === 0 ? {} : { wants: wantsOf(question.verdict) }),
    push:
      push === undefined
        ? null
        : {
            place: push.place,
            branch: push.branch,
            isNewBranch: push.isNewBranch,
            isProtected: push.isProtected,
            files: push.files.length,
            message: push.message,
          },
    ...(question.claimedBy === undefined ? {} : { client: displayText(question.claimedBy, { maxLength: 100 }) }),
  };
}

/** `pickUp`: what has happened to the answer, if there is one. `also`: how many other questions each offer answers. */
export function questionView(
  queued: QueuedQuestion,
  pickUp: AnswerUse,
  also: readonly number[] = [],
  home = "/",
): QuestionView {
  const { question, answer } = queued;
  return {
    ...questionRow(queued),
    title: questionTitle(question),
    digest: question.action.digest,
    text: question.text,
    because: becauseOf(question),
    offers: question.offers.map((offer, index) => offerView(offer, question, also[index] ?? 0, home)),
    action: question.action.push ?? null,
    files: fileViews(question.diff ?? []),
    answered: answer === null ? null : answeredView(answer, pickUp),
  };
}

function offerView(offer: Offer, { verdict }: Question, also: number, home: string): OfferView {
  const { decision, scope, meaning, rules, sets } = offer;
  const widths = scope === "project" || scope === "everywhere" ? readyScopes(offer, verdict, home) : [];
  return {
    decision,
    scope,
    meaning,
    rules: rules.map(editableRule),
    opens: opensOf(rules),
    ...(sets === undefined ? {} : { sets }),
    ...(also === 0 ? {} : { also }),
    ...(widths.length < 2 ? {} : { widths: widths.map(widthView) }),
  };
}

export function toldView({ name, at, problem }: SentNotice): ToldView {
  return { name, at: isoTime(at), ...(problem === null ? {} : { problem }) };
}

function widthView({ width, rules }: ReadyScope): WidthView {
  return { width, rules: rules.map(editableRule), opens: opensOf(rules) };
}

function answeredView(
  { decision, who, scope, with: other }: SettledAnswer,
  pickUp: AnswerUse,
): NonNullable<QuestionView["answered"]> {
  return { decision, who, scope, ...(other === undefined ? {} : { with: other }), pickUp };
}

function becauseOf({ verdict, claimedBy }: Question): readonly string[] {
  const asked = askedFindings(verdict).map(({ effect, because }) => `${describeEffect(effect)}: ${because}`);
  return [...new Set([...asked, ...claimNotes(claimedBy)])];
}

export function stagedRow({ id, session, agent, createdAt, message, files }: StagedCommitView): StagedRow {
  return { id, session, agent, created: isoTime(createdAt), message, files: files.length };
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
