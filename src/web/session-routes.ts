// Sessions, and what is remembered: listed, and taken back by name.

import { Hono } from "hono";
import type { SessionCount } from "../audit/journal.ts";
import { loadRuleFiles, type StoredRule } from "../config/rule-files.ts";
import { renderRule } from "../policy/render.ts";
import { scopesOfRule, revokeRule } from "../runtime/revoke-rule.ts";
import type { SessionAnswer } from "../store/session-answers.ts";
import type { RememberedRow, SessionRow, SessionsView } from "./api.ts";
import type { PageContext } from "./page-context.ts";
import { isoTime } from "./question-view.ts";
import { refuseNotFound } from "./refuse.ts";

/** Older ones only where an answer still holds in them. */
const SESSIONS_SHOWN = 200;

export function sessionRoutes(context: PageContext): Hono {
  const { journal, sessionAnswers, directories, who } = context;
  const routes = new Hono();
  routes.get("/sessions", async (c) => {
    await journal.count();
    if (c.req.raw.signal.aborted) return c.body(null); // the server may be ending, its stores closed
    const answers = sessionAnswers.list(null);
    const sessions = journal
      .sessions()
      .map((session) => sessionRow(session, answers))
      .filter((row, index) => index < SESSIONS_SHOWN || row.answers.length > 0);
    return c.json<SessionsView>({ sessions, remembered: loadRuleFiles(directories).stored.map(storedRow) });
  });
  routes.delete("/remembered/:scope/:id", (c) => {
    const { scope, id } = c.req.param();
    const here = { places: directories, sessionAnswers };
    const found = scopesOfRule(id, here).filter((one) => one === scope);
    if (found.length === 0) return refuseNotFound(c, "This rule or answer", "It was taken back meanwhile.");
    revokeRule(id, found, who, journal, here);
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

function storedRow({ id, scope, text, agent, by, added }: StoredRule): RememberedRow {
  return { id, scope, decide: text.decide, rule: renderRule(text), agent, by, added, expires: null };
}
