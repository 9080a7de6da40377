// Lists sessions and what is remembered, and revokes the latter by name.

import { Hono } from "hono";
import type { RecordReader, SessionAnswer, SharedRule, SharedRules } from "../approval/shared-store.ts";
import type { Journal, SessionCount } from "../audit/journal.ts";
import { renderRule } from "../policy/render.ts";
import { revokeRule } from "../runtime/revoke-rule.ts";
import type { RememberedRow, SessionRow, SessionsView } from "./api.ts";
import "./asker.ts";
import { isoTime } from "./question-view.ts";
import { refuseNotFound } from "./refuse.ts";

/** Older sessions are shown only if an answer is still valid in them. */
const SESSIONS_SHOWN = 200;

export interface SessionsContext {
  /** Records what is revoked. */
  readonly journal: Journal;
  readonly rules: SharedRules;
  readonly record: RecordReader;
  /** Whose rules are shown and revoked. */
  readonly project: () => string;
}

export function sessionRoutes({ journal, rules, record, project: ofProject }: SessionsContext): Hono {
  const routes = new Hono();
  routes.get("/sessions", async (c) => {
    const project = ofProject();
    const counted = await record.sessions();
    if (c.req.raw.signal.aborted) return c.body(null); // the server may be ending, with its stores closed
    const answers = await rules.sessionAnswers(null);
    const sessions = counted
      .map((session) => sessionRow(session, answers))
      .filter((row, index) => index < SESSIONS_SHOWN || row.answers.length > 0);
    return c.json<SessionsView>({ sessions, remembered: (await rules.stored(project)).rules.map(storedRow) });
  });
  routes.delete("/remembered/:scope/:id", async (c) => {
    const project = ofProject();
    const { scope, id } = c.req.param();
    const found = (await rules.scopesOf(id, project)).filter((one) => one === scope);
    if (found.length === 0) return refuseNotFound(c, "This rule or answer", "It was taken back meanwhile.");
    await revokeRule(id, found, { rules, journal, project, who: c.get("asker").who });
    return c.body(null, 204);
  });
  return routes;
}

function sessionRow({ name, agent, ...counts }: SessionCount, answers: readonly SessionAnswer[]): SessionRow {
  const own = answers.filter(({ origin }) => origin.session === name && origin.agent === agent);
  return { name, agent: agent ?? "", ...counts, answers: own.map(answerRow) };
}

function answerRow({ id, rule, origin, expiresAt }: SessionAnswer): RememberedRow {
  const { agent, who, at } = origin;
  return {
    id,
    scope: "session",
    decide: rule.decide,
    rule: renderRule(rule),
    agent,
    by: who,
    added: isoTime(at),
    expires: isoTime(expiresAt),
  };
}

function storedRow({ id, scope, text, agent, by, added }: SharedRule): RememberedRow {
  return { id, scope, decide: text.decide, rule: renderRule(text), agent, by, added, expires: null };
}
