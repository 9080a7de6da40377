// What the policy commands share: the paths, the configuration, and the record of their changes.

import { describeConfigErrors } from "../../config/config-error.ts";
import { type Config, loadConfig, type LoadResult } from "../../config/load.ts";
import { type ConfigPaths, findConfigPaths } from "../../config/config-paths.ts";
import type { Environment } from "../../config/environment.ts";
import type { PathFlags } from "../../config/own-command.ts";
import type { RulePaths } from "../../config/rule-files.ts";
import { LocalStore, type StorePaths } from "../../runtime/local-store.ts";
import { personHere } from "../terminal/own-terminal.ts";
import type { Streams, Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../usage-error.ts";

export interface PolicyFlags extends PathFlags {
  readonly json?: boolean;
}

export interface PolicyPaths extends RulePaths {
  readonly stateDirectory: string;
}

export function policyPaths(flags: PolicyFlags, { environment }: Terminal): PolicyPaths {
  const paths = pathsFromFlags(flags, environment);
  return {
    home: paths.home,
    project: paths.project.real,
    configDirectory: paths.configDirectory.real,
    stateDirectory: paths.stateDirectory.real,
  };
}

/** Where the files are; stops the command if there is no such place. */
export function pathsFromFlags({ config, state, project }: PathFlags, environment: Environment): ConfigPaths {
  const found = findConfigPaths({ configPath: config, statePath: state, project, environment });
  if (!found.ok) throw new UsageError(describeConfigErrors([found.error]));
  return found.paths;
}

export function tryConfig({ config, state, project }: PolicyFlags, { environment }: Terminal): LoadResult {
  return loadConfig({ configPath: config, statePath: state, project, environment });
}

export function configOrStop(flags: PolicyFlags, terminal: Terminal): Config {
  const loaded = tryConfig(flags, terminal);
  if (!loaded.ok) throw new UsageError(describeConfigErrors(loaded.errors));
  return loaded.config;
}

/** `LocalStore` opens each file when it is needed, so that reading creates no store. */
export async function withStore<T>(paths: StorePaths, work: (store: LocalStore) => Promise<T>): Promise<T> {
  const store = new LocalStore(paths);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/**
 * The name to record for the author of a rule. Scripts may add rules, too: an agent's box cannot reach the rules, so the
 * caller is the person or a script of theirs.
 */
export function whoIsThis({ stdin }: Streams): string {
  return stdin.isTTY === true ? personHere() : personHere().replace(/ at .*$/s, ", without a terminal");
}
