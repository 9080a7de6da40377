// What was told of questions, by channel, and which member sends now, as table rows. Implements `NoticeStore`.

import type { ChannelClaim, ChannelState, NoticeEnd, SentNotice } from "../approval/notices.ts";
import { limits } from "../shared/limits.ts";
import type { Database } from "./database.ts";
import { type Leases, leaseMs } from "./lease.ts";
import { readRow, type DatabaseRow } from "./row.ts";
import { inTransaction } from "./transaction.ts";

export const noticeTables = `
  CREATE TABLE IF NOT EXISTS notice_channels (
    channel TEXT PRIMARY KEY, claim TEXT, claimed_until INTEGER, sent_at INTEGER,
    not_before INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS notices (
    channel TEXT NOT NULL, question TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL, problem TEXT,
    PRIMARY KEY (channel, question)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS notices_by_question ON notices (question);
`;

const channelColumns = {
  claim: "text?",
  claimed_until: "integer?",
  sent_at: "integer?",
  not_before: "integer",
  failures: "integer",
} as const;

export class NoticeRows {
  readonly #database: Database;
  readonly #leases: Leases;
  readonly #now: () => number;
  #serial = 0;

  constructor(database: Database, leases: Leases, now: () => number) {
    this.#database = database;
    this.#leases = leases;
    this.#now = now;
  }

  stateOf(channel: string): ChannelState {
    const row = this.#row(channel);
    const told = this.#database.prepare("SELECT question FROM notices WHERE channel = ?").all(channel);
    const { sent_at: sentAt, not_before: notBefore, failures } = row ?? { sent_at: null, not_before: 0, failures: 0 };
    return { told: new Set(told.map(({ question }) => String(question))), sentAt, notBefore, failures };
  }

  claim(channel: string): ChannelClaim | null {
    const isTaken = this.#isTaken(channel);
    return isTaken
      ? null
      : inTransaction(this.#database, () => {
          if (this.#isTaken(channel)) return null;
          this.#serial += 1;
          const token = JSON.stringify({ ...this.#leases.hold(), notice: this.#serial });
          this.#database
            .prepare(
              `INSERT INTO notice_channels (channel, claim, claimed_until) VALUES (?, ?, ?)
              ON CONFLICT (channel) DO UPDATE SET claim = excluded.claim, claimed_until = excluded.claimed_until`,
            )
            .run(channel, token, this.#now() + leaseMs);
          return { channel, token, ...this.stateOf(channel) };
        });
  }

  finish(claim: ChannelClaim, { questions, name, problem }: NoticeEnd): boolean {
    const now = this.#now();
    return inTransaction(this.#database, () => {
      const sentAt = problem === null ? now : null;
      if (!this.#end(claim, "sent_at = coalesce(?, sent_at), not_before = 0, failures = 0", sentAt)) return false;
      this.#database.prepare("DELETE FROM notices WHERE at < ?").run(now - 2 * limits.questionOpenS * 1000);
      const insert = this.#database.prepare("INSERT OR IGNORE INTO notices VALUES (?, ?, ?, ?, ?)");
      for (const question of questions) insert.run(claim.channel, question, name, now, problem);
      return true;
    });
  }

  retryAt(claim: ChannelClaim, time: number): boolean {
    return this.#end(claim, "not_before = ?, failures = failures + 1", time);
  }

  release(claim: ChannelClaim): boolean {
    return this.#end(claim, "failures = failures");
  }

  sentFor(question: string): readonly SentNotice[] {
    return this.#database
      .prepare("SELECT name, at, problem FROM notices WHERE question = ? ORDER BY at, channel")
      .all(question)
      .map((row) => readRow({ name: "text", at: "integer", problem: "text?" }, row));
  }

  #row(channel: string): ReturnType<typeof readRow<typeof channelColumns>> | null {
    const row: DatabaseRow | undefined = this.#database
      .prepare("SELECT * FROM notice_channels WHERE channel = ?")
      .get(channel);
    return row === undefined ? null : readRow(channelColumns, row);
  }

  #isTaken(channel: string): boolean {
    const row = this.#row(channel);
    if (row === null || row.claim === null) return false;
    return (row.claimed_until ?? 0) > this.#now() && this.#leases.isTextAlive(row.claim);
  }

  #end({ channel, token }: ChannelClaim, change: string, ...values: (number | null)[]): boolean {
    const { changes } = this.#database
      .prepare(
        `UPDATE notice_channels SET ${change}, claim = NULL, claimed_until = NULL WHERE channel = ? AND claim = ?`,
      )
      .run(...values, channel, token);
    return changes === 1;
  }
}
