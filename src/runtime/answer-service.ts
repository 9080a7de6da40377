// Where people answer: every surface that shows questions answers them through here.
// Invariant: an answer is written down and remembered before the question counts as answered; the first one counts. Whoever
// is killed in between has answered if the record says so, and has not if it does not.

import type { DiffFile } from "../action/diff-file.ts";
import type { Answer, Question, SettledAnswer } from "../approval/approver.ts";
import { askedIn } from "../approval/queue.ts";
import { settle, type SettleContext } from "../approval/settle.ts";
import type { Claim, QuestionQueue, QueuedQuestion, SharedStore } from "../approval/shared-store.ts";
import type { Journal } from "../audit/journal.ts";
import type { StagedStore } from "../git/staged.ts";
import { systemClock } from "../shared/clock.ts";
import type { SessionId } from "../shared/session-id.ts";
import { bytesOfPush, fileOfSide } from "./pushed-bytes.ts";
import { recordAnswer, recordWithdrawal, recordedAnswer, wasWithdrawn } from "./recorded-answer.ts";

/** Why an answer does not count. */
export interface NotAnswered {
  readonly ok: false;
  readonly reason: string;
}

export interface AnswerService {
  /** The questions as they are in the store. */
  readonly queue: QuestionQueue;
  /** The answer as it counts now; or why it does not. */
  answer(id: string, answer: Answer): Promise<SettledAnswer | NotAnswered>;
  /**
   * Questions of a killed process are withdrawn and recorded by the next one who lists them. If that cannot be recorded
   * they stay hidden, and the next one tries again.
   */
  withdrawEndedThenList(): Promise<readonly QueuedQuestion[]>;
  /** The same for one question, where it is not found. */
  findOrWithdrawEnded(id: string): Promise<QueuedQuestion | undefined>;
  /** The session has ended and cannot be opened again: what it asked waits no more. */
  withdrawSession(session: SessionId): Promise<void>;
  /** What a file of a push becomes, byte for byte; null: it is not kept on this machine any more. */
  bytesAfter(question: Question, file: DiffFile): Uint8Array | null;
}

export interface AnswerServiceContext {
  readonly store: SharedStore;
  /** Opened when something has to be written down. */
  readonly journal: () => Journal;
  /** Absent: bytes of files cannot be looked at here. */
  readonly staged?: StagedStore;
}

export function openAnswerService(context: AnswerServiceContext): AnswerService {
  return new LocalAnswerService(context);
}

/** Somebody else answers the same question just now: how long to wait for what comes of it, at one go. */
const CLAIMED_MS = 5_000;

class LocalAnswerService implements AnswerService {
  readonly #context: AnswerServiceContext;
  readonly #settling: SettleContext;

  constructor(context: AnswerServiceContext) {
    this.#context = context;
    this.#settling = {
      rules: context.store.rules,
      record: (question, answer, rules) => recordAnswer(context.journal(), question, answer, rules),
      now: () => systemClock.now(),
    };
  }

  get queue(): QuestionQueue {
    return this.#context.store.queue;
  }

  async answer(id: string, answer: Answer): Promise<SettledAnswer | NotAnswered> {
    for (;;) {
      const version = await this.queue.version();
      const claimed = await this.queue.claim(id);
      if (claimed.ok) return await this.#answerClaimed(claimed.claim, answer);
      const { reason, isClaimed } = claimed;
      if (!isClaimed) {
        await this.#withdrawEnded();
        return { ok: false, reason };
      }
      await this.queue.changed(version, AbortSignal.timeout(CLAIMED_MS));
    }
  }

  async #answerClaimed(claim: Claim, answer: Answer): Promise<SettledAnswer | NotAnswered> {
    const { question } = claim;
    const before = claim.isTakenOver ? await this.#finishRecorded(claim) : null;
    if (before !== null) return notAnswered(before);
    const settled = await this.#settleOrRelease(claim, answer);
    if (await this.queue.commit(claim, settled)) return settled;
    // It took so long that somebody else took it over: theirs counts, and what this one would have kept is gone.
    await this.#context.store.rules.forgetQuestion(question);
    const other = (await this.queue.find(question.id))?.answer ?? null;
    return other === null ? { ok: false, reason: "it waits no more" } : notAnswered(other);
  }

  async #settleOrRelease(claim: Claim, answer: Answer): Promise<SettledAnswer> {
    try {
      return await settle(claim.question, answer, this.#settling);
    } catch (error) {
      await this.queue.release(claim);
      throw error;
    }
  }

  /** Of who claimed it before and was killed: an answer that is in the record counts; what is not in it is forgotten. */
  async #finishRecorded(claim: Claim): Promise<SettledAnswer | null> {
    const { record, rules } = this.#context.store;
    const recorded = await recordedAnswer(record, claim.question);
    if (recorded === null) await rules.forgetQuestion(claim.question);
    else await this.queue.commit(claim, recorded);
    return recorded;
  }

  async withdrawEndedThenList(): Promise<readonly QueuedQuestion[]> {
    await this.#withdrawEnded();
    return await this.queue.waiting();
  }

  async findOrWithdrawEnded(id: string): Promise<QueuedQuestion | undefined> {
    const found = await this.queue.find(id);
    if (found === undefined) await this.#withdrawEnded();
    return found;
  }

  async #withdrawEnded(): Promise<void> {
    try {
      await this.#withdraw(null);
    } catch {}
  }

  async withdrawSession(session: SessionId): Promise<void> {
    await this.#withdraw(session);
  }

  async #withdraw(session: SessionId | null): Promise<void> {
    const claims = await this.queue.claimEnded(session);
    for (const [index, claim] of claims.entries()) {
      try {
        if (claim.isTakenOver && (await this.#isSettled(claim))) continue;
        recordWithdrawal(this.#context.journal(), claim.question);
      } catch (error) {
        for (const rest of claims.slice(index)) await this.queue.release(rest);
        throw error;
      }
      await this.queue.end(claim);
    }
  }

  /** Whoever was killed half way had recorded an answer, or the withdrawal: that is not recorded again. */
  async #isSettled(claim: Claim): Promise<boolean> {
    if ((await this.#finishRecorded(claim)) !== null) return true;
    if (!(await wasWithdrawn(this.#context.store.record, claim.question))) return false;
    await this.queue.end(claim);
    return true;
  }

  bytesAfter(question: Question, file: DiffFile): Uint8Array | null {
    const { staged } = this.#context;
    const after = fileOfSide(file, "after");
    if (after === null || staged === undefined) return null;
    try {
      return bytesOfPush(askedIn(question), "after", after, staged);
    } catch {
      return null; // what was staged is gone
    }
  }
}

function notAnswered({ decision, who }: SettledAnswer): NotAnswered {
  return { ok: false, reason: `it was answered already: ${decision}, by ${who}` };
}
