// Questions, their answers, and what was answered for a session, in a SQLite file of their own: waiting for a person
// never holds up the record.
// Invariant: the first answer to a question counts, and is used once. What is expired does not exist.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Question, SettledAnswer } from "../approval/approver.ts";
import { askedIn, type QuestionQueue, type QueuedQuestion } from "../approval/queue.ts";
import { type Clock, systemClock } from "../shared/clock.ts";
import { limits } from "../shared/limits.ts";
import { sessionKey } from "../shared/session-id.ts";
import { type Holder, isAlive, thisProcess } from "./holder.ts";
import { openOrphanedQuestions } from "./orphaned-questions.ts";
import { openPrivateDirectory, openPrivateFile } from "./private-directory.ts";
import { openQueueCapacity } from "./queue-capacity.ts";
import { openSessionAnswers, type SessionAnswers, sessionAnswersTable } from "./session-answers.ts";
import { addColumn } from "./add-column.ts";
import { openDatabase } from "./sqlite.ts";
import { inTransaction } from "./transaction.ts";
import { openWaiters, waitersTable } from "./waiters.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS questions (
    id TEXT PRIMARY KEY, digest TEXT NOT NULL, session TEXT NOT NULL, asked_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, question TEXT NOT NULL, answer TEXT, used INTEGER NOT NULL DEFAULT 0, diff TEXT,
    owner TEXT, agent TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS questions_by_digest ON questions (digest, session);
  CREATE INDEX IF NOT EXISTS questions_by_time ON questions (expires_at);
  CREATE TABLE IF NOT EXISTS watchers (
    id INTEGER PRIMARY KEY AUTOINCREMENT, role TEXT NOT NULL,
    pid INTEGER NOT NULL, started TEXT NOT NULL, namespace TEXT NOT NULL, boot TEXT NOT NULL, url TEXT
  ) STRICT;
  ${waitersTable}
  ${sessionAnswersTable}
`;

const fileName = "approvals.sqlite";
const pollMs = 60;

export interface Approvals {
  readonly queue: QuestionQueue;
  readonly sessionAnswers: SessionAnswers;
  close(): void;
}

export function hasApprovals(stateDirectory: string): boolean {
  return existsSync(join(stateDirectory, fileName));
}

export function openApprovals(stateDirectory: string, clock: Clock = systemClock): Approvals {
  const path = join(stateDirectory, fileName);
  openPrivateDirectory(stateDirectory, "state directory");
  openPrivateFile(path);
  const database = openDatabase(path, schema);
  addColumn(database, "watchers", "url TEXT");
  addColumn(database, "questions", "diff TEXT");
  addColumn(database, "questions", "owner TEXT");
  addColumn(database, "questions", "agent TEXT");
  return {
    queue: createQueue(database, clock),
    sessionAnswers: openSessionAnswers(database, clock),
    close() {
      if (database.isOpen) database.close();
    },
  };
}

function createQueue(database: DatabaseSync, clock: Clock): QuestionQueue {
  const self = thisProcess();
  const waiters = openWaiters(database, self);
  const orphans = openOrphanedQuestions(database, self, () => clock.now());
  const waits = "answer IS NULL AND expires_at > ?";
  const same = database.prepare(`SELECT * FROM questions WHERE digest = ? AND session = ? AND ${waits} LIMIT 1`);
  const checkRoom = openQueueCapacity(database, orphans, () => clock.now());
  const insert = database.prepare(
    "INSERT INTO questions (id, digest, session, asked_at, expires_at, question, diff, owner, agent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const answered = database.prepare(
    "SELECT * FROM questions WHERE digest = ? AND session = ? AND answer IS NOT NULL AND used = 0 AND expires_at > ? ORDER BY asked_at LIMIT 1",
  );
  const markUsed = database.prepare("UPDATE questions SET used = 1 WHERE id = ? AND used = 0");
  const markAnswered = database.prepare(
    "UPDATE questions SET answer = ?, expires_at = ? WHERE id = ? AND answer IS NULL",
  );
  const byId = database.prepare("SELECT * FROM questions WHERE id = ?");
  const allWaiting = database.prepare(
    `SELECT id, expires_at, used, owner FROM questions WHERE ${waits} ORDER BY asked_at, id`,
  );
  // Without their diffs, which may be long. A question never changes: whoever lists them reads each once.
  const asListed = database.prepare("SELECT question FROM questions WHERE id = ?");
  let listed = new Map<string, Question>();
  const allUnused = database.prepare(
    "SELECT id, expires_at, question, answer, used, owner FROM questions WHERE session = ? AND used = 0 AND expires_at > ? ORDER BY asked_at, id",
  );
  const forgetOld = database.prepare("DELETE FROM questions WHERE expires_at < ?");
  const dataVersion = database.prepare("PRAGMA data_version");
  // What this connection itself changes does not count for sqlite.
  let own = 0;
  const version = () => `${String(dataVersion.get()?.["data_version"])} ${own}`;

  const readListed = (id: string): Question | undefined => {
    const row = asListed.get(id);
    return row === undefined ? undefined : questionOf(row);
  };

  return {
    put(question) {
      own += 1;
      return inTransaction(database, () => {
        const now = clock.now();
        forgetOld.run(now - limits.questionOpenS * 1000);
        const { digest } = question.action;
        const session = sessionKey(askedIn(question));
        const known = same.get(digest, session, now);
        if (known !== undefined) return questionOf(known);
        checkRoom(session, question.action.agent);
        insert.run(
          question.id,
          digest,
          session,
          question.askedAt,
          now + limits.questionOpenS * 1000,
          JSON.stringify({ ...question, diff: undefined }),
          question.diff === undefined ? null : JSON.stringify(question.diff),
          orphans.ownerOf(question),
          question.action.agent,
        );
        return question;
      });
    },
    waitingId(digest, session) {
      const found = same.get(digest, sessionKey(session), clock.now());
      return found === undefined ? null : String(found["id"]);
    },
    take(digest, session) {
      const found = answered.get(digest, sessionKey(session), clock.now());
      if (found === undefined || markUsed.run(String(found["id"])).changes !== 1) return null;
      own += 1;
      return JSON.parse(String(found["answer"])) as SettledAnswer;
    },
    answer(id, settle) {
      own += 1;
      return inTransaction(database, () => {
        const now = clock.now();
        const row = byId.get(id);
        if (row === undefined) return { ok: false, reason: "there is no such question" };
        if (row["answer"] !== null) {
          const { decision, who } = JSON.parse(String(row["answer"])) as SettledAnswer;
          return { ok: false, reason: `it was answered already: ${decision}, by ${who}` };
        }
        if (orphans.check()(row)) return { ok: false, reason: "the session that asked has ended" };
        if (Number(row["expires_at"]) <= now) return { ok: false, reason: "it has expired" };
        const settled = settle(questionOf(row));
        const until = settled.decision === "allow" ? now + limits.yesUnusedS * 1000 : Number(row["expires_at"]);
        markAnswered.run(JSON.stringify(settled), until, id);
        return { ok: true };
      });
    },
    waitFor(id) {
      own += 1;
      return waiters.add(id);
    },
    isAwaited: (id) => waiters.isAny(id),
    withdraw(session, record) {
      own += orphans.withdraw(sessionKey(session), (row) => record(questionOf(row)));
    },
    withdrawOrphans(record) {
      own += orphans.withdraw(null, (row) => record(questionOf(row)));
    },
    waiting() {
      const isOrphan = orphans.check();
      const now = new Map<string, Question>();
      const waiting = allWaiting.all(clock.now()).flatMap((row): QueuedQuestion[] => {
        const id = String(row["id"]);
        const found = isOrphan(row) ? undefined : (listed.get(id) ?? readListed(id));
        if (found === undefined) return [];
        now.set(id, found);
        return [{ question: found, expiresAt: Number(row["expires_at"]), answer: null, isTaken: false }];
      });
      listed = now;
      return waiting;
    },
    unsettled(session) {
      const isOrphan = orphans.check();
      return allUnused
        .all(sessionKey(session), clock.now())
        .filter((row) => !isOrphan(row))
        .map(queuedOf);
    },
    find(id) {
      const row = byId.get(id);
      if (row === undefined || Number(row["expires_at"]) <= clock.now() || orphans.check()(row)) return undefined;
      return queuedOf(row);
    },
    isWatched() {
      const rows = database.prepare("SELECT DISTINCT pid, started, namespace, boot FROM watchers").all();
      return (rows as unknown as Holder[]).some((holder) => isAlive(holder, self));
    },
    places() {
      const rows = database.prepare("SELECT * FROM watchers WHERE url IS NOT NULL ORDER BY id DESC").all();
      const alive = (rows as unknown as (Holder & { url: string })[]).filter((holder) => isAlive(holder, self));
      return [...new Set(alive.map(({ url }) => url))];
    },
    version,
    watch(as, url) {
      const { pid, started, namespace, boot } = self;
      const row = inTransaction(database, () => {
        const rows = database.prepare("SELECT * FROM watchers").all() as unknown as (Holder & { id: number })[];
        for (const gone of rows.filter((holder) => !isAlive(holder, self)))
          database.prepare("DELETE FROM watchers WHERE id = ?").run(gone.id);
        return database
          .prepare(
            "INSERT INTO watchers (role, pid, started, namespace, boot, url) VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
          )
          .get(as, pid, started, namespace, boot, url ?? null);
      });
      return {
        leave() {
          if (database.isOpen) database.prepare("DELETE FROM watchers WHERE id = ?").run(Number(row?.["id"]));
        },
      };
    },
    async changed(signal) {
      const before = version();
      for (let polls = 0; !signal.aborted && polls < 20; polls += 1) {
        await pause(pollMs, signal);
        if (!database.isOpen || version() !== before) return;
      }
    },
  };
}

function questionOf(row: Record<string, unknown>): Question {
  const question = JSON.parse(String(row["question"])) as Question;
  return typeof row["diff"] === "string"
    ? { ...question, diff: JSON.parse(row["diff"]) as Question["diff"] }
    : question;
}

function queuedOf(row: Record<string, unknown>): QueuedQuestion {
  const answer = typeof row["answer"] === "string" ? (JSON.parse(row["answer"]) as SettledAnswer) : null;
  return { question: questionOf(row), expiresAt: Number(row["expires_at"]), answer, isTaken: row["used"] === 1 };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const finish = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", finish);
    resolve();
  };
  const timer = setTimeout(finish, ms);
  signal.addEventListener("abort", finish, { once: true });
  return promise;
}
