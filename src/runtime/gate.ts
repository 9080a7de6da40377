// The gate: the object through which a program makes calls for one agent in one session. It is opened once and closed once.

import { randomUUID } from "node:crypto";
import { JournalFault } from "../audit/journal.ts";
import { describeConfigErrors } from "../config/config-error.ts";
import { readEnvironment } from "../config/environment.ts";
import type { Worker } from "../config/worker.ts";
import type { ShownConflict } from "../git/publish/push/shown-conflict.ts";
import { type Config, loadConfig } from "../config/load.ts";
import { loadRuleFiles } from "../config/rule-files.ts";
import { shownDirectories } from "../config/workspace-config.ts";
import { derive, type NarrowerCapability } from "../policy/capability.ts";
import { grantDirectories } from "../policy/grant-directories.ts";
import { createEventLoopYield } from "../store/event-loop-yield.ts";
import type { Registry } from "../tools/registry.ts";
import { GateError, needAgent, needRegistry, needSessionName } from "./gate-error.ts";
import type { GateSession } from "./gate-session.ts";
import { type Backend, openBackend } from "./backend.ts";
import { nodeMachine } from "./node-machine.ts";
import { openRuleBook } from "./rule-book.ts";
import { machineRepositories } from "./machine-repositories.ts";
import { machineRules } from "./machine-rules.ts";
import { type Approvers, openedApprovers } from "./opened-approvers.ts";
import { type Gate, gateOfSession } from "./session-gate.ts";
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

/** What only a person who lands a session is shown. No surface for agents has it. */
export interface PersonAtGate {
  readonly onConflict: (conflict: ShownConflict) => void;
}

/** `whenClosed` is called after the questions are withdrawn, or before `close` returns if there are none. */
export function openGateOn(
  backend: Backend,
  options: SessionOptions,
  whenClosed: () => Promise<void> = () => Promise.resolve(),
  person: PersonAtGate | null = null,
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
    disk: machineRules(config),
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
    onConflict: person?.onConflict ?? null,
    onAsking() {
      hasAsked = true;
      backend.notifier.start();
    },
  };
  return gateOfSession(own, {
    repositories: machineRepositories,
    worker: options.worker ?? null,
    calledBy: options.calledBy,
    storedRules: () => loadRuleFiles(config).stored,
    hasAsked: () => hasAsked,
    nextTurn: createEventLoopYield(),
    whenClosed,
  });
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
