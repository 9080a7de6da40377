// Yeses for a session: kept beside the questions they answered, listed and taken back by name.

import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { AnswerOrigin } from "../approval/memory.ts";
import { sessionHours } from "../approval/offer.ts";
import { compileRule, type Rule, type RuleText } from "../policy/rule.ts";
import type { Clock } from "../shared/clock.ts";
import { canonicalJson, type Json } from "../shared/json.ts";

export const sessionAnswersTable = `
  CREATE TABLE IF NOT EXISTS answers (
    id TEXT NOT NULL, session TEXT NOT NULL, agent TEXT NOT NULL, rule TEXT NOT NULL, origin TEXT NOT NULL,
    expires_at INTEGER NOT NULL, PRIMARY KEY (session, id)
  ) STRICT, WITHOUT ROWID;
`;

export interface SessionAnswer {
  readonly id: string;
  readonly rule: RuleText;
  readonly origin: AnswerOrigin;
  readonly expiresAt: number;
}

export interface SessionAnswers {
  add(rules: readonly RuleText[], origin: AnswerOrigin): readonly string[];
  /** Those of one session and agent that hold now, ready to be matched. */
  rules(session: string, agent: string): readonly Rule[];
  /** null: of every session. */
  list(session: string | null): readonly SessionAnswer[];
  /** False: there is none of that name. */
  remove(id: string): boolean;
  /** Grows with every change, by whichever process. */
  version(): number;
}

export function openSessionAnswers(database: DatabaseSync, clock: Clock): SessionAnswers {
  const insert = database.prepare("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)");
  const ofSession = database.prepare(
    "SELECT id, rule FROM answers WHERE session = ? AND agent = ? AND expires_at > ? ORDER BY id",
  );
  const all = database.prepare(
    "SELECT * FROM answers WHERE (?1 IS NULL OR session = ?1) AND expires_at > ?2 ORDER BY session, id",
  );
  const removeOne = database.prepare("DELETE FROM answers WHERE id = ?");
  const version = database.prepare("PRAGMA data_version");
  let own = 0;
  return {
    // Not in a transaction of its own: an answer is given inside the one of its question.
    add(rules, origin) {
      own += 1;
      return rules.map((rule) => {
        const id = answerId(rule, origin);
        const until = origin.at + sessionHours * 3_600_000;
        insert.run(id, origin.session, origin.agent, JSON.stringify(rule), JSON.stringify(origin), until);
        return id;
      });
    },
    rules: (session, agent) =>
      ofSession.all(session, agent, clock.now()).flatMap((row) => {
        const rule = compileRule(JSON.parse(String(row["rule"])) as RuleText, String(row["id"]), "this session");
        return rule.ok ? [rule.value] : [];
      }),
    list: (session) =>
      all.all(session, clock.now()).map((row) => ({
        id: String(row["id"]),
        rule: JSON.parse(String(row["rule"])) as RuleText,
        origin: JSON.parse(String(row["origin"])) as AnswerOrigin,
        expiresAt: Number(row["expires_at"]),
      })),
    remove(id) {
      own += 1;
      return removeOne.run(id).changes > 0;
    },
    // What this connection itself changes does not count for sqlite.
    version: () => Number(version.get()?.["data_version"]) + own,
  };
}

function answerId(rule: RuleText, { session, agent }: AnswerOrigin): string {
  const text = canonicalJson({ rule, session, agent } as unknown as Json);
  return `s-${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;
}
