// Collects what works on this machine and what is granted, as a value. `doctor --json` prints it unchanged.

import { existsSync, statSync } from "node:fs";
import { describeConfigErrors } from "../../config/config-error.ts";
import type { Environment } from "../../config/environment.ts";
import { type Config, loadConfig } from "../../config/load.ts";
import type { PathFlags } from "../../config/own-command.ts";
import { draftConfig } from "../../config/workspace-config.ts";
import {
  allowsWholeNetwork,
  allowsTool,
  type Capability,
  keepsTracked,
  mayReachHosts,
  plainPattern,
} from "../../policy/capability.ts";
import { describeNetGrants } from "../../policy/net-grants.ts";
import { type Suggestion, suggestGrants } from "../../process/toolchain-grants.ts";
import { hostsProblem } from "../../sandbox/listeners-trial.ts";
import { type Probe, probe } from "../../sandbox/probe.ts";
import { draftProblem } from "../../runtime/draft-problem.ts";
import { type ListedDraft, listDrafts } from "../../sandbox/draft-list.ts";
import { draftTrialProblem } from "../../sandbox/draft-trial.ts";
import { sandboxProblem } from "../../sandbox/sandbox.ts";
import type { RunLimits } from "../../shared/run-limits.ts";
import { sessionsWithoutAgent } from "../../store/sessions-without-agent.ts";
import { hasJournal, journalPath } from "../../store/sqlite.ts";
import { commandRegistry } from "../command-registry.ts";

export interface AgentReport {
  readonly name: string;
  /** The available tools, and whether the agent may use each. */
  readonly tools: readonly { readonly name: string; readonly granted: boolean }[];
  readonly tool_grants: readonly string[];
  readonly fs_grants: readonly {
    readonly path: string;
    readonly mode: "r" | "rw";
    readonly hide: readonly string[];
    /** Whether `hide` also applies to files that git tracks. */
    readonly tracked: "hidden" | "shown";
    readonly exists: boolean;
  }[];
  readonly network: "none" | "hosts" | "host";
  /** One line for each host or set of hosts, with what it opens. */
  readonly net_grants: readonly string[];
  /** Of a run of Exec or Git, and of one of Bash, Python or Shell. */
  readonly limits: RunLimits;
  readonly work_limits: RunLimits;
  readonly suggestions: readonly Suggestion[];
  /** Why this agent has no draft. Null if it has one, or another workspace is configured. */
  readonly no_draft: string | null;
}

export interface DirectoryReport {
  readonly path: string;
  readonly exists: boolean;
  readonly problem: string | null;
}

export interface ConfigurationReport {
  /** Null if the built-in defaults apply. */
  readonly file: string | null;
  /** The directory in which the gate looks for a file. */
  readonly directory: string;
  readonly project: string;
  readonly workspace: Config["workspace"];
  readonly approvals: Config["approvals"];
  readonly agents: readonly AgentReport[];
  readonly notes: readonly string[];
}

export interface DoctorReport {
  /** Whether calls can run on this machine. */
  readonly ok: boolean;
  readonly node: string;
  readonly machine: {
    readonly architecture: string;
    readonly bubblewrap: Probe["bubblewrap"];
    readonly overlay: boolean;
    /** Why no program can reach single hosts here. Null if they can. */
    readonly hosts: Probe["problem"];
    readonly cgroupHome: Probe["cgroupHome"];
    readonly findings: Probe["findings"];
  };
  readonly user: { readonly uid: number | null };
  readonly sandbox: { readonly require: "kernel" | "limits"; readonly problem: Probe["problem"] };
  readonly configuration: ConfigurationReport | null;
  readonly configuration_error: string | null;
  readonly state:
    | (DirectoryReport & {
        readonly log: string | null;
        /** Sessions that an earlier version kept without naming their agent. */
        readonly nobodys_sessions: readonly string[];
        readonly drafts: readonly ListedDraft[];
      })
    | null;
  readonly key: DirectoryReport | null;
}

export interface ReportFlags extends PathFlags {
  readonly workspace?: string;
}

export async function readReport(flags: ReportFlags, environment: Environment): Promise<DoctorReport> {
  const found = probe();
  const { project, workspace, config: configPath, state: statePath } = flags;
  const loaded = loadConfig({ configPath, statePath, project, workspace, environment });
  const config = loaded.ok ? loaded.config : null;
  const require = config?.sandbox.require ?? "kernel";
  const problem = sandboxProblem(found, require);
  const state = config === null ? null : describeDirectory(config.stateDirectory);
  const key = config === null ? null : describeDirectory(config.configDirectory);
  return {
    ok: config !== null && problem === null && state?.problem === null && key?.problem === null,
    node: process.version,
    machine: {
      architecture: found.architecture,
      bubblewrap: found.bubblewrap,
      overlay: found.overlay,
      hosts: await hostsProblem(found),
      cgroupHome: found.cgroupHome,
      findings: found.findings,
    },
    user: { uid: process.getuid?.() ?? null },
    sandbox: { require, problem },
    configuration: config === null ? null : describeConfiguration(config, found),
    configuration_error: loaded.ok ? null : describeConfigErrors(loaded.errors),
    state:
      state === null
        ? null
        : {
            ...state,
            log: hasJournal(state.path) ? journalPath(state.path) : null,
            nobodys_sessions: sessionsWithoutAgent(state.path),
            drafts: listDrafts(state.path),
          },
    key,
  };
}

function describeConfiguration(config: Config, probe: Probe): ConfigurationReport {
  return {
    file: config.file,
    directory: config.configDirectory,
    project: config.project,
    workspace: config.workspace,
    approvals: config.approvals,
    agents: [...config.agents].map(([name, capability]) => describeAgent(name, capability, config, probe)),
    notes: config.notes,
  };
}

function describeAgent(name: string, capability: Capability, config: Config, probe: Probe): AgentReport {
  const { programPath: person, home, project } = config;
  return {
    name,
    tools: commandRegistry().names.map((tool) => ({ name: tool, granted: allowsTool(capability, tool) })),
    tool_grants: capability.toolGrants,
    fs_grants: capability.fsGrants.map(({ path, mode, hide }) => ({
      path,
      mode,
      hide: hide.map(plainPattern),
      tracked: keepsTracked({ hide }) ? "shown" : "hidden",
      exists: existsSync(path),
    })),
    network: networkOf(capability),
    net_grants: describeNetGrants(capability.netGrants),
    limits: capability.limits,
    work_limits: capability.workLimits,
    suggestions: suggestGrants({ person, home, project, capability }),
    no_draft: noDraft(config, capability, probe),
  };
}

function networkOf(capability: Capability): AgentReport["network"] {
  if (allowsWholeNetwork(capability)) return "host";
  return mayReachHosts(capability) ? "hosts" : "none";
}

/** Mounts one for a moment, if there is a state directory. */
function noDraft(config: Config, capability: Capability, probe: Probe): string | null {
  const draft = draftConfig(config.workspace);
  const problem = draft === null ? null : draftProblem(draft, capability, probe);
  if (draft === null || problem !== null || !existsSync(config.stateDirectory)) return problem;
  return draftTrialProblem(config.project, config.stateDirectory);
}

/** Makes the same checks as opening the directory, without creating it. */
function describeDirectory(path: string): DirectoryReport {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return { path, exists: false, problem: null };
  const report = (problem: string | null): DirectoryReport => ({ path, exists: true, problem });
  if (!found.isDirectory()) return report("is not a directory");
  if (found.uid !== process.geteuid?.()) return report(`belongs to another user (uid ${found.uid})`);
  return report((found.mode & 0o022) === 0 ? null : `can be written by others; mend it: chmod 700 ${path}`);
}
