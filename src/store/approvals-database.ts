// The questions, their answers, and the answers for a session, over a database. It implements the port that a team's database can implement
// as well: each method does its work at once and returns a promise.

import type { Question } from "../approval/approver.ts";
import { askedIn } from "../approval/queue.ts";
import { severityRanks } from "../approval/severity.ts";
import type { Presence, QuestionQueue } from "../approval/shared-store.ts";
import type { Clock } from "../shared/clock.ts";
import type { Hashes } from "../shared/hash.ts";
import { limits } from "../shared/limits.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import { sessionKey } from "../shared/session-id.ts";
import { addColumn } from "./add-column.ts";
import { Changes } from "./changes.ts";
import type { Database } from "./database.ts";
import { Leases, leasesTable, type MemberHost } from "./lease.ts";
import { noticeTables, NoticeRows } from "./notice-rows.ts";
import { presenceTables, PresenceTable } from "./presence.ts";
import { QuestionClaims } from "./question-claims.ts";
import { QuestionRows, questionsTable } from "./question-rows.ts";
import { checkQueueCapacity, waitingIndex } from "./queue-capacity.ts";
import { sessionAnswersTable, SessionAnswerRows } from "./session-answers.ts";
import { inTransaction } from "./transaction.ts";
import type { Wake } from "./wake.ts";

export const approvalsTables = [questionsTable, presenceTables, leasesTable, sessionAnswersTable, noticeTables].join(
  "\n",
);

export interface Approvals {
  readonly queue: QuestionQueue;
  readonly sessionAnswers: SessionAnswerRows;
  close(): void;
}

export interface ApprovalsParts {
  readonly clock: Clock;
  readonly hashes: Hashes;
  /** The command with which a person reaches this store. */
  readonly command: OwnCommand;
  readonly host: MemberHost;
  readonly wake: Wake;
}

/** `approvalsTables` must be there. */
export function createApprovals(database: Database, { clock, hashes, command, host, wake }: ApprovalsParts): Approvals {
  for (const column of [
    "diff TEXT",
    "owner TEXT",
    "agent TEXT",
    "claim TEXT",
    "claimed_until INTEGER",
    "taken_by TEXT",
  ])
    addColumn(database, "questions", column);
  for (const column of ["url TEXT", "lease TEXT", "least INTEGER"]) addColumn(database, "watchers", column);
  addColumn(database, "waiters", "lease TEXT");
  database.exec(waitingIndex);
  const changes = new Changes(database, wake);
  const leases = new Leases(database, () => clock.now(), host);
  return {
    queue: createQueue(database, { clock, command, leases, changes }),
    sessionAnswers: new SessionAnswerRows(database, clock, changes, hashes),
    close() {
      if (!database.isOpen) return;
      leases.release();
      database.close();
      changes.close();
    },
  };
}

interface QueueParts {
  readonly clock: Clock;
  readonly command: OwnCommand;
  readonly leases: Leases;
  readonly changes: Changes;
}

function createQueue(database: Database, { clock, command, leases, changes }: QueueParts): QuestionQueue {
  const now = () => clock.now();
  const watchers = new PresenceTable(database, leases, "watchers");
  const waiters = new PresenceTable(database, leases, "waiters");
  const rows = new QuestionRows(database, leases, waiters, now);
  const claims = new QuestionClaims(database, leases, rows, now);
  const notices = new NoticeRows(database, leases, now);
  const presence = (table: PresenceTable, columns: Parameters<PresenceTable["add"]>[0]): Presence => {
    const id = changes.make(() => table.add(columns));
    return { leave: async () => changes.make(() => table.remove(id)) };
  };
  const put = (question: Question) =>
    inTransaction(database, () => {
      rows.forgetExpiredBefore(now() - limits.questionOpenS * 1000);
      const { digest, agent } = question.action;
      const session = sessionKey(askedIn(question));
      const known = rows.sameWaiting(digest, session);
      if (known !== null) return known;
      checkQueueCapacity(database, rows, { session, agent, now: now() });
      rows.insert(question, session, now() + limits.questionOpenS * 1000);
      return question;
    });
  return {
    command,
    put: async (question) => changes.make(() => put(question)),
    waitingId: async (digest, session) => rows.sameWaiting(digest, sessionKey(session))?.id ?? null,
    async take(digest, session, call) {
      const taken = rows.take(digest, sessionKey(session), call ?? null);
      return taken === null ? null : changes.make(() => taken);
    },
    claim: async (id) => claims.claim(id),
    commit: async (claim, answer) => changes.make(() => claims.commit(claim, answer)),
    renew: async (claim) => claims.renew(claim),
    release: async (claim) => changes.make(() => claims.release(claim)),
    claimEnded: async (session) => claims.claimEnded(session === null ? null : sessionKey(session)),
    end: async (claim, by) => changes.make(() => claims.end(claim, by)),
    waitFor: async (id) => presence(waiters, { question: id }),
    isAwaited: async (id) => waiters.isAny("question = ?", id),
    waiting: async () => rows.waiting(),
    unsettled: async (session) => rows.unsettled(sessionKey(session)),
    find: async (id) => rows.find(id),
    isWatched: async (severity = "high") => watchers.isAny("coalesce(least, 0) <= ?", severityRanks[severity]),
    watch: async (as, url, least = "low") =>
      presence(watchers, { role: as, url: url ?? null, least: severityRanks[least] }),
    pages: async (of) => watchers.urls(of ?? null),
    notices: {
      stateOf: async (channel) => notices.stateOf(channel),
      claim: async (channel) => notices.claim(channel),
      finish: async (claim, end) => changes.make(() => notices.finish(claim, end)),
      retryAt: async (claim, time) => changes.make(() => notices.retryAt(claim, time)),
      release: async (claim) => void changes.make(() => notices.release(claim)),
      sentFor: async (question) => notices.sentFor(question),
    },
    version: async () => changes.version(),
    changed: (since, signal) => changes.next(since, signal),
  };
}
