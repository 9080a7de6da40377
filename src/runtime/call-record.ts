// Writes the entries of one call to the record. They share the call's id.

import type { Action, Operation, Step } from "../action/action.ts";
import type { Question, SettledAnswer } from "../approval/approver.ts";
import type { Grant } from "../approval/grant.ts";
import type { EntryDecision, EntryDraft } from "../audit/entry.ts";
import type { Journal } from "../audit/journal.ts";
import { reasonsOf, type Verdict } from "../policy/decision.ts";
import type { RuleText } from "../policy/rule.ts";
import type { Failure } from "../shared/failure.ts";
import type { StepOutcome } from "../tools/tool.ts";
import type { CallRequest } from "./call.ts";
import { calledByPrefix } from "../audit/entry-text.ts";
import { recordAnswer } from "./recorded-answer.ts";
import { recordedTitle } from "./recorded-title.ts";

export class CallRecord {
  readonly callId = crypto.randomUUID();
  readonly #journal: Journal;
  readonly #who: { readonly session: string; readonly agent: string };
  readonly #calledBy: string | undefined;
  #request: CallRequest = { tool: "" };
  #digest: string | null = null;
  #verdict: Verdict | null = null;
  #decidedBy = "rule";
  #isDone = false;

  /** `calledBy`: a person who makes the call in the name of the session. */
  constructor(journal: Journal, who: { readonly session: string; readonly agent: string }, calledBy?: string) {
    this.#journal = journal;
    this.#who = who;
    this.#calledBy = calledBy;
  }

  /** Whether what was granted was carried out, be it recorded or not. */
  get isDone(): boolean {
    return this.#isDone;
  }

  received(request: CallRequest): void {
    this.#request = request;
    // Not durable: the entry survives if the gate is killed, and the next durable entry makes both survive a power cut.
    const by = this.#calledBy === undefined ? {} : { because: [`${calledByPrefix}${this.#calledBy}`] };
    this.#append({ event: "tool.call.received", args: request.args ?? {}, ...by }, false);
  }

  /** Appends nothing. The entries that follow have this digest and, as reasons, this verdict. */
  noteJudged({ action, verdict }: { readonly action: Action; readonly verdict: Verdict }): void {
    this.#digest = action.digest;
    this.#verdict = verdict;
  }

  /** The same for the action that was granted, which may be that of the reduced plan, and who said yes. */
  noteGranted(judged: { readonly action: Action; readonly verdict: Verdict }, { decidedBy }: Grant): void {
    this.noteJudged(judged);
    this.#decidedBy = decidedBy;
  }

  /** Records the answer, and the rules that it added. */
  answered(question: Question, answer: SettledAnswer, rules: readonly RuleText[]): void {
    recordAnswer(this.#journal, question, answer, rules);
  }

  asked(question: Question): void {
    const { id, severity, verdict, action } = question;
    const { digest } = action;
    const outcome = { question: id, severity, asked: recordedTitle(question) };
    this.#append({ event: "approval.requested", decision: "ask", because: reasonsOf(verdict), outcome, digest }, true);
  }

  timedOut(question: Question): void {
    const { id, action } = question;
    const outcome = { question: id, asked: recordedTitle(question) };
    this.#append({ event: "approval.timeout", outcome, digest: action.digest }, false);
  }

  denied(why: Failure): void {
    const args = this.#request.args ?? {};
    this.#append({ event: "tool.call.denied", args, decision: "deny", because: why.because ?? [], outcome: why }, true);
  }

  dispatched(step: Step): void {
    const { argv, program, cwd, environment, timeoutMs } = step;
    const args = { argv, program, cwd, env: Object.fromEntries(environment), timeout_s: timeoutMs / 1000 };
    this.#append({ event: "tool.call.dispatched", args, decision: "allow", because: this.#reasons() }, true);
  }

  /** Records that a commit was staged, discarded or pushed, that files were pulled, or that a draft began. */
  note(
    event: "commit.staged" | "commit.discarded" | "commit.pushed" | "files.pulled" | "session.began",
    outcome: object,
  ): void {
    this.#append({ event, outcome }, true);
  }

  /** Records work that the gate does itself. Like a start, it is on disk before the work begins. */
  performing(operation: Operation): void {
    this.#append({ event: "tool.call.dispatched", args: operation, decision: "allow", because: this.#reasons() }, true);
  }

  /** Records what has a walk of its own within the call, before it begins: a contact to another machine, or a late landing. */
  beginning({ operation, digest }: Action, verdict: Verdict, { decidedBy }: Grant): void {
    const because = reasonsBy(verdict, decidedBy);
    this.#append({ event: "tool.call.dispatched", args: operation, decision: "allow", because, digest }, true);
  }

  /** Records a host that a program of the call wants to reach, before it is reached. */
  opened(
    { action, verdict }: { readonly action: Action; readonly verdict: Verdict },
    decision: EntryDecision,
    why: string | null,
  ): void {
    const because = why === null ? reasonsOf(verdict) : [...reasonsOf(verdict), why];
    const args = { host: action.operation?.path };
    this.#append({ event: "network.opened", args, decision, because, digest: action.digest }, true);
  }

  /** Records what went over the connections to one host. */
  used(args: object, outcome: object): void {
    this.#append({ event: "network.used", args, outcome }, false);
  }

  /** Records one request that had a credential of the person. */
  requested(args: object, outcome: object | null): void {
    this.#append({ event: "network.request", args, outcome }, false);
  }

  performed(): void {
    this.#isDone = true;
    this.#append({ event: "tool.call.finished", outcome: { ok: true } }, false);
  }

  finished(outcomes: readonly StepOutcome[]): void {
    this.#isDone = true;
    const steps = outcomes.map(({ outcome, artifacts, notKept }) => ({
      exit_code: outcome.exitCode,
      signal: outcome.signal,
      duration_s: outcome.durationMs / 1000,
      timed_out: outcome.timedOut,
      cancelled: outcome.cancelled,
      limit_hit: outcome.limitHit,
      stdout_bytes: outcome.stdout.bytes,
      stderr_bytes: outcome.stderr.bytes,
      stdout_truncated: outcome.stdout.truncated,
      stderr_truncated: outcome.stderr.truncated,
      ...(artifacts.length === 0 ? {} : { artifacts: artifacts.slice(0, 100), artifact_count: artifacts.length }),
      ...(notKept.length === 0 ? {} : { not_kept: notKept.slice(0, 100) }),
    }));
    const outcome =
      steps.length === 1 ? steps[0] : { steps, duration_s: steps.reduce((sum, step) => sum + step.duration_s, 0) };
    // Not durable, as in `received`: a power cut may lose the entry, and then the call is shown without an end.
    this.#append({ event: "tool.call.finished", outcome }, false);
  }

  #reasons(): string[] {
    return reasonsBy(this.#verdict, this.#decidedBy);
  }

  #append(draft: EntryDraft, durable: boolean): void {
    const tool = typeof this.#request.tool === "string" ? this.#request.tool : null;
    this.#journal.append({ ...this.#who, call_id: this.callId, tool, digest: this.#digest, ...draft }, { durable });
  }
}

function reasonsBy(verdict: Verdict | null, decidedBy: string): string[] {
  const reasons = verdict === null ? [] : reasonsOf(verdict);
  return decidedBy === "rule" ? reasons : [...reasons, `allowed by ${decidedBy}`];
}
