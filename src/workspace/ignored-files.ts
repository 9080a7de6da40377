// Which files of a workspace git would ignore: by the `.gitignore` files of the workspace, at every level, and by rules from above it.
// Invariant: no decision and no review depends on this, because the agent can write those files. It only shortens what an agent is shown.
// Invariant: it follows no link, and its work is bounded. What it does not read, or has no steps left for, is not ignored.

import { latin1Text } from "../shared/bytes.ts";
import { limits } from "../shared/limits.ts";
import { type IgnorePattern, type MatchWork, parseIgnoreFile } from "./ignore-pattern.ts";
import { rootPath, type WorkspacePath } from "./path.ts";
import type { Result } from "../shared/result.ts";

/** Where the rules are. A workspace is one. */
export interface IgnoreSource {
  /** Rules that decide where no `.gitignore` does, such as those of a repository's info/exclude. One character for each byte. */
  readonly ignoreRules?: string;
  entry(path: WorkspacePath): Promise<{ readonly kind: string; readonly size: number } | undefined>;
  read(path: WorkspacePath): Promise<Result<{ readonly bytes: Uint8Array }>>;
}

interface DirectoryRules {
  readonly isIgnored: boolean;
  /** Of this directory first, then of those above. */
  readonly levels: readonly Level[];
}

interface Level {
  /** How many bytes of a path stand before what the patterns are matched with. */
  readonly prefixLength: number;
  /** The last comes first: it decides. */
  readonly patterns: readonly IgnorePattern[];
}

export class IgnoredFiles {
  readonly #files: IgnoreSource;
  readonly #directories = new Map<string, Promise<DirectoryRules>>();
  readonly #work: MatchWork = { steps: 0 };
  #filesLeft: number = limits.ignoreFiles;
  #bytesLeft: number = limits.ignoreTotalBytes;

  constructor(files: IgnoreSource) {
    this.#files = files;
  }

  /** Whether a file or a link is ignored by its path. Callers except files that were pulled or staged: git ignores no tracked file. */
  async has(path: WorkspacePath): Promise<boolean> {
    const { isIgnored, levels } = await this.#rulesOf(parentOf(path));
    return isIgnored || this.#matches(utf8Text(path), false, levels);
  }

  /** Whether a directory is ignored, and so everything in it. */
  async hasDirectory(path: WorkspacePath): Promise<boolean> {
    return (await this.#rulesOf(path)).isIgnored;
  }

  #rulesOf(directory: WorkspacePath): Promise<DirectoryRules> {
    let rules = this.#directories.get(directory);
    if (rules === undefined) {
      rules = this.#readRules(directory);
      this.#directories.set(directory, rules);
    }
    return rules;
  }

  async #readRules(directory: WorkspacePath): Promise<DirectoryRules> {
    const isRoot = directory === rootPath;
    const above = isRoot ? this.#rulesAbove() : await this.#rulesOf(parentOf(directory));
    // A file in an ignored directory cannot be taken back, so git does not read further rules there.
    if (above.isIgnored || (!isRoot && this.#matches(utf8Text(directory), true, above.levels)))
      return { isIgnored: true, levels: [] };
    const patterns = await this.#readPatterns((isRoot ? ".gitignore" : `${directory}/.gitignore`) as WorkspacePath);
    if (patterns.length === 0) return above;
    const prefixLength = isRoot ? 0 : utf8Text(directory).length + 1;
    return { isIgnored: false, levels: [{ prefixLength, patterns }, ...above.levels] };
  }

  #rulesAbove(): DirectoryRules {
    const patterns = parseIgnoreFile(this.#files.ignoreRules ?? "").reverse();
    return { isIgnored: false, levels: patterns.length === 0 ? [] : [{ prefixLength: 0, patterns }] };
  }

  async #readPatterns(path: WorkspacePath): Promise<IgnorePattern[]> {
    const entry = await this.#files.entry(path);
    const mostBytes = Math.min(limits.ignoreFileBytes, this.#bytesLeft);
    if (entry?.kind !== "file" || entry.size > mostBytes || this.#filesLeft === 0) return [];
    this.#filesLeft -= 1;
    const file = await this.#files.read(path);
    if (!file.ok || file.value.bytes.length > mostBytes) return [];
    this.#bytesLeft -= file.value.bytes.length;
    return parseIgnoreFile(latin1Text(file.value.bytes)).reverse();
  }

  #matches(path: string, isDirectory: boolean, levels: readonly Level[]): boolean {
    const name = path.slice(path.lastIndexOf("/") + 1);
    for (const { prefixLength, patterns } of levels) {
      const below = path.slice(prefixLength);
      for (const pattern of patterns) {
        if (pattern.isForDirectories && !isDirectory) continue;
        if (this.#work.steps > limits.ignoreSteps) return false;
        if (pattern.matches(pattern.isForNames ? name : below, this.#work)) return !pattern.isNegated;
      }
    }
    return false;
  }
}

/** One character for each byte of UTF-8. */
function utf8Text(path: string): string {
  return latin1Text(new TextEncoder().encode(path));
}

function parentOf(path: WorkspacePath): WorkspacePath {
  const cut = path.lastIndexOf("/");
  return cut < 0 ? rootPath : (path.slice(0, cut) as WorkspacePath);
}
