// Reads the person's own git settings and their includes as text. Nothing in them is run.
// Invariant: only files that the person's own configuration names are read. A repository's configuration supplies facts, but
// never the name of a file to read.

import { readPlainFile } from "../process/plain-file.ts";
import { resolvePath } from "../process/real-path.ts";
import { matchesGlob, parseGlob } from "../shared/glob.ts";
import { joinPath, parentPath } from "../shared/path.ts";
import { type ConfigEntry, parseConfigFile } from "./config-file.ts";

export interface PersonConfigPaths {
  readonly home: string;
  /** `~/.config`, or the directory that replaces it. */
  readonly configHome: string;
  /** The file for all users of this machine. */
  readonly system?: string;
  /** `GIT_CONFIG_GLOBAL`: replaces both files of the person. */
  readonly global?: string | undefined;
}

/** Facts about the repository that `includeIf` conditions test. */
export interface AroundFacts {
  readonly gitDirectory: string;
  readonly branch: string | null;
  readonly remoteUrls: readonly string[];
}

const INCLUDES_DEEP = 10; // as git
const FILES = 100;
const FILE_BYTES = 1 << 20;

/** In the order in which git reads them; the later setting wins. `around` describes the repository in question, if there is one. */
export function readPersonSettings(paths: PersonConfigPaths, around: AroundFacts | null): ConfigEntry[] {
  let left = FILES;
  const own =
    paths.global === undefined ? [`${paths.configHome}/git/config`, `${paths.home}/.gitconfig`] : [paths.global];
  return [paths.system ?? "/etc/gitconfig", ...own].flatMap((file) => read(file, 0));

  function read(file: string, depth: number): ConfigEntry[] {
    if (depth > INCLUDES_DEEP || left-- <= 0) return [];
    return parseConfigFile(readSmall(file) ?? "").flatMap((entry) => {
      if (!isIncluded(entry, file)) return [entry];
      const path = entry.value === null ? null : expand(entry.value, file);
      return path === null ? [entry] : [entry, ...read(path, depth + 1)];
    });
  }

  function isIncluded({ section, subsection, key }: ConfigEntry, file: string): boolean {
    if (key !== "path") return false;
    if (section === "include") return subsection === null;
    return section === "includeif" && subsection !== null && around !== null && holds(subsection, file, around);
  }

  function expand(path: string, file: string): string | null {
    if (path === "" || path.includes("\0")) return null;
    if (path.startsWith("~/")) return joinPath(paths.home, path.slice(2));
    if (path.startsWith("~") || path.startsWith("%(")) return null; // another user's home, or a path relative to git's installation
    return path.startsWith("/") ? path : joinPath(parentPath(file), path);
  }

  function holds(condition: string, file: string, { gitDirectory, branch, remoteUrls }: AroundFacts): boolean {
    const at = condition.indexOf(":");
    const [kind, pattern] = [condition.slice(0, at), condition.slice(at + 1)];
    switch (kind) {
      case "gitdir":
        return matches(directoryPattern(pattern, file), gitDirectory);
      case "gitdir/i":
        return matches(directoryPattern(pattern, file).toLowerCase(), gitDirectory.toLowerCase());
      case "onbranch":
        return branch !== null && matches(`/${below(pattern)}`, branch);
      case "hasconfig":
        return (
          pattern.startsWith("remote.*.url:") &&
          remoteUrls.some((url) => matches(`/${pattern.slice("remote.*.url:".length)}`, url))
        );
      default:
        return false; // git ignores conditions that it does not know
    }
  }

  /** Like git: relative to the home, to the file's own directory, to the root, or at any depth. */
  function directoryPattern(pattern: string, file: string): string {
    const whole = below(pattern);
    if (whole.startsWith("~/")) return joinPath(resolvePath(paths.home).real, whole.slice(2));
    if (whole.startsWith("./")) return joinPath(parentPath(resolvePath(file).real), whole.slice(2));
    return whole.startsWith("/") ? whole : `**/${whole}`;
  }
}

function below(pattern: string): string {
  return pattern.endsWith("/") ? `${pattern}**` : pattern;
}

// Repeated slashes (`https://`) become one separator on both sides.
function matches(pattern: string, text: string): boolean {
  const glob = parseGlob(pattern.replace(/\/{2,}/g, "/"));
  return glob.ok && matchesGlob(glob.value, text.replace(/\/{2,}/g, "/").replace(/^\/|\/$/g, ""));
}

/** The last value, as written; "true" for a key without a value. Null if it is not set. */
export function lastValue(entries: readonly ConfigEntry[], section: string, key: string): string | null {
  const found = entries.findLast(
    (entry) => entry.section === section && entry.subsection === null && entry.key === key,
  );
  return found === undefined ? null : (found.value ?? "true");
}

/** Null if the file is missing, not a plain file, not readable, or too long for settings. It may be a link that the person made. */
function readSmall(file: string): string | null {
  return readPlainFile(resolvePath(file).real, FILE_BYTES)?.toString("utf8") ?? null;
}
