// A throw-away place on the clone's own disk (a /tmp in memory would make the record's commits look free), and gates in it.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadConfig } from "../src/config/load.ts";
import {
  type Approver,
  createGate,
  createRegistry,
  type Gate,
  registerBashTool,
  registerBuiltinTools,
  registerExecTool,
  registerGitTool,
  registerShellTool,
} from "../src/index.ts";

export const repository = realpathSync(fileURLToPath(new URL("..", import.meta.url)));

export interface GrantLine {
  readonly path: string;
  readonly mode: "r" | "rw";
  readonly hide?: readonly string[];
  readonly tracked?: "shown";
}

export interface GateChoices {
  /** A session with a draft of the project. If absent, the workspace is in memory. */
  readonly session?: string;
  readonly netGrants?: readonly string[];
}

export interface Room {
  readonly directory: string;
  /** An empty directory of the room. */
  makeDirectory(name: string): string;
  openGate(project: string, grants: readonly GrantLine[], stateName?: string, choices?: GateChoices): Gate;
  /** Where a gate of this room has its state. */
  statePath(stateName?: string): string;
  /** Where the configuration, and with it the record's key, lies. */
  readonly configHome: string;
  /** Closes the room's gates and removes it all. */
  leave(): void;
}

/** A person who has read everything says yes at once. */
export const yes: Approver = {
  name: "bench",
  ask: async ({ action }) => ({ decision: "allow", digest: action.digest, scope: "once", who: "bench", reason: null }),
};

export function enterRoom(): Room {
  mkdirSync(`${repository}/tmp`, { recursive: true });
  const directory = mkdtempSync(`${repository}/tmp/bench-`);
  const configHome = `${directory}/config`;
  mkdirSync(configHome, { mode: 0o700 });
  const gates: Gate[] = [];
  const statePath = (stateName = "state") => `${directory}/${stateName}`;
  return {
    directory,
    configHome,
    statePath,
    makeDirectory(name) {
      mkdirSync(`${directory}/${name}`, { recursive: true });
      return `${directory}/${name}`;
    },
    openGate(project, grants, stateName, { session, netGrants = [] } = {}) {
      const agent = {
        tool_grants: ["Exec", "Git", "Shell", "Bash", "git_*"],
        fs_grants: [{ path: "/usr", mode: "r" }, ...grants],
        net_grants: netGrants,
      };
      const workspace = { kind: session === undefined ? "memory" : "draft" };
      const loaded = loadConfig({
        configText: JSON.stringify({ version: 1, agents: { default: agent }, workspace }),
        statePath: statePath(stateName),
        project,
        environment: { XDG_CONFIG_HOME: configHome, HOME: directory },
      });
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
      const registry = createRegistry();
      registerExecTool(registry);
      registerGitTool(registry);
      registerShellTool(registry);
      registerBashTool(registry);
      registerBuiltinTools(registry);
      const gate = createGate({
        registry,
        config: loaded.config,
        approvers: [yes],
        ...(session === undefined ? {} : { session }),
      });
      gates.push(gate);
      return gate;
    },
    leave() {
      for (const gate of gates) gate.close();
      // The process that keeps a draft mounted may write to its directory until it has noticed that its gate is closed.
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Calls Exec and answers with what the program printed. Anything but exit code 0 is thrown. */
export async function callExec(gate: Gate, argv: readonly string[]): Promise<string> {
  const reply = await gate.call({ tool: "Exec", args: { argv } });
  if (!reply.ok || reply.result["exit_code"] !== 0) throw new Error(`the call went wrong: ${JSON.stringify(reply)}`);
  return String(reply.result["stdout"]);
}
