// The desk: where people answer. Every surface that shows questions answers them through here.
// Invariant: an answer is written down and remembered before the question counts as answered; the first one counts.

import type { DiffFile } from "../action/diff-file.ts";
import type { Answer, Question, SettledAnswer } from "../approval/approver.ts";
import { meaningOf, opensOf } from "../approval/answer-meaning.ts";
import type { AnswerMemory } from "../approval/memory.ts";
import { askedFindings } from "../approval/offer.ts";
import { type Answering, askedIn, type QuestionQueue } from "../approval/queue.ts";
import { settle, type SettleContext } from "../approval/settle.ts";
import type { Journal } from "../audit/journal.ts";
import { addRule, removeRule } from "../config/amend.ts";
import type { RulePaths } from "../config/rule-files.ts";
import type { StagedStore } from "../git/staged.ts";
import { renderRule } from "../policy/render.ts";
import type { RuleText } from "../policy/rule.ts";
import { systemClock } from "../shared/clock.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import { fail, ok } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";
import type { Approvals } from "../store/approvals.ts";
import { bytesOfPush, fileOfSide } from "./pushed-bytes.ts";
import { recordedTitle } from "./recorded-title.ts";

export interface AnswerService {
  readonly queue: QuestionQueue;
  /** The answer as it counts now; or why it does not. */
  answer(id: string, answer: Answer): SettledAnswer | Extract<Answering, { ok: false }>;
  /** What a file of a push becomes, byte for byte; null: it is not kept here any more. */
  bytesAfter(question: Question, file: DiffFile): Uint8Array | null;
  /** The session has ended and cannot be opened again: what it asked waits no more. */
  withdraw(session: SessionId): void;
}

export interface AnswerServiceContext {
  readonly approvals: Approvals;
  readonly journal: Journal;
  readonly paths: RulePaths;
  /** Absent: bytes of files cannot be looked at here. */
  readonly staged?: StagedStore;
  /** How a person reaches this store. */
  readonly command?: OwnCommand;
}

export function openAnswerService(context: AnswerServiceContext): AnswerService {
  const { queue } = context.approvals;
  const settling: SettleContext = {
    memory: storedAnswers(context),
    record: (question, answer, rules) => recordAnswer(context.journal, question, answer, rules),
    now: () => systemClock.now(),
  };
  const record = (question: Question) => recordWithdrawn(context.journal, question);
  // Those of killed processes: whoever looks writes them down. Where that fails they are not listed all the same, and the
  // next who looks tries again.
  const withdrawOrphans = () => {
    try {
      queue.withdrawOrphans(record);
    } catch {}
  };
  return {
    queue: {
      ...queue,
      ...(context.command === undefined ? {} : { command: context.command }),
      waiting() {
        withdrawOrphans();
        return queue.waiting();
      },
      find(id) {
        const found = queue.find(id);
        if (found === undefined) withdrawOrphans();
        return found;
      },
    },
    answer(id, answer) {
      let settled: SettledAnswer | undefined;
      const taken = queue.answer(id, (question) => (settled = settle(question, answer, settling)));
      if (taken.ok) return settled as SettledAnswer;
      withdrawOrphans();
      return taken;
    },
    bytesAfter(question, file) {
      const after = fileOfSide(file, "after");
      if (after === null || context.staged === undefined) return null;
      try {
        return bytesOfPush(askedIn(question), "after", after, context.staged);
      } catch {
        return null; // what was staged is gone
      }
    },
    withdraw: (session) => queue.withdraw(session, record),
  };
}

function recordWithdrawn(journal: Journal, question: Question): void {
  const { id, callId, session, action } = question;
  const { agent, tool, digest } = action;
  const outcome = { question: id, asked: recordedTitle(question), withdrawn: "the session that asked has ended" };
  journal.append({ session, agent, call_id: callId, tool, digest, event: "approval.timeout", outcome });
}

/** Where an answer belongs, its question says; not the process in which it is given. */
export function storedAnswers({
  approvals,
  paths,
}: Omit<AnswerServiceContext, "journal">): Pick<AnswerMemory, "remember" | "forget"> {
  const forget: AnswerMemory["forget"] = (scope, names, origin) => {
    for (const id of names)
      if (scope === "session") approvals.sessionAnswers.remove(id);
      else removeRule({ id, scope }, { ...paths, project: origin.project });
  };
  return {
    forget,
    remember(scope, rules, origin) {
      const added: string[] = [];
      try {
        if (scope === "session") return ok(approvals.sessionAnswers.add(rules, origin));
        const { agent, who, question, at, project } = origin;
        for (const text of rules) {
          const addition = { scope, text, isAnswer: text.decide === "allow", agent, by: who, question, at };
          added.push(addRule(addition, { ...paths, project }));
        }
        return ok(added);
      } catch (error) {
        forget(scope, added, origin);
        return fail("internal", error instanceof Error ? error.message : String(error));
      }
    },
  };
}

/** In the words that stood on the screen: how far it goes, and what it keeps. */
export function recordAnswer(
  journal: Journal,
  { id, callId, session, action, verdict }: Question,
  answer: SettledAnswer,
  rules: readonly RuleText[],
): void {
  const { decision, scope, who, reason, note } = answer;
  const asked = askedFindings(verdict).map(({ effect }) => effect);
  const means = meaningOf(decision, scope, rules, asked);
  const opens = rules.length === 0 ? {} : { opens: opensOf(rules) };
  const common = { session, agent: action.agent, call_id: callId, tool: action.tool, digest: action.digest };
  journal.append(
    {
      ...common,
      event: "approval.answered",
      decision,
      because: [`a person: ${who}`],
      outcome: { question: id, who, decision, scope, means, ...opens, reason, ...(note === null ? {} : { note }) },
    },
    { durable: true },
  );
  if (rules.length === 0) return;
  const stored = rules.map(renderRule);
  journal.append(
    { ...common, event: "policy.changed", outcome: { added: stored, scope, who, question: id } },
    { durable: true },
  );
}
