// The person's configuration as `sallyport init` extends it: the file or, without one, the starter configuration.

import type { ConfigPaths } from "../../config/config-paths.ts";
import type { Environment } from "../../config/environment.ts";
import { type Config, loadConfig } from "../../config/load.ts";
import { starterConfig } from "../../config/starter.ts";
import { type AgentFile, readAgentFile } from "../../install/agent-files.ts";
import type { Capability } from "../../policy/capability.ts";

export interface ExtendedConfig {
  readonly file: AgentFile;
  readonly text: string;
  readonly config: Config;
  /** The agent that is meant when none is named. */
  readonly agent: string;
  readonly capability: Capability;
  /** Whether the configuration would load with this text. */
  readonly loads: (text: string) => boolean;
}

/** `problem`: why it cannot be extended. Null if there is no agent that is meant. */
export type ConfigToExtend =
  | { readonly ok: true; readonly own: ExtendedConfig }
  | { readonly ok: false; readonly problem: string | null };

export function configToExtend(paths: ConfigPaths, environment: Environment): ConfigToExtend {
  const load = (configText: string) =>
    loadConfig({
      project: paths.project.real,
      environment,
      ...(paths.configFileNamed ? { configPath: paths.configFile } : {}),
      configText,
    });
  const read = readAgentFile(paths.configFile);
  if (!read.ok) return { ok: false, problem: read.reason };
  const text = read.file.text ?? starterConfig;
  const loaded = load(text);
  if (!loaded.ok) return { ok: false, problem: "the configuration does not load; `sallyport doctor` says why" };
  const { agents } = loaded.config;
  const agent = agents.has("default") ? "default" : agents.size === 1 ? [...agents.keys()][0] : undefined;
  const capability = agent === undefined ? undefined : agents.get(agent);
  if (agent === undefined || capability === undefined) return { ok: false, problem: null };
  const loads = (changed: string): boolean => load(changed).ok;
  return { ok: true, own: { file: read.file, text, config: loaded.config, agent, capability, loads } };
}
