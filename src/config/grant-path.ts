// Resolves a path in the configuration to the real path that is granted, and rejects paths that may never be granted.
// Invariant: no grant covers the record or its key, or lets an agent change the files that decide its own grants.

import { statSync } from "node:fs";
import { type ResolvedPath, resolvePath } from "../process/real-path.ts";
import { limits } from "../shared/limits.ts";
import { isAbsolutePath, isWithin, tidyPath } from "../shared/path.ts";

export interface Problem {
  readonly reason: string;
  readonly hint: string;
}

/** A path that an agent gets: a grant, or the workspace's directory. */
export interface GrantedPath {
  /** The field that names it, such as "agents.default.fs_grants[0]". */
  readonly name: string;
  /** Absolute, with unresolved links. */
  readonly written: string;
  readonly mode: "r" | "rw";
  readonly resolved: ResolvedPath;
}

export interface Protected {
  readonly stateDirectory: ResolvedPath;
  readonly configDirectory: ResolvedPath;
  readonly configFile: ResolvedPath;
  readonly compiledDirectory: ResolvedPath;
}

export function expandPath(
  written: string,
  paths: { readonly project: ResolvedPath; readonly home: string },
): { readonly path: string } | Problem {
  if (written.includes("\0")) return { reason: "holds a NUL character", hint: "No path can." };
  if (Buffer.byteLength(written) > limits.pathBytes)
    return { reason: "longer than any path", hint: `At most ${limits.pathBytes} bytes.` };
  const variable = /\$\{[^}]*\}?/.exec(written.replace(/^\$\{project\}(?=\/|$)/, ""))?.[0];
  if (variable !== undefined) {
    return {
      reason: `${variable} cannot stand here`,
      hint: "Only ${project} is known, at the beginning and as a whole component.",
    };
  }
  if (written.startsWith("${project}"))
    return { path: tidyPath(paths.project.real) + written.slice("${project}".length) };
  if (written === "~" || written.startsWith("~/")) return { path: paths.home + written.slice(1) };
  if (isAbsolutePath(written)) return { path: written };
  return { reason: `${JSON.stringify(written)} is not an absolute path`, hint: "Begin it with /, ~/ or ${project}." };
}

/** A target can also be a URL or a pattern. What begins with the project or the home is a path. */
export function expandTarget(
  written: string,
  paths: { readonly project: ResolvedPath; readonly home: string },
): string {
  if (!written.startsWith("${project}") && written !== "~" && !written.startsWith("~/")) return written;
  const expanded = expandPath(written, paths);
  return "reason" in expanded ? written : expanded.path;
}

export function resolveGranted(name: string, path: string, mode: "r" | "rw"): GrantedPath {
  return { name, written: tidyPath(path), mode, resolved: resolvePath(path) };
}

/** The error if the path is not an existing directory, or undefined. */
export function directoryProblem({ real, exists }: ResolvedPath): Problem | undefined {
  const found = exists ? statSync(real, { throwIfNoEntry: false }) : undefined;
  if (found?.isDirectory() === true) return undefined;
  const reason = found === undefined ? `there is no ${real}` : `${real} is not a directory`;
  return { reason, hint: "Name a directory that exists." };
}

/** The error of a path by itself, or undefined. */
export function protectedProblem(granted: GrantedPath, guarded: Protected): Problem | undefined {
  const { mode, resolved, written } = granted;
  const { real } = resolved;
  if (["/proc", "/sys", "/dev"].some((root) => isWithin(real, root) || isWithin(written, root))) {
    return { reason: `${real} cannot be granted`, hint: "The box has its own small /proc and /dev, and no /sys." };
  }
  if (real === "/" && mode === "rw")
    return { reason: "rw on / cannot be granted", hint: "Name the directories that may change." };
  const { stateDirectory, configDirectory, configFile, compiledDirectory } = guarded;
  return (
    overlap(
      granted,
      stateDirectory.real,
      "the state directory",
      "Grant something that leaves it out, or move the state with --state.",
    ) ??
    overlap(
      granted,
      configDirectory.real,
      "the configuration directory, where the key of the record is",
      "Grant something that leaves it out, or move it with $XDG_CONFIG_HOME.",
    ) ??
    // SECURITY(T15): node runs the files in that directory, as the person, at the next start.
    (mode === "rw"
      ? overlap(
          granted,
          compiledDirectory.real,
          "what node keeps of this program",
          "Grant r, or move it with $XDG_STATE_HOME.",
        )
      : undefined) ??
    (mode === "rw" ? redirectable(granted, guarded) : undefined) ??
    (mode === "rw" && isWithin(configFile.real, real)
      ? {
          reason: `rw on ${real} covers the configuration file ${configFile.real}, so an agent could change its own grants`,
          hint: "Grant r, or keep the configuration elsewhere.",
        }
      : undefined)
  );
}

// SECURITY(T15): a reader of the state directory sees every past call; a writer of it and of the key can forge the record.
function overlap(
  { resolved: { real } }: GrantedPath,
  guardedPath: string,
  what: string,
  hint: string,
): Problem | undefined {
  if (real === guardedPath) return { reason: `${real} is ${what}`, hint };
  if (isWithin(guardedPath, real)) return { reason: `${real} covers ${guardedPath}, ${what}`, hint };
  if (isWithin(real, guardedPath)) return { reason: `${real} lies inside ${guardedPath}, ${what}`, hint };
  return undefined;
}

function redirectable({ resolved: { real } }: GrantedPath, guarded: Protected): Problem | undefined {
  const ways = [
    ["the state directory", guarded.stateDirectory],
    ["the configuration directory", guarded.configDirectory],
    ["the configuration file", guarded.configFile],
    ["what node keeps of this program", guarded.compiledDirectory],
  ] as const;
  for (const [what, { links }] of ways) {
    const link = links.find(({ path }) => isWithin(path, real));
    if (link !== undefined) {
      return {
        reason: `rw on ${real} covers the link ${link.path} on the way to ${what}, so an agent could turn it`,
        hint: "Grant r, or name that place by its real path.",
      };
    }
  }
  return undefined;
}

/** SECURITY(T16): a grant must not pass through a link that an agent may change: at the next start it could lead elsewhere. */
export function linkProblem(granted: GrantedPath, all: readonly GrantedPath[]): Problem | undefined {
  for (const link of granted.resolved.links) {
    const holder = all.find((other) => other.mode === "rw" && isWithin(link.path, other.resolved.real));
    if (holder !== undefined) {
      return {
        reason: `goes through the link ${link.path}, which lies in what ${holder.name} (rw) covers, so an agent could turn it`,
        hint: `Write the real path, ${granted.resolved.real}, if that is what you mean.`,
      };
    }
  }
  return undefined;
}
