// The gate: the object through which a program makes calls for one agent in one session. It is opened once and closed once.

import { randomUUID } from "node:crypto";
import type { Action } from "../action/action.ts";
import { type Journal, JournalFault } from "../audit/journal.ts";
import { describeConfigErrors } from "../config/config-error.ts";
import { readEnvironment } from "../config/environment.ts";
import type { Worker } from "../config/worker.ts";
import { type Config, loadConfig } from "../config/load.ts";
import { shownDirectories } from "../config/workspace-config.ts";
import { type Capability, derive, type NarrowerCapability } from "../policy/capability.ts";
import type { Verdict } from "../policy/decision.ts";
import { grantDirectories } from "../policy/grant-directories.ts";
import type { RuleIndex } from "../policy/rule-index.ts";
import type { RunListener } from "../process/starter.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { failure } from "../shared/failure.ts";
import { ok, type Result } from "../shared/result.ts";
import type { SessionId } from "../shared/session-id.ts";
import { createEventLoopYield } from "../store/event-loop-yield.ts";
import type { Registry } from "../tools/registry.ts";
import type { CallRequest } from "./call.ts";
import type { LiveCall } from "./call-context.ts";
import type { AnswerService } from "./answer-service.ts";
import { GateError, needAgent, needRegistry, needSessionName } from "./gate-error.ts";
import type { GateSession } from "./gate-session.ts";
import { type Approvers, type Backend, openedApprovers, openBackend } from "./backend.ts";
import type { InsideServer } from "./inside-server.ts";
import { nodeMachine } from "./node-machine.ts";
import { CallRecord } from "./call-record.ts";
import { type Reply, replyOf } from "./reply.ts";
import { openRuleBook } from "./rule-book.ts";
import { judgeCall, run } from "./run.ts";
import type { CallNotes } from "./session-workspace.ts";
import { machineRepositories } from "./machine-repositories.ts";
import { workerRules } from "./worker-rules.ts";
import { openSessionWorkspace } from "./open-workspace.ts";
import { agentByRecord } from "./session.ts";

/** A session's agent, tools, and approvers. */
export interface SessionOptions {
  readonly registry: Registry;
  readonly agent?: string;
  readonly session?: string;
  /** A loaded worker file. Its grants and rules narrow what the agent may do. */
  readonly worker?: Worker;
  /** Narrows what the agent may do; it never widens it. */
  readonly narrower?: NarrowerCapability;
  readonly approvers?: Approvers;
  /** The person who makes the calls in the name of the session. The record names them, and no remembered yes answers for them. */
  readonly calledBy?: string;
}

export interface GateOptions extends SessionOptions {
  /** A loaded configuration. Without it, the gate finds the configuration as the command line does. */
  readonly config?: Config;
  readonly configPath?: string;
  /** The configuration itself, as YAML or JSON text, instead of a file. */
  readonly configText?: string;
  readonly statePath?: string;
  readonly project?: string;
}

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
  call(request: CallRequest, options?: CallOptions): Promise<Reply>;
  /**
   * A dry run: what a call would do, and its verdict. Nothing is recorded and nobody is asked. No program of the agent runs; for a push
   * or pull, git reads a repository of this machine in a box.
   */
  plan(request: CallRequest): Promise<Result<{ action: Action; verdict: Verdict } & CallNotes>>;
  /** The remembered yeses that count now for this agent in this session and project. */
  answers(): Promise<RuleIndex>;
  close(): void;
  /** Resolves when the gate is closed and, if the session ends with it, its questions are withdrawn. */
  readonly closed: Promise<void>;
}

/** Opens a gate with its own backend. Closing the gate closes both. */
export function createGate(options: GateOptions): Gate {
  needRegistry(options);
  needSessionName(options.session);
  const config = options.config ?? loadOrThrow(options);
  needAgent(config, options.agent ?? "default");
  const backend = openBackendForGate(config);
  try {
    return openGateOn(backend, options, () => backend.close());
  } catch (error) {
    void backend.close();
    throw error;
  }
}

/** `whenClosed` is called after the questions are withdrawn, or before `close` returns if there are none. */
export function openGateOn(
  backend: Backend,
  options: SessionOptions,
  whenClosed: () => Promise<void> = () => Promise.resolve(),
): Gate {
  const { config, sandbox, journal, answerService } = backend;
  needRegistry(options);
  const agent = options.agent ?? "default";
  const granted = needAgent(config, agent);
  const narrowers = [options.worker?.narrower, options.narrower].filter((one) => one !== undefined);
  const narrowed = grantDirectories(granted, narrowers.reduce(derive, granted), shownDirectories(config.workspace));
  const session = options.session ?? `s-${randomUUID()}`;
  const sessionId = { agent, name: session };
  const more = options.worker === undefined ? [] : workerRules(options.worker, config.git.githubUrl);
  const { rules: shared } = backend.store;
  const endsWithGate = options.session === undefined;
  const kept = endsWithGate
    ? null
    : {
        stateDirectory: config.stateDirectory,
        session: sessionId,
        agentOf: agentByRecord(journal),
      };
  const { workspace, capability, target, below } = openSessionWorkspace(
    config,
    sandbox,
    narrowed,
    sessionId,
    kept,
    narrowers,
  );
  const rules = openRuleBook({
    config,
    agent,
    session,
    capability,
    shared,
    more,
    remembers: options.calledBy === undefined,
    command: backend.command,
  });
  let hasAsked = false;
  const own: GateSession = {
    id: sessionId,
    endsWithGate,
    machine: nodeMachine,
    backend,
    registry: options.registry,
    capability,
    rules,
    workspace,
    approvers: openedApprovers(config, answerService, options.approvers ?? []),
    defaultTarget: options.worker?.defaultTarget ?? target,
    below,
    onAsking: () => void (hasAsked = true),
  };
  const nextTurn = createEventLoopYield();
  const closing = Promise.withResolvers<void>();
  return {
    agent,
    session,
    config,
    capability,
    sandbox,
    journal,
    answerService,
    registry: options.registry,
    worker: options.worker ?? null,
    async call(request, callOptions) {
      const record = new CallRecord(journal, { session, agent }, options.calledBy);
      const reply = await answer(requestOrEmpty(request), own, record, callOptions ?? {});
      // Yields to timers and other calls. Otherwise a sequence of calls that never wait would block them.
      await nextTurn();
      return reply;
    },
    answers: () => rules.answers(),
    async plan(request) {
      const planned = await judgeCall(requestOrEmpty(request), own, null, machineRepositories);
      return planned.ok ? ok({ ...planned.value.judged, ...planned.value.notes }) : planned;
    },
    closed: closing.promise,
    close() {
      workspace.close();
      const isAsking = endsWithGate && hasAsked;
      closing.resolve(isAsking ? withdraw(sessionId, answerService).then(whenClosed) : whenClosed());
    },
  };
}

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

/** The only code that catches a Fault. A Fault means no, even if the no cannot be recorded. */
async function answer(
  request: CallRequest,
  session: GateSession,
  record: CallRecord,
  options: CallOptions,
): Promise<Reply> {
  try {
    return await run(request, session, liveCall(options, session, record), machineRepositories);
  } catch (fault) {
    const message = fault instanceof Error ? fault.message : String(fault);
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

function openBackendForGate(config: Config): Backend {
  try {
    return openBackend(config);
  } catch (error) {
    if (!(error instanceof JournalFault)) throw error;
    throw new GateError(error.message, { hint: error.hint, cause: error });
  }
}

function loadOrThrow(options: GateOptions): Config {
  const { configPath, statePath, project, configText } = options;
  const loaded = loadConfig({ configPath, statePath, project, configText, environment: readEnvironment() });
  if (!loaded.ok) throw new GateError(describeConfigErrors(loaded.errors));
  return loaded.config;
}
