// Why a gate cannot be opened, and what must be right before anything is: the tools, and the agent's and the session's names.

import { agentCapability, type Config } from "../config/load.ts";
import type { Capability } from "../policy/capability.ts";
import { parseSessionName } from "../shared/session-id.ts";
import type { Registry } from "../tools/registry.ts";

/** A gate could not be opened: the options, the configuration, the store, the workspace, the agent's name or the session's. */
export class GateError extends Error {
  override readonly name = "GateError";
  readonly hint: string | undefined;

  constructor(message: string, { hint, cause }: { readonly hint?: string | undefined; readonly cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.hint = hint;
  }
}

/** Where nobody checks types, a gate would open in which no call works. */
export function needRegistry(options: { readonly registry: Registry }): void {
  const registry = (options as { readonly registry?: Partial<Registry> | null } | undefined)?.registry;
  if (typeof registry?.find === "function" && Array.isArray(registry.names)) return;
  const problem = registry === undefined ? "missing" : "not a registry";
  throw new GateError(`registry: ${problem}. Pass what createRegistry() gives, with your tools registered in it.`);
}

export function needAgent(config: Config, name: string): Capability {
  const found = agentCapability(config, name);
  if (found.ok) return found.value;
  throw new GateError(`${found.failure.message}. ${found.failure.hint ?? ""}`.trim());
}

/** Undefined: the session has no name, and ends with its gate. */
export function needSessionName(name: string | undefined): void {
  const parsed = name === undefined ? null : parseSessionName(name);
  if (parsed?.ok === false) throw new GateError(`session: ${parsed.failure.message}`, { hint: parsed.failure.hint });
}
