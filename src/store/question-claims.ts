// Answers and withdraws questions by claim: a member reserves a row, does its own work, and changes the row if the reservation
// is still valid. Each step is one update that compares and swaps.
// Invariant: the first to commit has answered. A claim of a member that is gone or took too long can be taken over.

import type { Database } from "./database.ts";
import type { SettledAnswer } from "../approval/approver.ts";
import { type Claim, endReasons, type NotClaimed, type QuestionEnd } from "../approval/shared-store.ts";
import { limits } from "../shared/limits.ts";
import { type Leases, leaseMs } from "./lease.ts";
import { endedOwner, questionOf, type QuestionRows } from "./question-rows.ts";
import { readRow, type DatabaseRow } from "./row.ts";
import { inTransaction } from "./transaction.ts";

const claimColumns = {
  id: "text",
  answer: "text?",
  expires_at: "integer",
  claim: "text?",
  claimed_until: "integer?",
} as const;

const unused = "owner IS NOT NULL AND used = 0 AND expires_at > ?";

export class QuestionClaims {
  readonly #database: Database;
  readonly #leases: Leases;
  readonly #rows: QuestionRows;
  readonly #now: () => number;
  #serial = 0;

  constructor(database: Database, leases: Leases, rows: QuestionRows, now: () => number) {
    this.#database = database;
    this.#leases = leases;
    this.#rows = rows;
    this.#now = now;
  }

  claim(id: string): { readonly ok: true; readonly claim: Claim } | NotClaimed {
    const no = (reason: string, isClaimed = false): NotClaimed => ({ ok: false, reason, isClaimed });
    const row = this.#rows.byId(id);
    if (row === undefined) return no("there is no such question");
    const { answer, expires_at: expiresAt } = readRow(claimColumns, row);
    if (answer !== null) {
      const { decision, who } = JSON.parse(answer) as SettledAnswer;
      return no(`it was answered already: ${decision}, by ${who}`);
    }
    if (this.#rows.orphanCheck()(row)) return no(endReasons[row["owner"] === endedOwner.caller ? "caller" : "session"]);
    if (expiresAt <= this.#now()) return no("it has expired");
    const claim = this.#claimRow(row);
    return claim === null ? no("somebody else is answering it", true) : { ok: true, claim };
  }

  commit(claim: Claim, answer: SettledAnswer): boolean {
    const yesUntil = this.#now() + limits.yesUnusedS * 1000;
    const expires = answer.decision === "allow" ? yesUntil : null;
    return this.#swap(
      claim,
      "answer = ?, expires_at = coalesce(?, expires_at), claim = NULL, claimed_until = NULL",
      JSON.stringify(answer),
      expires,
    );
  }

  renew(claim: Claim): boolean {
    this.#leases.renew();
    return this.#swap(claim, "claimed_until = ?", this.#now() + leaseMs);
  }

  release(claim: Claim): void {
    this.#swap(claim, "claim = NULL, claimed_until = NULL");
  }

  end(claim: Claim, by: QuestionEnd = "session"): boolean {
    return this.#swap(claim, "owner = ?, expires_at = ?, claim = NULL", endedOwner[by], this.#now());
  }

  /** `session` is the key of the session; null means every member that is gone. */
  claimEnded(session: string | null): readonly Claim[] {
    // Usually there are none, and then no transaction blocks other processes.
    if (this.#ended(session).length === 0) return [];
    return inTransaction(this.#database, () =>
      this.#ended(session).flatMap((row) => {
        const { id, answer } = readRow(claimColumns, row);
        const claim = answer === null ? this.#claimRow(row) : null;
        if (claim !== null) return [claim];
        // The question is answered, or another member is answering it now. In both cases no call will use the answer.
        const expires = answer === null ? null : this.#now();
        this.#database
          .prepare(
            `UPDATE questions SET owner = '${endedOwner.session}', expires_at = coalesce(?, expires_at) WHERE id = ?`,
          )
          .run(expires, id);
        return [];
      }),
    );
  }

  #ended(session: string | null): DatabaseRow[] {
    if (session !== null)
      return this.#database
        .prepare(`SELECT * FROM questions WHERE session = ? AND ${unused}`)
        .all(session, this.#now());
    const owners = this.#database
      .prepare(`SELECT DISTINCT owner, used FROM questions WHERE ${unused}`)
      .all(this.#now());
    const isOrphan = this.#rows.orphanCheck();
    const ofOwner = this.#database.prepare("SELECT * FROM questions WHERE owner = ? AND used = 0 AND expires_at > ?");
    return owners.filter(isOrphan).flatMap(({ owner }) => ofOwner.all(String(owner), this.#now()));
  }

  /** Null if another member has the claim. */
  #claimRow(row: DatabaseRow): Claim | null {
    const { id, claim, claimed_until: until } = readRow(claimColumns, row);
    if (claim !== null && (until ?? 0) > this.#now() && this.#leases.isTextAlive(claim)) return null;
    this.#serial += 1;
    const token = JSON.stringify({ ...this.#leases.hold(), claim: this.#serial });
    const { changes } = this.#database
      .prepare("UPDATE questions SET claim = ?, claimed_until = ? WHERE id = ? AND answer IS NULL AND claim IS ?")
      .run(token, this.#now() + leaseMs, id, claim);
    return changes === 1 ? { question: questionOf(row), token, isTakenOver: claim !== null } : null;
  }

  #swap({ question, token }: Claim, change: string, ...values: (string | number | null)[]): boolean {
    const { changes } = this.#database
      .prepare(`UPDATE questions SET ${change} WHERE id = ? AND claim = ? AND answer IS NULL`)
      .run(...values, question.id, token);
    return changes === 1;
  }
}
