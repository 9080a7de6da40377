// What a person grants by naming a program in `sallyport run`, beside what the configuration grants.

import type { Config } from "../../config/load.ts";
import { createCapability, fsGrantFor } from "../../policy/capability.ts";
import { grantDirectories } from "../../policy/grant-directories.ts";
import { missingGrants } from "../../process/toolchain-grants.ts";
import { needAgent } from "../../runtime/gate-error.ts";
import { runTool } from "../../tools/run.ts";

export interface RunGrants {
  readonly config: Config;
  /** Directories that the program and its interpreter lie in. The agent may see them. */
  readonly shown: readonly string[];
}

/**
 * The agent may be started, and may see the program that the person named. Without a configuration it may try any host, and the person
 * is asked about each.
 */
export function grantRun(config: Config, agent: string, program: string): RunGrants {
  const granted = needAgent(config, agent);
  const { programPath: person, home, project } = config;
  const found = program.includes("/") ? null : missingGrants(program, { person, home, project, capability: granted });
  const shown = (found?.grants ?? []).filter((path) => fsGrantFor(granted, path, "r") === undefined);
  const asks = config.file === null && !granted.netGrants.isWhole;
  const capability = createCapability({
    ...granted,
    toolGrants: [...granted.toolGrants, runTool.name],
    netGrants: asks ? { ...granted.netGrants, isAsked: true } : granted.netGrants,
  });
  const withPrograms = grantDirectories(
    capability,
    capability,
    shown.map((path) => ({ path, mode: "r" as const })),
  );
  return { config: { ...config, agents: new Map(config.agents).set(agent, withPrograms) }, shown };
}
