// What a person grants by naming a program in `sallyport run`, beside what the configuration grants.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../config/environment.ts";
import type { Config } from "../../config/load.ts";
import { draftConfig, workspaceOfRun } from "../../config/workspace-config.ts";
import { type Capability, createCapability, fsGrantFor, writablePaths } from "../../policy/capability.ts";
import { grantDirectories } from "../../policy/grant-directories.ts";
import { missingGrants } from "../../process/toolchain-grants.ts";
import { needAgent } from "../../runtime/gate-error.ts";
import { isWithin } from "../../shared/path.ts";
import { ASK_HOST } from "../../tools/ask-host.ts";
import { RUN } from "../../tools/run.ts";
import { type AgentProfile, type SettingsFile, wordsFor } from "./agent-profile.ts";
import { grantModels, type ModelGrants, PLACEHOLDER } from "./model-grants.ts";

export interface RunGrants {
  readonly config: Config;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Files of the session's home that are written if they are missing. `mcp`: where the gate serves the box; null if it does not. */
  readonly settings: (mcp: string | null) => readonly SettingsFile[];
  /** For the person, before the program starts. */
  readonly notes: readonly string[];
}

const noModels: ModelGrants = { hosts: [], environment: {}, words: [], notes: [] };

/** What a session of hours sends, receives, waits for and writes, where the configuration has no limit of its own. */
const sessionLimits = { networkOutMb: 1_024, networkInMb: 16_384, networkIdleS: 600, diskMb: 65_536 };

/**
 * The agent may be started, may see the program that the person named, and may reach the hosts of its profile. Without a configuration
 * it may try any other host, and the person is asked about each.
 */
export function grantRun(
  config: Config,
  agent: string,
  [named = "", ...own]: readonly string[],
  profile: AgentProfile | null,
  person: Environment,
): RunGrants {
  const granted = needAgent(config, agent);
  const { programPath, home, project } = config;
  const program = programOf(named, config, profile);
  const found = program.includes("/")
    ? null
    : missingGrants(program, { person: programPath, home, project, capability: granted });
  const shown = (found?.grants ?? []).filter((path) => fsGrantFor(granted, path, "r") === undefined);
  // Those of the system, such as a shell, need no word.
  const unknown = profile === null && shown.length > 0 ? [unknownNote(named)] : [];
  const models = profile === null ? noModels : grantModels(profile, person, granted.netGrants);
  const { isWhole, isAsked, hosts } = granted.netGrants;
  const capability = createCapability({
    ...granted,
    toolGrants: [...granted.toolGrants, RUN, ASK_HOST],
    netGrants: {
      isWhole,
      isAsked: isAsked || (config.file === null && !isWhole),
      hosts: [...models.hosts, ...hosts],
    },
    workLimits: { ...sessionLimits, ...granted.workLimits },
  });
  const withPrograms = grantDirectories(
    capability,
    capability,
    shown.map((path) => ({ path, mode: "r" as const })),
  );
  return {
    config: {
      ...config,
      agents: new Map(config.agents).set(agent, withPrograms),
      workspace: workspaceOfRun(config.workspace),
      // SECURITY(T72): what is inside is the agent's, the client too. So no client answers.
      approvals: { ...config.approvals, trustClient: false },
    },
    argv: [program, ...(profile === null ? own : wordsFor(profile, models.words, own))],
    environment: { ...profile?.environment, ...models.environment },
    settings: (mcp) => profile?.settings({ project, placeholder: PLACEHOLDER, mcp }) ?? [],
    notes: [
      ...unknown,
      ...sandboxNote(profile, own),
      ...writableNotes(granted, config),
      ...shown.map((path) => `the program lies in ${path}, which it may see`),
      ...models.notes,
    ],
  };
}

function writableNotes(granted: Capability, { workspace }: Config): string[] {
  const draft = draftConfig(workspace);
  const { inside = [], outside = [] } = Object.groupBy(writablePaths(granted), (path) =>
    draft !== null && isWithin(path, draft.path) ? "inside" : "outside",
  );
  return [
    ...inside.map(
      (path) => `${path} is granted with rw: here it is in the draft all the same, and changes when you land it`,
    ),
    ...outside.map((path) => `what it changes in ${path} lands when it ends, because that is granted with rw`),
  ];
}

/** A known agent that is installed in the project alone is found there. */
function programOf(named: string, { programPath, project }: Config, profile: AgentProfile | null): string {
  if (profile === null || named.includes("/") || programPath.some((path) => existsSync(join(path, named))))
    return named;
  const local = join(project, "node_modules/.bin", named);
  return existsSync(local) ? local : named;
}

function sandboxNote(profile: AgentProfile | null, own: readonly string[]): string[] {
  const written = profile?.ownSandbox?.exec(own.join(" "))?.[0].trim();
  if (profile === null || written === undefined) return [];
  return [
    `${written} switches the sandbox of ${profile.title} on, which cannot start in the box: leave it out, the box stands in for it`,
  ];
}

function unknownNote(named: string): string {
  return `${named} is not an agent that \`run\` knows (see run --help): it runs as a plain command, with the hosts and keys that are granted`;
}
