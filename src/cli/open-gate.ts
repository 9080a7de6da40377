// Opens a gate from the flags that every calling command has.

import { describeConfigErrors } from "../config/config-error.ts";
import type { Environment } from "../config/environment.ts";
import { type Config, loadConfig } from "../config/load.ts";
import type { PathFlags } from "../config/own-command.ts";
import { loadWorker, type Worker } from "../config/worker.ts";
import { resolvePath } from "../process/real-path.ts";
import { createGate } from "../runtime/gate.ts";
import type { Gate } from "../runtime/session-gate.ts";
import { defaultSession } from "../runtime/session.ts";
import { parseSessionName } from "../shared/session-id.ts";
import type { ApproverFlags, ApproversOf } from "./approvers.ts";
import { commandRegistry } from "./command-registry.ts";
import { UsageError } from "./usage-error.ts";

export interface GateFlags extends ApproverFlags, PathFlags {
  readonly agent?: string;
  readonly session?: string;
  readonly workspace?: string;
  readonly worker?: string;
}

export function loadFromFlags(flags: GateFlags, environment: Environment): Config {
  const loaded = loadConfig({
    configPath: flags.config,
    statePath: flags.state,
    project: flags.project,
    workspace: flags.workspace,
    environment,
  });
  if (!loaded.ok) throw new UsageError(describeConfigErrors(loaded.errors));
  return loaded.config;
}

export function checkSessionFlag({ session }: GateFlags): void {
  const parsed = session === undefined ? null : parseSessionName(session);
  if (parsed?.ok !== false) return;
  const { message, hint } = parsed.failure;
  throw new UsageError(`--session: ${message}`, session === "" ? "Write a name after it, or leave it out." : hint);
}

/** Without approvers the gate asks nobody. */
export function openGateFromFlags(flags: GateFlags, environment: Environment, approvers: ApproversOf = () => []): Gate {
  const config = loadFromFlags(flags, environment);
  const agent = flags.agent ?? "default";
  checkSessionFlag(flags);
  const session = flags.session ?? defaultSession(config.project, agent);
  const worker = flags.worker === undefined ? {} : { worker: workerOf(flags.worker, config) };
  return createGate({ registry: commandRegistry(), config, agent, session, approvers: approvers(config), ...worker });
}

export function workerOf(file: string, { project, home }: Config): Worker {
  const loaded = loadWorker(file, { project: resolvePath(project), home });
  if (!loaded.ok) throw new UsageError(describeConfigErrors(loaded.errors));
  return loaded.worker;
}
