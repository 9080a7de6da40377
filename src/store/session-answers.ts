// Remembered yeses of a session: kept beside the questions that they answered, listed and revoked by name.

import type { Database } from "./database.ts";
import type { AnswerOrigin } from "../approval/memory.ts";
import { sessionHours } from "../approval/offer.ts";
import type { SessionAnswer } from "../approval/shared-store.ts";
import { compileRule, type Rule, type RuleText } from "../policy/rule.ts";
import type { Clock } from "../shared/clock.ts";
import type { Hashes } from "../shared/hash.ts";
import { canonicalJson, type Json } from "../shared/json.ts";
import type { Changes } from "./changes.ts";
import { readRow } from "./row.ts";
import { inTransaction } from "./transaction.ts";

export const sessionAnswersTable = `
  CREATE TABLE IF NOT EXISTS answers (
    id TEXT NOT NULL, session TEXT NOT NULL, agent TEXT NOT NULL, rule TEXT NOT NULL, origin TEXT NOT NULL,
    expires_at INTEGER NOT NULL, PRIMARY KEY (session, id)
  ) STRICT, WITHOUT ROWID;
`;

const columns = { id: "text", rule: "text", origin: "text", expires_at: "integer" } as const;

export class SessionAnswerRows {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #changes: Changes;
  readonly #hashes: Hashes;

  constructor(database: Database, clock: Clock, changes: Changes, hashes: Hashes) {
    this.#hashes = hashes;
    this.#database = database;
    this.#clock = clock;
    this.#changes = changes;
  }

  /** Returns their names. */
  add(rules: readonly RuleText[], origin: AnswerOrigin): readonly string[] {
    const insert = this.#database.prepare("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)");
    const until = origin.at + sessionHours * 3_600_000;
    const add = (rule: RuleText) => {
      const id = answerId(rule, origin, this.#hashes);
      insert.run(id, origin.session, origin.agent, JSON.stringify(rule), JSON.stringify(origin), until);
      return id;
    };
    return this.#changes.make(() => inTransaction(this.#database, () => rules.map(add)));
  }

  /** The yeses of one session and agent that are valid now, ready for matching. */
  rules(session: string, agent: string): readonly Rule[] {
    return this.list(session)
      .filter(({ origin }) => origin.agent === agent)
      .flatMap(({ id, rule }) => {
        const compiled = compileRule(rule, id, "this session");
        return compiled.ok ? [compiled.value] : [];
      });
  }

  /** Null selects every session. */
  list(session: string | null): readonly SessionAnswer[] {
    return this.#database
      .prepare("SELECT * FROM answers WHERE (?1 IS NULL OR session = ?1) AND expires_at > ?2 ORDER BY session, id")
      .all(session, this.#clock.now())
      .map((row) => {
        const { id, rule, origin, expires_at: expiresAt } = readRow(columns, row);
        return { id, rule: JSON.parse(rule) as RuleText, origin: JSON.parse(origin) as AnswerOrigin, expiresAt };
      });
  }

  /** False if there is none of that name. */
  remove(id: string): boolean {
    const removal = this.#database.prepare("DELETE FROM answers WHERE id = ?");
    return this.#changes.make(() => removal.run(id).changes > 0);
  }
}

function answerId(rule: RuleText, { session, agent }: AnswerOrigin, hashes: Hashes): string {
  const text = canonicalJson({ rule, session, agent } as unknown as Json);
  return `s-${hashes.hex("sha256", text).slice(0, 8)}`;
}
