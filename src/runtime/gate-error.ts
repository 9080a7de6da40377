// The error of a gate that cannot be opened, and the checks before anything is opened: registry, agent's name and session's name.

import { agentCapability, type Config } from "../config/load.ts";
import type { Capability } from "../policy/capability.ts";
import { parseSessionName } from "../shared/session-id.ts";
import { displayText } from "../shared/display.ts";
import { nearestName } from "../shared/nearest.ts";
import type { Registry } from "../tools/registry.ts";

/** Thrown if the options, the configuration, the store, the workspace, or the agent's or session's name do not allow opening a gate. */
export class GateError extends Error {
  override readonly name = "GateError";
  readonly hint: string | undefined;

  constructor(message: string, { hint, cause }: { readonly hint?: string | undefined; readonly cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.hint = hint;
  }
}

/** Checked at run time, because without type checking a gate would open in which no call works. */
export function needRegistry(options: { readonly registry: Registry }): void {
  const registry = (options as { readonly registry?: Partial<Registry> | null } | undefined)?.registry;
  if (typeof registry?.find === "function" && Array.isArray(registry.names)) return;
  const problem = registry === undefined ? "missing" : "not a registry";
  throw new GateError(`registry: ${problem}. Pass what createRegistry() gives, with your tools registered in it.`);
}

/** A misspelt option would leave the default in force without a word: another project, or no approver. */
export function needKnownOptions(options: object, known: Readonly<Record<string, true>>): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const near = nearestName(unknown, Object.keys(known));
  const hint = near === undefined ? `There are ${Object.keys(known).join(", ")}.` : `Did you mean ${near}?`;
  throw new GateError(`${displayText(unknown)}: createGate has no such option. ${hint}`, { hint });
}

export function needAgent(config: Config, name: string): Capability {
  const found = agentCapability(config, name);
  if (found.ok) return found.value;
  throw new GateError(`${found.failure.message}. ${found.failure.hint ?? ""}`.trim());
}

/** The name is undefined for a session that ends with its gate. */
export function needSessionName(name: string | undefined): void {
  const parsed = name === undefined ? null : parseSessionName(name);
  if (parsed?.ok === false) throw new GateError(`session: ${parsed.failure.message}`, { hint: parsed.failure.hint });
}
