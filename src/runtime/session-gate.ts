// The gate over an opened session: it makes its calls, one live call after another or at once, and closes it.

import type { Action } from "../action/action.ts";
import type { SharedRule } from "../approval/shared-store.ts";
import type { Journal } from "../audit/journal.ts";
import type { Config } from "../config/load.ts";
import type { Worker } from "../config/worker.ts";
import type { Capability } from "../policy/capability.ts";
import type { Verdict } from "../policy/decision.ts";
import type { RuleIndex } from "../policy/rule-index.ts";
import type { RunListener } from "../process/starter.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { failure } from "../shared/failure.ts";
import { ok, type Result } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";
import type { Registry } from "../tools/registry.ts";
import type { AnswerService } from "./answer-service.ts";
import type { CallRequest } from "./call.ts";
import type { LiveCall } from "./call-context.ts";
import { CallRecord } from "./call-record.ts";
import type { GateSession } from "./gate-session.ts";
import type { InsideServer } from "./inside-server.ts";
import { type Approvers, openedApprovers } from "./opened-approvers.ts";
import { type Reply, replyOf } from "./reply.ts";
import { judgeCall, run } from "./run.ts";
import type { CallNotes } from "./session-workspace.ts";
import type { Repositories } from "./walk.ts";

export interface CallOptions extends RunListener {
  /** Asked for this call, instead of the gate's approvers. */
  readonly approvers?: Approvers | undefined;
  /** The longest time that a question of this call waits, even if the configuration allows more. */
  readonly maxWaitMs?: number | undefined;
  /** What the program that calls says it is: shown with a question, and never believed. */
  readonly claimedBy?: string | undefined;
  /** What the programs of this call reach of the session, at `limits.insidePort` of their own localhost. */
  readonly inside?: InsideServer | undefined;
}

export interface Gate {
  readonly agent: string;
  readonly session: string;
  readonly config: Config;
  readonly capability: Capability;
  readonly sandbox: Sandbox;
  readonly journal: Journal;
  readonly answerService: AnswerService;
  readonly registry: Registry;
  readonly worker: Worker | null;
  /** Never rejects. Every failure is a reply. */
  call<Name extends string>(request: CallRequest<Name>, options?: CallOptions): Promise<Reply<Name>>;
  /**
   * A dry run: what a call would do, and its verdict. Nothing is recorded and nobody is asked. No program of the agent runs; for a push
   * or pull, git reads a repository of this machine in a box.
   */
  plan(request: CallRequest): Promise<Result<{ action: Action; verdict: Verdict } & CallNotes>>;
  /** The rules that are valid for the project and everywhere. */
  readonly storedRules: () => readonly SharedRule[];
  /** The remembered yeses that count now for this agent in this session and project. */
  answers(): Promise<RuleIndex>;
  close(): void;
  /** Resolves when the gate is closed and, if the session ends with it, its questions are withdrawn. */
  readonly closed: Promise<void>;
}

/** What a session does not have, and its gate needs. */
export interface SessionGateParts {
  readonly repositories: Repositories;
  readonly worker: Worker | null;
  /** The person who makes the calls in the name of the session. */
  readonly calledBy: string | undefined;
  readonly storedRules: () => readonly SharedRule[];
  /** Whether the session has asked anything. */
  readonly hasAsked: () => boolean;
  /** Lets timers and other calls have their turn. */
  readonly nextTurn: () => Promise<void>;
  /** Called after the questions are withdrawn, or before `close` returns if there are none. */
  readonly whenClosed: () => Promise<void>;
}

export function gateOfSession(own: GateSession, parts: SessionGateParts): Gate {
  const { repositories, whenClosed } = parts;
  const { id, backend, workspace, capability, rules, registry, endsWithGate } = own;
  const { config, sandbox, journal, answerService } = backend;
  const closing = Promise.withResolvers<void>();
  let isClosed = false;
  const call = async (request: CallRequest, callOptions?: CallOptions): Promise<Reply> => {
    if (isClosed) return replyOf(closedFailure);
    const record = new CallRecord(journal, { session: id.name, agent: id.agent }, parts.calledBy);
    const reply = await answer(requestOrEmpty(request), own, record, callOptions ?? {}, repositories);
    // Otherwise a sequence of calls that never wait would block everything else.
    await parts.nextTurn();
    return reply;
  };
  return {
    agent: id.agent,
    session: id.name,
    config,
    capability,
    sandbox,
    journal,
    answerService,
    registry,
    worker: parts.worker,
    // The schema of the tool says what a result has; the name says which tool.
    call: call as Gate["call"],
    storedRules: parts.storedRules,
    answers: () => rules.answers(),
    async plan(request) {
      if (isClosed) return { ok: false, failure: closedFailure };
      const planned = await judgeCall(requestOrEmpty(request), own, null, repositories);
      return planned.ok ? ok({ ...planned.value.judged, ...planned.value.notes }) : planned;
    },
    closed: closing.promise,
    close() {
      if (isClosed) return;
      isClosed = true;
      workspace.close();
      const isAsking = endsWithGate && parts.hasAsked();
      closing.resolve(isAsking ? withdraw(id, answerService).then(whenClosed) : whenClosed());
    },
  };
}

const closedFailure = failure("tool_failed", "The gate is closed.", {
  hint: "gate.close() was called. Open another one with createGate() to make calls.",
});

/** A missing request becomes an empty one, which is answered as one without a tool. */
function requestOrEmpty(request: CallRequest | null | undefined): CallRequest {
  return request ?? ({} as CallRequest);
}

/** If this fails, the next process that lists the questions withdraws them after this process has ended. */
async function withdraw(session: SessionId, answerService: AnswerService): Promise<void> {
  try {
    await answerService.withdrawSession(session);
  } catch {}
}

/** A call can bring its own approvers, but it cannot choose what they are asked about. */
function liveCall(options: CallOptions, { backend, approvers }: GateSession, record: CallRecord): LiveCall {
  const { config, answerService } = backend;
  return {
    record,
    listener: options,
    approvers: options.approvers === undefined ? approvers : openedApprovers(config, answerService, options.approvers),
    claimedBy: options.claimedBy,
    inside: options.inside ?? null,
    timeoutMs: Math.min(config.approvals.timeoutS * 1000, options.maxWaitMs ?? Infinity),
  };
}

/** The only code that catches a Fault. A Fault means no, even if the no cannot be recorded; unless it came too late for that. */
async function answer(
  request: CallRequest,
  session: GateSession,
  record: CallRecord,
  options: CallOptions,
  repositories: Repositories,
): Promise<Reply> {
  try {
    return await run(request, session, liveCall(options, session, record), repositories);
  } catch (fault) {
    const message = fault instanceof Error ? fault.message : String(fault);
    if (record.isDone)
      return replyOf(
        failure("internal", `This was done, and then the gate itself failed: ${message}`, {
          hint: "Look at what it did before you call it again. The record may show it without an end.",
        }),
      );
    const why =
      options.signal?.aborted === true
        ? failure("tool_failed", "The caller cancelled.", { because: [message] })
        : failure("internal", `The gate itself failed, so the answer is no: ${message}`);
    try {
      record.denied(why);
    } catch {
      return replyOf({ ...why, hint: "The record could not be written either." });
    }
    return replyOf(why);
  }
}
