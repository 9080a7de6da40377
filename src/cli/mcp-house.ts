// What stands behind an MCP server: the store, and a gate for each session. Loaded once a client is there.

import type { Environment } from "../config/environment.ts";
import type { AutoPulled } from "../runtime/auto-pull.ts";
import { openGate } from "../runtime/gate.ts";
import { type Gatehouse, openGatehouse } from "../runtime/gatehouse.ts";
import { openSession } from "../mcp/session.ts";
import type { Opener } from "../mcp/sessions.ts";
import { commandRegistry, type GateFlags, loadFromFlags, workerOf } from "./open-gate.ts";
import { UsageError } from "./usage-error.ts";

export interface McpHouse {
  readonly house: Gatehouse;
  /** With `--session`, every client has that one. */
  readonly open: Opener;
}

export function openMcpHouse(flags: GateFlags, environment: Environment, told: (pulled: AutoPulled) => void): McpHouse {
  const config = loadFromFlags(flags, environment);
  if (flags.session === "") throw new UsageError("--session: empty", "Write a name after it, or leave it out.");
  const worker = flags.worker === undefined ? undefined : workerOf(flags.worker, config);
  const house = openGatehouse(config);
  const registry = commandRegistry();
  const open: Opener = async (name) => {
    const session = flags.session ?? name;
    const gate = openGate(house, {
      registry,
      ...(flags.agent === undefined ? {} : { agent: flags.agent }),
      ...(session === undefined ? {} : { session }),
      ...(worker === undefined ? {} : { worker }),
    });
    return openSession(gate, told);
  };
  return { house, open };
}
