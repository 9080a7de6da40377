// A notice: what a person is told when questions wait.
// Invariant: without `content` a notice has nothing that an agent wrote. Its title never has. Everything is safe to display.

import type { Question, Severity } from "../approval/approver.ts";
import type { QueuedQuestion } from "../approval/shared-store.ts";
import { mostSevere } from "../approval/severity.ts";
import { displayText } from "../shared/display.ts";
import type { Hash } from "../shared/hash.ts";
import { limits } from "../shared/limits.ts";
import type { NoticeWay } from "./channel.ts";

export interface Notice {
  /** The same if the same notice is sent again, because its sender was ended before it could say that it went. */
  readonly id: string;
  /** ISO time. */
  readonly sent: string;
  /** ASCII alone. */
  readonly title: string;
  readonly text: string;
  /** Where to answer: a page of this machine; null if none is open. */
  readonly url: string | null;
  readonly count: number;
  /** The gravest of the questions. */
  readonly severity: Severity;
  /** The first ones. */
  readonly questions: readonly NoticeQuestion[];
}

export interface NoticeQuestion {
  readonly id: string;
  readonly asked: string;
  readonly severity: Severity;
  /** Only with `content`. */
  readonly agent?: string;
  readonly session?: string;
  readonly project?: string;
  readonly tool?: string;
  readonly title?: string;
}

export interface NoticeContext {
  /** The page where questions are answered; null if none is open. */
  readonly page: string | null;
  /** One line of what is asked, without secrets. */
  readonly titleOf: (question: Question) => string;
  readonly hash: Hash;
  readonly now: number;
}

export function composeNotice(
  waiting: readonly QueuedQuestion[],
  { key, content }: NoticeWay,
  { page, titleOf, hash, now }: NoticeContext,
): Notice {
  const all = waiting.map(({ question }) => question);
  const severity = mostSevere(all.map((question) => question.severity));
  const [first] = all;
  // SECURITY(T68): what is asked goes to others only if the person has asked for that.
  const shown = all
    .slice(0, limits.noticeQuestions)
    .map((question) => (content ? withContent(question, titleOf) : bare(question)));
  const url = page === null ? null : `${page}/#/${all.length === 1 ? `q/${first?.id ?? ""}` : ""}`;
  const title = `${all.length === 1 ? "1 question waits" : `${all.length} questions wait`} (${severity} risk)`;
  const where = url === null ? "Answer with: sallyport review" : `Answer at ${url}, or with: sallyport review`;
  const more = all.length - shown.length;
  const lines = content ? [...shown.map(lineOf), ...(more > 0 ? [`and ${more} more`] : [])] : [];
  return {
    id: `n-${hash(JSON.stringify([key, all.map(({ id }) => id).toSorted()])).slice(0, 24)}`,
    sent: new Date(now).toISOString(),
    title,
    text: [...lines, where].join("\n"),
    url,
    count: all.length,
    severity,
    questions: shown,
  };
}

/** To see whether a channel works. */
export function trialNotice({ key }: NoticeWay, now: number): Notice {
  return {
    id: `n-trial-${key.slice(0, 8)}-${now}`,
    sent: new Date(now).toISOString(),
    title: "This is a trial",
    text: "Nothing waits for you. Sallyport can reach you this way.",
    url: null,
    count: 0,
    severity: "low",
    questions: [],
  };
}

function bare({ id, askedAt, severity }: Question): NoticeQuestion {
  return { id, asked: new Date(askedAt).toISOString(), severity };
}

/** SECURITY(T69): the agent wrote some of this, so that it is cut and made safe to display before it goes anywhere. */
function withContent(question: Question, titleOf: NoticeContext["titleOf"]): NoticeQuestion {
  const { session, project, action } = question;
  const safe = (text: string, maxLength: number) => displayText(text, { maxLength });
  return {
    ...bare(question),
    agent: safe(action.agent, 80),
    session: safe(session, 80),
    project: safe(project, 200),
    tool: safe(action.tool, 80),
    title: safe(titleOf(question), limits.noticeTitleCharacters),
  };
}

function lineOf({ severity, agent = "", tool = "", title = "" }: NoticeQuestion): string {
  return `${severity}: ${agent} asks, ${tool}: ${title}`;
}
