// The answer service: every surface that shows questions answers them through it.
// Invariant: an answer is recorded and remembered before the question counts as answered, and the first answer counts. If the process
// is killed in between, the answer counts if it is in the record, and otherwise it does not.

import type { DiffFile } from "../action/diff-file.ts";
import type { Answer, Question, SettledAnswer } from "../approval/approver.ts";
import { askedIn } from "../approval/queue.ts";
import { settle, type SettleContext } from "../approval/settle.ts";
import type { Claim, QuestionQueue, QueuedQuestion, SharedStore } from "../approval/shared-store.ts";
import type { Journal } from "../audit/journal.ts";
import type { StagedStore } from "../git/staged.ts";
import { systemClock } from "../shared/clock.ts";
import type { SessionId } from "../shared/session-id.ts";
import { type AlsoAnswered, alsoAnswers } from "./also-answers.ts";
import { bytesOfPush, fileOfSide } from "./pushed-bytes.ts";
import { recordAnswer, recordWithdrawal, recordedAnswer, wasWithdrawn } from "./recorded-answer.ts";

/** Why an answer does not count. */
export interface NotAnswered {
  readonly ok: false;
  readonly reason: string;
}

/** Where the files of a push can be read in full. */
export interface PushedBytes {
  /** The exact bytes of a file after a push. Null if this machine no longer has them. */
  bytesAfter(question: Question, file: DiffFile): Uint8Array | null;
}

/** An answer that counts, and what it answered besides. */
export interface GivenAnswer extends SettledAnswer {
  /** The other questions that it answered; absent if there were none. */
  readonly also?: readonly string[];
}

export interface AnswerService extends PushedBytes {
  /** The questions in the store. */
  readonly queue: QuestionQueue;
  /**
   * The answer that counts now, or why this answer does not count. An answer for longer than once also answers the other questions
   * that it would have spared the person, if it says so.
   */
  answer(id: string, answer: Answer): Promise<GivenAnswer | NotAnswered>;
  /** What an answer to this question would answer besides, if it were given now. */
  alsoAnswers(question: Question): Promise<AlsoAnswered>;
  /**
   * Questions of a killed process are withdrawn and recorded by the next process that lists them. If recording fails they stay hidden,
   * and the next process tries again.
   */
  listAndWithdrawEnded(): Promise<readonly QueuedQuestion[]>;
  /** Finds one question. If it is not found, does the same. */
  findOrWithdrawEnded(id: string): Promise<QueuedQuestion | undefined>;
  /** Call this when the session has ended and cannot be opened again. It withdraws the session's questions. */
  withdrawSession(session: SessionId): Promise<void>;
  /** Call this when the caller of the question has cancelled. It withdraws the question, unless another call waits for it. */
  withdrawCancelled(question: Question): Promise<void>;
}

export interface AnswerServiceContext {
  readonly store: SharedStore;
  /** Opens the record when something has to be recorded. */
  readonly journal: () => Journal;
  /** Without it, `bytesAfter` finds nothing. */
  readonly staged?: StagedStore;
}

export function openAnswerService(context: AnswerServiceContext): AnswerService {
  return new LocalAnswerService(context);
}

/** How long the answer of somebody else is waited for: as long as a claim lasts. */
const CLAIM_MS = 30_000;

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

  async answer(id: string, answer: Answer): Promise<GivenAnswer | NotAnswered> {
    for (;;) {
      const version = await this.queue.version();
      const claimed = await this.queue.claim(id);
      if (claimed.ok) {
        const settled = await this.#answerClaimed(claimed.claim, answer);
        return "ok" in settled ? settled : await this.#answerOthers(claimed.claim.question, settled, answer);
      }
      const { reason, isClaimed } = claimed;
      if (!isClaimed) {
        await this.#withdrawEnded();
        return { ok: false, reason };
      }
      await this.queue.changed(version, AbortSignal.timeout(CLAIM_MS));
    }
  }

  async #answerClaimed(claim: Claim, answer: Answer): Promise<SettledAnswer | NotAnswered> {
    const { question } = claim;
    const before = claim.isTakenOver ? await this.#finishRecorded(claim) : null;
    if (before !== null) return notAnswered(before);
    const settled = await this.#settleOrRelease(claim, answer);
    if (await this.queue.commit(claim, settled)) return settled;
    // It took so long that somebody else took it over: they have found this answer in the record, or theirs counts.
    const other = await this.#answerOfOthers(question);
    if (other !== null && isSameAnswer(other, settled)) return settled;
    // What this one would have kept is gone. Where theirs is kept, too, both stay: of a yes and a no, the no holds.
    if (other === null || other.scope === "once") await this.#context.store.rules.forgetQuestion(question);
    return other === null ? { ok: false, reason: "it waits no more" } : notAnswered(other);
  }

  async alsoAnswers(question: Question): Promise<AlsoAnswered> {
    return alsoAnswers(question, await this.queue.waiting(), this.#context.store.rules);
  }

  /** This answer is in the record and counts, whatever becomes of the others: they wait on. */
  async #answerOthers(
    question: Question,
    settled: SettledAnswer,
    { rules, answersOthers }: Answer,
  ): Promise<GivenAnswer> {
    const { decision, scope, who, reason } = settled;
    if (scope === "once" || answersOthers !== true) return settled;
    const also: string[] = [];
    try {
      const offer = question.offers.find((one) => one.decision === decision && one.scope === scope);
      const find = await this.alsoAnswers(question);
      for (const other of await find({ decision, scope, rules: rules ?? offer?.rules ?? [] })) {
        const { digest } = other.action;
        const once = { decision, digest, who, reason, scope: "once", with: question.id } as const;
        const answered = await this.answer(other.id, once);
        if (!("ok" in answered)) also.push(other.id);
      }
    } catch {}
    return also.length === 0 ? settled : { ...settled, also };
  }

  /** Waits until whoever took the question over has answered it. null: nobody has, in the time that a claim lasts. */
  async #answerOfOthers({ id }: Question): Promise<SettledAnswer | null> {
    const late = AbortSignal.timeout(CLAIM_MS);
    for (;;) {
      const version = await this.queue.version();
      const found = await this.queue.find(id);
      if (found === undefined || found.answer !== null || late.aborted) return found?.answer ?? null;
      await this.queue.changed(version, late);
    }
  }

  async #settleOrRelease(claim: Claim, answer: Answer): Promise<SettledAnswer> {
    try {
      return await settle(claim.question, answer, this.#settling);
    } catch (error) {
      await this.queue.release(claim);
      throw error;
    }
  }

  /** Handles a claim of a killed process. If its answer is in the record, that answer counts. If not, its rules are removed. */
  async #finishRecorded(claim: Claim): Promise<SettledAnswer | null> {
    const { record, rules } = this.#context.store;
    const recorded = await recordedAnswer(record, claim.question);
    if (recorded === null) await rules.forgetQuestion(claim.question);
    else await this.queue.commit(claim, recorded);
    return recorded;
  }

  async listAndWithdrawEnded(): Promise<readonly QueuedQuestion[]> {
    // In this order: what is missing in the list because its process was killed is withdrawn when this returns.
    const waiting = await this.queue.waiting();
    await this.#withdrawEnded();
    return waiting;
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
        recordWithdrawal(this.#context.journal(), claim.question, "session");
      } catch (error) {
        for (const rest of claims.slice(index)) await this.queue.release(rest);
        throw error;
      }
      await this.queue.end(claim);
    }
  }

  async withdrawCancelled(question: Question): Promise<void> {
    const id = await this.queue.waitingId(question.action.digest, askedIn(question));
    if (id === null || (await this.queue.isAwaited(id))) return;
    const claimed = await this.queue.claim(id);
    // Somebody has answered it, or does so now: the same call finds that answer.
    if (!claimed.ok) return;
    const { claim } = claimed;
    if (claim.isTakenOver && (await this.#isSettled(claim))) return;
    try {
      recordWithdrawal(this.#context.journal(), claim.question, "caller");
    } catch (error) {
      await this.queue.release(claim);
      throw error;
    }
    await this.queue.end(claim, "caller");
  }

  /** True if the killed process had already recorded an answer or the withdrawal, which must not be recorded again. */
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
      return null; // the staged files are gone
    }
  }
}

function isSameAnswer(one: SettledAnswer, other: SettledAnswer): boolean {
  return one.decision === other.decision && one.scope === other.scope && one.who === other.who;
}

function notAnswered({ decision, who }: SettledAnswer): NotAnswered {
  return { ok: false, reason: `it was answered already: ${decision}, by ${who}` };
}
