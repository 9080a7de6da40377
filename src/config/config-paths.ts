// Finds the configuration, the state directory and the project, by flag, environment or default.

import { userInfo } from "node:os";
import { type ResolvedPath, resolvePath } from "../process/real-path.ts";
import { isAbsolutePath, joinPath, parentPath, tidyPath } from "../shared/path.ts";
import { type ConfigError, fileError } from "./config-error.ts";
import type { Environment } from "./environment.ts";
import { directoryProblem } from "./grant-path.ts";

export interface ConfigPathsContext {
  /** --config FILE */
  readonly configPath?: string | undefined;
  /** --state DIR */
  readonly statePath?: string | undefined;
  /** --project DIR */
  readonly project?: string | undefined;
  readonly environment: Environment;
}

export interface ProjectPaths {
  readonly home: string;
  readonly project: ResolvedPath;
}

export interface ConfigPaths extends ProjectPaths {
  readonly configFile: string;
  /** True if a flag or the environment names the file. Then it must exist. */
  readonly configFileNamed: boolean;
  /** The directory of the record's key, whichever configuration file is read. */
  readonly configDirectory: ResolvedPath;
  readonly stateDirectory: ResolvedPath;
  /** Where bin/sallyport.js has node keep what it compiled, wherever the state of this call is. */
  readonly compiledDirectory: ResolvedPath;
}

export type ConfigPathsResult =
  | { readonly ok: true; readonly paths: ConfigPaths }
  | { readonly ok: false; readonly error: ConfigError };

export function findConfigPaths({
  configPath,
  statePath,
  project,
  environment,
}: ConfigPathsContext): ConfigPathsResult {
  const no = (message: string, hint: string): ConfigPathsResult => ({
    ok: false,
    error: fileError(null, message, hint),
  });
  const home = homeOf(environment);
  if (home === undefined) return no("the home directory is not known", "Set HOME to an absolute path.");
  const cwd = currentDirectory();
  if (cwd === undefined) return no("the current directory is gone", "Change to a directory that exists.");

  const absolute = (path: string) => (isAbsolutePath(path) ? path : joinPath(cwd, path));
  const named = configPath ?? nonEmpty(environment["SALLYPORT_CONFIG"]);
  const configHome = joinPath(
    customDirectory(environment["XDG_CONFIG_HOME"]) ?? joinPath(home, ".config"),
    "sallyport",
  );
  const stateHome = joinPath(
    customDirectory(environment["XDG_STATE_HOME"]) ?? joinPath(home, ".local/state"),
    "sallyport",
  );
  const state = statePath ?? nonEmpty(environment["SALLYPORT_STATE"]) ?? stateHome;
  for (const [flag, value] of [
    ["--config", configPath],
    ["--state", statePath],
    ["--project", project],
  ] as const) {
    if (value === "") return no(`${flag}: empty`, "Write a path after it.");
  }
  const paths: ConfigPaths = {
    home,
    configFile: absolute(named ?? joinPath(configHome, "config.yaml")),
    configFileNamed: named !== undefined,
    configDirectory: resolvePath(configHome),
    stateDirectory: resolvePath(absolute(state)),
    compiledDirectory: resolvePath(joinPath(stateHome, "compiled")),
    project: resolvePath(absolute(project ?? cwd)),
  };
  const wrong = directoryProblem(paths.project);
  return wrong === undefined ? { ok: true, paths } : no(`--project: ${wrong.reason}`, wrong.hint);
}

/** True if the path or its directory is a link: then somebody intended a file there. */
export function leadsNowhere(file: string): boolean {
  return [file, parentPath(tidyPath(file))].some((path) => {
    const resolved = resolvePath(path);
    const own = joinPath(resolvePath(parentPath(tidyPath(path))).real, path.slice(path.lastIndexOf("/") + 1));
    return !resolved.exists && resolved.links.some((link) => link.path === own);
  });
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

/** As XDG requires, a relative path counts as not set. */
function customDirectory(value: string | undefined): string | undefined {
  return value !== undefined && isAbsolutePath(value) ? tidyPath(value) : undefined;
}

function homeOf(environment: Environment): string | undefined {
  const home = customDirectory(environment["HOME"]);
  if (home !== undefined) return home;
  try {
    return customDirectory(userInfo().homedir);
  } catch {
    return undefined; // an id without an entry in the user database
  }
}

function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
