// Finds the directories that a grant has to cover so that the person's own programs outside /usr run in a box: not only where a program
// lies, but also where its links lead, and the installation that it belongs to.
// Invariant: it never proposes a home directory, one above it, or one that is known for credentials.

import { existsSync } from "node:fs";
import { sensitiveNames } from "../command/sensitive.ts";
import { type Capability, fsGrantFor } from "../policy/capability.ts";
import { baseName, isWithin, joinPath, parentPath } from "../shared/path.ts";
import { isProgram } from "./find-on-path.ts";
import { namesIn } from "./names-in.ts";
import { readPlainFile } from "./plain-file.ts";
import { resolvePath } from "./real-path.ts";

export interface ToolchainContext {
  /** The directories of the person's PATH, by their real paths. */
  readonly person: readonly string[];
  readonly home: string;
  readonly capability: Capability;
  readonly project?: string;
}

export interface Suggestion {
  /** A program that the grant brings. */
  readonly program: string;
  /** Its path; for a shim, that of the program behind it. */
  readonly path: string;
  /** The directory to grant with mode `r`. */
  readonly grant: string;
  /** What lies in the directory, or may come to lie there, and holds credentials. */
  readonly hide: readonly string[];
}

const MOST_NAMES = 1_000;
const MOST_SUGGESTIONS = 40;
const known = "node npm python3 python pip uv cargo rustc go deno bun ruby java pnpm yarn".split(" ");

/** What to grant for all programs on the person's PATH and for the project's virtual environment, beyond what is granted. */
export function suggestGrants(context: ToolchainContext): Suggestion[] {
  const found: Suggestion[] = [];
  const named = new Set<string>();
  for (const directory of [...context.person, ...environmentsIn(context.project)]) {
    if (isShims(directory)) continue;
    const programs = programsIn(directory);
    for (const [grant, names] of grantsOf(directory, programs, context)) {
      if (found.some((other) => isWithin(grant, other.grant))) continue;
      const program = names.find((name) => !named.has(name)) ?? (names[0] as string);
      named.add(program);
      found.push({ program, path: joinPath(directory, program), grant, hide: credentialsIn(grant) });
    }
  }
  const store = pnpmStoreOf(context);
  if (store !== null) found.push({ program: "pnpm", path: store, grant: store, hide: [] });
  return found
    .filter(({ grant }, index) => !found.some((other, at) => at !== index && isWithin(grant, other.grant)))
    .slice(0, MOST_SUGGESTIONS);
}

const MODULES_BYTES = 1 << 20;

/**
 * Where pnpm keeps the packages that the project's `node_modules` consists of: without it pnpm in a box cannot add or remove any. Null if
 * it is granted. The project names it, so it must look like a store.
 */
function pnpmStoreOf(context: ToolchainContext): string | null {
  if (context.project === undefined) return null;
  const modules = readPlainFile(joinPath(context.project, "node_modules/.modules.yaml"), MODULES_BYTES);
  const named = /^ *"?storeDir"?: *["']?(\/[^"'\n]+\/v\d+)["']?,?$/m.exec(modules?.toString("utf8") ?? "")?.[1];
  const store = named === undefined ? null : resolvePath(named).real;
  if (store === null || !/\/v\d+$/.test(store) || !namesIn(store).includes("files")) return null;
  return isMissing(store, context) ? store : null;
}

/** Where the person's PATH has the program, and what to grant so that it runs. Null if it has none, or all is granted. */
export function missingGrants(
  name: string,
  context: ToolchainContext,
): { readonly path: string; readonly grants: readonly string[] } | null {
  const directory = context.person.find((path) => !isShims(path) && isProgram(joinPath(path, name)));
  if (directory === undefined) return null;
  const grants = [...grantsOf(directory, [name], context).keys()];
  return grants.length === 0 ? null : { path: joinPath(directory, name), grants };
}

/** The missing grants of the programs in a directory, each with the programs that need it. */
function grantsOf(directory: string, programs: readonly string[], context: ToolchainContext): Map<string, string[]> {
  const grants = new Map<string, string[]>();
  for (const name of programs) {
    const path = joinPath(directory, name);
    const { real, links } = resolvePath(path);
    const places = [path, ...links.map((link) => link.path), real].map(parentPath);
    for (const root of new Set(places.map((place) => rootOf(place, context.home))))
      for (const grant of [root, ...interpretersOf(root).map((place) => rootOf(place, context.home))])
        if (isMissing(grant, context)) grants.set(grant, [...(grants.get(grant) ?? []), name]);
  }
  return grants;
}

function isMissing(grant: string, { capability, home }: ToolchainContext): boolean {
  return canGrant(grant, home) && fsGrantFor(capability, grant, "r") === undefined;
}

/** Installations of many tools, or of many versions of one. They are proposed as a whole. */
const collections = /^(?:.*\/\.rustup\/toolchains|.*\/pipx\/venvs|.*\/uv\/tools|.*\/\.bun\/install\/global)(?=\/|$)/;
const versioned = /\/(?:versions|installs|node-versions|tools\/image|uv\/python)\/[^/]+/;
const partsOfInstallation = ["lib", "lib64", "libexec", "pyvenv.cfg", "VERSION"];

/** The installation to which a directory of programs belongs; the directory itself if it holds programs of several. */
function rootOf(directory: string, home: string): string {
  const collection = collections.exec(directory)?.[0];
  if (collection !== undefined) return collection;
  const library = directory.indexOf("/lib/node_modules/");
  if (library > 0 && canGrant(directory.slice(0, library), home)) return directory.slice(0, library);
  // A package and those that it depends on lie beside each other.
  const modules = /^.*?\/node_modules(?=\/)/.exec(directory)?.[0];
  if (modules !== undefined && canGrant(modules, home)) return modules;
  if (!["bin", "sbin"].includes(baseName(directory))) return directory;
  const above = parentPath(directory);
  const isInstallation = versioned.test(above) || partsOfInstallation.some((name) => existsSync(joinPath(above, name)));
  return isInstallation && canGrant(above, home) ? above : directory;
}

/** Directories of the home that hold credentials, or more than programs. */
const ownDirectories = [
  ".local",
  ".local/share",
  ".cargo",
  ".config",
  ".npm",
  ".volta",
  ".bun",
  ".deno",
  ".cache",
  "go",
];

function canGrant(path: string, home: string): boolean {
  const names = path.split("/").slice(1);
  if (names.length < 2 || ["proc", "sys", "dev", "mnt", "snap", "etc"].includes(names[0] as string)) return false;
  if (isWithin(home, path) || ownDirectories.some((name) => path === joinPath(home, name))) return false;
  return !names.some((name) => sensitiveNames.has(name) || name === ".config");
}

/** A virtual environment starts the python of another installation. */
function interpretersOf(root: string): string[] {
  const environments = collections.test(root) ? firstNames(root).map((name) => joinPath(root, name)) : [root];
  const pythons = environments.flatMap((path) =>
    existsSync(joinPath(path, "pyvenv.cfg")) ? [joinPath(path, "bin/python")] : [],
  );
  const real = pythons.map((path) => resolvePath(path)).filter(({ exists }) => exists);
  return [...new Set(real.map((python) => parentPath(python.real)))];
}

/** Virtual environments in the project, whether or not they are active. */
function environmentsIn(project: string | undefined): string[] {
  if (project === undefined) return [];
  return [".venv", "venv", "env"]
    .map((name) => joinPath(project, name))
    .filter((path) => existsSync(joinPath(path, "pyvenv.cfg")))
    .map((path) => resolvePath(joinPath(path, "bin")).real);
}

/** Shims, and the version managers that made them, do not work in a box. The person's PATH has the programs behind them. */
function isShims(directory: string): boolean {
  return (
    baseName(directory) === "shims" ||
    ["shims", "tools/image"].some((name) => existsSync(joinPath(parentPath(directory), name)))
  );
}

const credentials =
  /^(?:\.?npmrc|credentials(?:\.toml)?|\.netrc|\.pypirc|pip\.conf|\.git-credentials|auth\.json|\.env.*)$/;

/** Globs below the directory. They name whole paths, so that a box need not be searched for them. */
function credentialsIn(grant: string): string[] {
  const isPlain = (name: string) => /^[\w.-]+$/.test(name);
  const found = ["", "etc"].flatMap((directory) =>
    firstNames(directory === "" ? grant : joinPath(grant, directory))
      .filter((name) => credentials.test(name) && isPlain(name))
      .map((name) => (directory === "" ? `/${name}` : `${directory}/${name}`)),
  );
  if (existsSync(joinPath(grant, "bin/node"))) found.push("etc/npmrc");
  if (existsSync(joinPath(grant, "bin/python3"))) found.push("/pip.conf");
  return [...new Set(found)].sort();
}

/** Those that people know first, without our own command, of which a box has no use. */
function programsIn(directory: string): string[] {
  const names = firstNames(directory);
  const first = known.filter((name) => names.includes(name));
  const others = names.filter((name) => !first.includes(name) && name !== "sallyport");
  return [...first, ...others].filter((name) => isProgram(joinPath(directory, name)));
}

function firstNames(directory: string): string[] {
  return namesIn(directory).sort().slice(0, MOST_NAMES);
}
