// What stands behind an MCP server: the store, and a gate for each session. Loaded once a client is there.

import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { Environment } from "../config/environment.ts";
import { resolvePath } from "../process/real-path.ts";
import type { TellPull } from "../runtime/auto-pull.ts";
import { openGate } from "../runtime/gate.ts";
import { needAgent } from "../runtime/gate-error.ts";
import { type Gatehouse, openGatehouse } from "../runtime/gatehouse.ts";
import { openSession } from "../mcp/session.ts";
import type { Opener } from "../mcp/sessions.ts";
import { commandRegistry, type GateFlags, loadFromFlags, workerOf } from "./open-gate.ts";
import { UsageError } from "./usage-error.ts";

export interface McpHouse {
  readonly house: Gatehouse;
  /** Whose sessions and token these are: the agent, and the worker if there is one. */
  readonly owner: string;
  /** With `--session`, every client has that one. */
  readonly open: Opener;
}

/** A name for files and sessions: an agent's own where it is a plain one. */
function ownerOf({ agent = "default", worker }: GateFlags): string {
  const plain = /^[\w-]{1,32}$/.test(agent) && worker === undefined;
  return plain
    ? agent
    : createHash("sha256")
        .update(`${agent}\0${worker === undefined ? "" : resolvePath(resolve(worker)).real}`)
        .digest("hex")
        .slice(0, 16);
}

export function openMcpHouse(flags: GateFlags, environment: Environment, told: TellPull): McpHouse {
  const config = loadFromFlags(flags, environment);
  if (flags.session === "") throw new UsageError("--session: empty", "Write a name after it, or leave it out.");
  needAgent(config, flags.agent ?? "default");
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
  return { house, owner: ownerOf(flags), open };
}
