// Opens the store and a gate for each session of an MCP server. It is loaded once a client has connected.

import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { Environment } from "../../config/environment.ts";
import { resolvePath } from "../../process/real-path.ts";
import type { PullListener } from "../../runtime/auto-pull.ts";
import { openGateOn } from "../../runtime/gate.ts";
import { needAgent } from "../../runtime/gate-error.ts";
import { type Backend, openBackend } from "../../runtime/backend.ts";
import { openSession } from "../../mcp/session.ts";
import type { Opener } from "../../mcp/sessions.ts";
import { commandRegistry } from "../command-registry.ts";
import { checkSessionFlag, type GateFlags, loadFromFlags, workerOf } from "../open-gate.ts";

export interface McpBackend {
  readonly backend: Backend;
  /** The owner of the token: the agent, and the worker if there is one. */
  readonly owner: string;
  /** A short name of the worker. It separates the sessions of its clients from those of other workers. */
  readonly worker: string | null;
  /** With `--session`, every client gets that session. */
  readonly open: Opener;
}

/** The name of the token's file: the agent's name if it has only plain characters. No agent's name begins with "~". */
function ownerOf(agent: string, worker: string | null): string {
  return worker === null && /^[\w-]{1,32}$/.test(agent) ? agent : `~${shortHash(`${agent}\0${worker ?? ""}`)}`;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

export function openMcpBackend(flags: GateFlags, environment: Environment, onPull: PullListener): McpBackend {
  const config = loadFromFlags(flags, environment);
  checkSessionFlag(flags);
  needAgent(config, flags.agent ?? "default");
  const worker = flags.worker === undefined ? undefined : workerOf(flags.worker, config);
  const backend = openBackend(config);
  backend.notifier.start();
  const registry = commandRegistry();
  const open: Opener = async (name) => {
    const session = flags.session ?? name;
    const gate = openGateOn(backend, {
      registry,
      ...(flags.agent === undefined ? {} : { agent: flags.agent }),
      ...(session === undefined ? {} : { session }),
      ...(worker === undefined ? {} : { worker }),
    });
    return openSession(gate, onPull);
  };
  const workerName = flags.worker === undefined ? null : shortHash(resolvePath(resolve(flags.worker)).real);
  return { backend, owner: ownerOf(flags.agent ?? "default", workerName), worker: workerName, open };
}
