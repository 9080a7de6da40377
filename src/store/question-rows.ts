// Reads and writes questions as table rows.
// Invariant: an expired question does not exist for readers. An answer is used once.

import type { Database } from "./database.ts";
import type { Question, SettledAnswer } from "../approval/approver.ts";
import type { QuestionEnd, QueuedQuestion } from "../approval/shared-store.ts";
import type { Leases } from "./lease.ts";
import type { PresenceTable } from "./presence.ts";
import { readRow, type DatabaseRow } from "./row.ts";

export const questionsTable = `
  CREATE TABLE IF NOT EXISTS questions (
    id TEXT PRIMARY KEY, digest TEXT NOT NULL, session TEXT NOT NULL, asked_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, question TEXT NOT NULL, answer TEXT, used INTEGER NOT NULL DEFAULT 0, diff TEXT,
    owner TEXT, agent TEXT, claim TEXT, claimed_until INTEGER, taken_by TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS questions_by_digest ON questions (digest, session);
  CREATE INDEX IF NOT EXISTS questions_by_time ON questions (expires_at);
`;

const waits = "answer IS NULL AND expires_at > ?";
const queuedColumns = {
  question: "text",
  answer: "text?",
  used: "integer",
  expires_at: "integer",
  taken_by: "text?",
} as const;

/** The owner of a withdrawn question. */
export const endedOwner: Readonly<Record<QuestionEnd, string>> = { session: "ended", caller: "cancelled" };
const isEnded = (owner: string) => Object.values(endedOwner).includes(owner);

export class QuestionRows {
  readonly #database: Database;
  readonly #leases: Leases;
  readonly #waiters: PresenceTable;
  readonly #now: () => number;
  /** A question never changes, so listing reads each one once. */
  #listed = new Map<string, Question>();

  constructor(database: Database, leases: Leases, waiters: PresenceTable, now: () => number) {
    this.#database = database;
    this.#leases = leases;
    this.#waiters = waiters;
    this.#now = now;
  }

  /** `session` is the key of the agent's session, as stored in the rows. */
  sameWaiting(digest: string, session: string): Question | null {
    const row = this.#database
      .prepare(`SELECT * FROM questions WHERE digest = ? AND session = ? AND ${waits} LIMIT 1`)
      .get(digest, session, this.#now());
    return row === undefined ? null : questionOf(row);
  }

  insert(question: Question, session: string, expiresAt: number): void {
    const { id, action, askedAt, diff, endsWithGate } = question;
    this.#database
      .prepare(
        "INSERT INTO questions (id, digest, session, asked_at, expires_at, question, diff, owner, agent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      )
      .run(
        id,
        action.digest,
        session,
        askedAt,
        expiresAt,
        JSON.stringify({ ...question, diff: undefined }),
        diff === undefined ? null : JSON.stringify(diff),
        endsWithGate === true ? this.#leases.holdAsText() : null,
        action.agent,
      );
  }

  forgetExpiredBefore(time: number): void {
    this.#database.prepare("DELETE FROM questions WHERE expires_at < ?").run(time);
  }

  take(digest: string, session: string, call: string | null): SettledAnswer | null {
    const found = this.#database
      .prepare(
        "SELECT id, answer FROM questions WHERE digest = ? AND session = ? AND answer IS NOT NULL AND used = 0 AND expires_at > ? ORDER BY asked_at LIMIT 1",
      )
      .get(digest, session, this.#now());
    if (found === undefined) return null;
    const { id, answer } = readRow({ id: "text", answer: "text" }, found);
    const used = this.#database
      .prepare("UPDATE questions SET used = 1, taken_by = ? WHERE id = ? AND used = 0")
      .run(call, id);
    return used.changes === 1 ? (JSON.parse(answer) as SettledAnswer) : null;
  }

  byId(id: string): DatabaseRow | undefined {
    return this.#database.prepare("SELECT * FROM questions WHERE id = ?").get(id);
  }

  find(id: string): QueuedQuestion | undefined {
    const row = this.byId(id);
    if (row === undefined || Number(row["expires_at"]) <= this.#now() || this.orphanCheck()(row)) return undefined;
    return queuedOf(row, this.#waiters.isAny("question = ?", id));
  }

  /** Without diffs, which may be long. */
  waiting(): readonly QueuedQuestion[] {
    const isOrphan = this.orphanCheck();
    const awaited = this.#waiters.questions();
    const asListed = this.#database.prepare("SELECT question FROM questions WHERE id = ?");
    const before = this.#listed;
    this.#listed = new Map();
    return this.#database
      .prepare(`SELECT id, expires_at, used, owner FROM questions WHERE ${waits} ORDER BY asked_at, id`)
      .all(this.#now())
      .flatMap((row): QueuedQuestion[] => {
        if (isOrphan(row)) return [];
        const id = String(row["id"]);
        const text = before.has(id) ? undefined : asListed.get(id);
        const question = before.get(id) ?? (text === undefined ? undefined : questionOf(text));
        if (question === undefined) return [];
        this.#listed.set(id, question);
        return [
          { question, expiresAt: Number(row["expires_at"]), answer: null, isAwaited: awaited.has(id), isTaken: false },
        ];
      });
  }

  unsettled(session: string): readonly QueuedQuestion[] {
    const isOrphan = this.orphanCheck();
    const awaited = this.#waiters.questions();
    return this.#database
      .prepare(
        "SELECT id, expires_at, question, answer, used, owner, taken_by FROM questions WHERE session = ? AND used = 0 AND expires_at > ? ORDER BY asked_at, id",
      )
      .all(session, this.#now())
      .filter((row) => !isOrphan(row))
      .map((row) => queuedOf(row, awaited.has(String(row["id"]))));
  }

  /** Returns a function that tells whether the answer of a row was not used and never will be. Each member is checked once. */
  orphanCheck(): (row: DatabaseRow) => boolean {
    const known = new Map<unknown, boolean>();
    return ({ owner, used }) => {
      if (typeof owner !== "string" || used !== 0) return false;
      const isOrphan = known.get(owner) ?? (isEnded(owner) || !this.#leases.isTextAlive(owner));
      known.set(owner, isOrphan);
      return isOrphan;
    };
  }
}

export function questionOf(row: DatabaseRow): Question {
  const question = JSON.parse(readRow({ question: "text" }, row).question) as Question;
  return typeof row["diff"] === "string"
    ? { ...question, diff: JSON.parse(row["diff"]) as Question["diff"] }
    : question;
}

function queuedOf(row: DatabaseRow, isAwaited: boolean): QueuedQuestion {
  const { answer, used, expires_at: expiresAt, taken_by: takenBy } = readRow(queuedColumns, row);
  return {
    question: questionOf(row),
    expiresAt,
    answer: answer === null ? null : (JSON.parse(answer) as SettledAnswer),
    isAwaited,
    isTaken: used === 1,
    ...(takenBy === null ? {} : { takenBy }),
  };
}
