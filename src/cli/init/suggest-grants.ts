// Finds programs that agents commonly need and that lie outside what is granted, and the line that would grant each.

import { readdirSync } from "node:fs";
import type { Environment } from "../../config/environment.ts";
import { type Capability, fsGrantFor } from "../../policy/capability.ts";
import { isProgram } from "../../process/find-on-path.ts";
import { readPlainFile } from "../../process/plain-file.ts";
import { resolvePath } from "../../process/real-path.ts";
import { baseName, isAbsolutePath, joinPath, parentPath } from "../../shared/path.ts";

export interface Suggestion {
  readonly program: string;
  /** The path of the program that would then run; for a shim, the program behind it. */
  readonly path: string;
  /** The path to grant with mode `r`. */
  readonly grant: string;
}

const VERSION_BYTES = 4_096;
const names = ["node", "npm", "python3", "uv", "cargo", "rustc", "go", "deno", "bun", "ruby", "java"];

export function suggestGrants(environment: Environment, capability: Capability): Suggestion[] {
  const found = names.flatMap((program) => {
    const first = findOnPath(program, environment);
    if (first === undefined) return [];
    const path = throughShim(program, first, environment) ?? first;
    const { real } = resolvePath(path);
    if (fsGrantFor(capability, real, "r") !== undefined) return [];
    return [{ program, path, grant: rootOf(real, environment["HOME"]) }];
  });
  // npm is installed in node's directory, so one line covers both.
  return found.filter(({ grant }, index) => found.findIndex((other) => other.grant === grant) === index);
}

function findOnPath(program: string, environment: Environment): string | undefined {
  return (environment["PATH"] ?? "")
    .split(":")
    .filter((directory) => isAbsolutePath(directory) && !directory.endsWith("/node_modules/.bin"))
    .map((directory) => joinPath(directory, program))
    .find(isProgram);
}

/** The directory of the installation: the parent of `bin`, unless that contains other programs. */
function rootOf(real: string, home: string | undefined): string {
  const directory = parentPath(real);
  if (/\/node_modules\//.test(real)) return real.slice(0, real.indexOf("/lib/node_modules/")) || directory;
  if (baseName(directory) !== "bin") return directory;
  const above = parentPath(directory);
  const shared = ["/", "/opt", "/usr", "/usr/local", home, `${home}/.local`, `${home}/.cargo`];
  return shared.includes(above) ? real : above;
}

/** Version managers install shims: small scripts that search for the real program at run time. They do not work in the box. */
function throughShim(program: string, path: string, environment: Environment): string | undefined {
  const home = environment["HOME"] ?? "";
  if (path.includes("/.pyenv/shims/")) {
    const root = path.slice(0, path.indexOf("/shims/"));
    const wanted = environment["PYENV_VERSION"] ?? firstLine(`${root}/version`);
    return inVersions(`${root}/versions`, wanted, `bin/${program}`);
  }
  if (baseName(resolvePath(path).real) === "rustup" || path === `${home}/.cargo/bin/${program}`) {
    const root = environment["RUSTUP_HOME"] ?? `${home}/.rustup`;
    return inVersions(`${root}/toolchains`, environment["RUSTUP_TOOLCHAIN"], `bin/${program}`);
  }
  if (path.includes("/.volta/bin/")) {
    return inVersions(`${path.slice(0, path.indexOf("/bin/"))}/tools/image/${program}`, undefined, `bin/${program}`);
  }
  return undefined;
}

/** The requested version, otherwise the last one by name. */
function inVersions(directory: string, wanted: string | undefined, rest: string): string | undefined {
  const versions = list(directory).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const order = [...(wanted === undefined ? [] : [wanted]), ...versions.reverse()];
  return order.map((version) => `${directory}/${version}/${rest}`).find(isProgram);
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function firstLine(file: string): string | undefined {
  const text = readPlainFile(resolvePath(file).real, VERSION_BYTES)?.toString("utf8");
  return text?.split("\n", 1)[0]?.trim() || undefined;
}
