// Turns a verdict into a grant. If the verdict is `ask`, a remembered yes answers it, or the gate asks a person.
// Invariant: no answer means no. The gate never asks about a deny.

import type { Action } from "../action/action.ts";
import type { Verdict } from "../policy/decision.ts";
import type { RuleIndex } from "../policy/rule-index.ts";
import { displayText } from "../shared/display.ts";
import { type Failure, failure } from "../shared/failure.ts";
import { type OwnCommand, bareOwnCommand } from "../shared/own-command.ts";
import { limits } from "../shared/limits.ts";
import { ok, type Result } from "../shared/result.ts";
import type { Approver, Question, Response, SettledAnswer } from "./approver.ts";
import { type Grant, grantByAnswer, grantByMemory, grantByVerdict } from "./grant.ts";
import { rememberedYes } from "./memory.ts";
import { askedFindings } from "./offer.ts";
import { createQuestion } from "./question.ts";
import { isFromQueue } from "./queue.ts";
import { refusal } from "./refusal.ts";
import { reasonLines } from "./review-comments.ts";
import { sessionTitle } from "./session-title.ts";
import { settle, type SettleContext } from "./settle.ts";

export interface ApprovalContext extends SettleContext {
  /** The remembered yeses that are valid for this agent, session and project now. */
  readonly answers: () => Promise<RuleIndex>;
  readonly approvers: readonly Approver[];
  readonly callId: string;
  readonly session: string;
  /** True if the session cannot be opened again. */
  readonly endsWithGate?: boolean;
  readonly project: string;
  /** What the program that called says it is. */
  readonly claimedBy?: string | undefined;
  readonly timeoutMs: number;
  /** The command with which a person starts this program. */
  readonly command?: OwnCommand | undefined;
  /** Returns a new id for a question, or the id of an identical question that waits already. */
  readonly questionId: (digest: string) => Promise<string>;
  readonly signal: AbortSignal | undefined;
  /** The diff of a push, shown beside the question. */
  readonly diff?: Question["diff"];
  readonly asked: (question: Question) => void;
  readonly timedOut: (question: Question) => void;
  /** Called when the caller cancels while the question waits, and the approver has left it. */
  readonly cancelled?: (question: Question) => Promise<void>;
}

export async function approve(action: Action, verdict: Verdict, context: ApprovalContext): Promise<Result<Grant>> {
  if (verdict.decision === "allow") return ok(grantByVerdict(action, verdict));
  const { command = bareOwnCommand } = context;
  if (verdict.decision === "deny") return no(refusal(verdict, null, command));
  const remembered = await rememberedFor(action, verdict, context);
  if (remembered !== null) return ok(grantByMemory(action, remembered));
  if (context.approvers.length === 0) return no(refusal(verdict, null, command));

  const { callId, session, project, claimedBy } = context;
  const sessionName = sessionTitle({ session, agent: action.agent, project, claimedBy });
  const question = createQuestion({
    id: await context.questionId(action.digest),
    askedAt: context.now(),
    callId,
    session,
    project,
    action,
    verdict,
    ...(sessionName === undefined ? {} : { sessionName }),
    ...(context.endsWithGate === true ? { endsWithGate: true } : {}),
    ...(claimedBy === undefined ? {} : { claimedBy }),
    ...(context.diff === undefined ? {} : { diff: context.diff }),
  });
  const size = new TextEncoder().encode(question.text).length;
  if (size > limits.questionBytes) {
    const tooLong = refusal(
      verdict,
      `It is too long to show to a person whole (${size} bytes, at most ${limits.questionBytes}), so nobody was asked.`,
      command,
    );
    return no(tooLong);
  }
  context.asked(question);
  return await ask(question, context);
}

async function ask(question: Question, context: ApprovalContext): Promise<Result<Grant>> {
  const { action, verdict } = question;
  // AbortSignal.timeout would not keep the process alive: a process with nothing else to do would end before it.
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new DOMException("nobody answered in time", "TimeoutError")),
    Math.min(context.timeoutMs, 2 ** 31 - 1),
  );
  const deadline = late.signal;
  const signal = context.signal === undefined ? deadline : AbortSignal.any([deadline, context.signal]);
  let hint: string | null = null;
  let asking: ReturnType<Approver["ask"]> = Promise.resolve(null);
  try {
    for (const approver of context.approvers) {
      if (signal.aborted) break;
      asking = (async () => await approver.ask(question, signal))();
      const response = await respond(approver.name, asking, signal);
      if (signal.aborted) break;
      if (response === null || response === undefined) continue;
      if (isNobody(response)) {
        hint = response.nobody ?? hint;
        continue;
      }
      const answer = isFromQueue(response) ? response.settled : await settle(question, response, context);
      return answer.decision === "allow" ? ok(grantByAnswer(action, answer)) : no(deniedBy(answer));
    }
  } finally {
    clearTimeout(timer);
  }
  if (context.signal?.aborted === true) {
    if (isCancelled(context.signal)) {
      await hasLeft(asking);
      await context.cancelled?.(question);
    }
    return no(failure("tool_failed", "The caller cancelled before anybody answered."));
  }
  if (!deadline.aborted) return no(refusal(verdict, hint, context.command ?? bareOwnCommand));
  context.timedOut(question);
  const later = context.approvers.find((approver) => approver.later !== undefined);
  return no(
    failure("approval_timeout", `Nobody answered within ${context.timeoutMs / 1000} seconds. That is not a no.`, {
      hint: (await later?.later?.(question)) ?? "The same call asks again.",
      because: askedFindings(verdict).map(({ because }) => because),
    }),
  );
}

// The approver is code of others, so its type is not checked at run time.
const isNobody = (response: Response) => typeof response === "object" && "nobody" in response;

/** False if the caller is gone in another way, by a deadline of its own or with its process: it may come back for the answer. */
function isCancelled({ reason }: AbortSignal): boolean {
  return !(reason instanceof Error) || reason.name === "AbortError";
}

/** An approver is code of others, so it does not hold the reply up for longer. */
const LEAVES_MS = 2_000;

async function hasLeft(asking: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, LEAVES_MS);
  await Promise.race([asking.catch(() => undefined), late]);
  clearTimeout(timer);
}

/** An approver that throws or returns nothing counts as one that cannot answer. */
async function respond(name: string, asking: ReturnType<Approver["ask"]>, signal: AbortSignal) {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const tell = () => resolve(undefined);
  signal.addEventListener("abort", tell, { once: true });
  try {
    if (signal.aborted) tell();
    return await Promise.race([asking, late]);
  } catch (error) {
    return { nobody: `The approver ${name} failed: ${String(error)}` };
  } finally {
    signal.removeEventListener("abort", tell);
  }
}

/** The names of the remembered answers that together allow everything that is asked; null if one is missing. */
async function rememberedFor(
  action: Action,
  verdict: Verdict,
  context: ApprovalContext,
): Promise<readonly string[] | null> {
  if (action.contents.length > 0) return null;
  const answers = await context.answers();
  const names = askedFindings(verdict).map(({ effect }) => rememberedYes(answers, effect));
  return names.includes(null) ? null : [...new Set(names as string[])];
}

/** A message is one line. Of a longer reason each line, or comment on a line of a diff, is a reason of its own. */
function deniedBy({ who, reason, question }: SettledAnswer): Failure {
  const by = `answered by ${who} (question ${question})`;
  const said = reasonLines(reason ?? "").map((line) => displayText(line, { maxLength: 4_000 }));
  const [only, second] = said;
  if (only === undefined) return failure("approval_denied", "A person said no.", { because: [by] });
  if (second === undefined) return failure("approval_denied", `A person said no: ${only}`, { because: [by] });
  return failure("approval_denied", "A person said no, and wrote what should change.", { because: [...said, by] });
}

function no(why: Failure): Result<never> {
  return { ok: false, failure: why };
}
