// Finds the command by which another program starts the MCP server: the shortest one that starts this installation, also
// later and from another directory.

import { readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { programNamed } from "../process/find-on-path.ts";
import { lastingEntries } from "../process/person-path.ts";
import { isWithin, joinPath } from "../shared/path.ts";
import type { Environment } from "./environment.ts";

/** The command and its arguments, including the flag that names the project if the app supports one. */
export interface ServerStart {
  readonly command: string;
  readonly args: readonly string[];
}

export interface StartContext {
  readonly environment: Environment;
  /** Set if the entry is shared with the project. */
  readonly project: string | null;
  /** The package's directory and the node that runs it, for tests. */
  readonly root?: string;
  readonly node?: string;
}

const ownRoot = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

export function serverStart({
  environment,
  project,
  root = ownRoot,
  node = process.execPath,
}: StartContext): ServerStart {
  const program = joinPath(root, "bin/sallyport.js");
  if (isSame(findLastingProgram("sallyport", environment), program)) return { command: "sallyport", args: ["mcp"] };
  // npx runs packages from a cache that may be emptied. By name and version it can fetch the package again.
  if (/\/_npx\/[^/]+\/node_modules\//.test(root))
    return { command: "npx", args: ["-y", `sallyport@${versionOf(root)}`, "mcp"] };
  // Other users of the project have the package too, at another path. --no forbids npx to fetch it from the registry.
  if (project !== null && isWithin(root, joinPath(project, "node_modules")))
    return { command: "npx", args: ["--no", "sallyport", "mcp"] };
  const own = findLastingProgram("node", environment) === null ? node : "node";
  return { command: own, args: [program, "mcp"] };
}

/** True for the clone or package that this program is in: nobody's project, but where `npm start` starts it. */
export function isOwnDirectory(project: string): boolean {
  return project === realpathSync(ownRoot);
}

/** This installation by its paths, for a command that another program runs at once, whatever its PATH is. */
export function ownProgram(): readonly [node: string, program: string] {
  return [process.execPath, joinPath(ownRoot, "bin/sallyport.js")];
}

/** Uses the lasting entries of PATH. */
export function findLastingProgram(name: string, environment: Environment): string | null {
  return programNamed(name, lastingEntries(environment["PATH"])) ?? null;
}

function isSame(found: string | null, program: string): boolean {
  try {
    return found !== null && realpathSync(found) === realpathSync(program);
  } catch {
    return false;
  }
}

function versionOf(root: string): string {
  return (JSON.parse(readFileSync(joinPath(root, "package.json"), "utf8")) as { version: string }).version;
}
