// Searches the files of a workspace for lines that match a pattern. Its result and its time are bounded, and it yields to the event
// loop regularly.

import { type Glob, matchesGlob } from "../shared/glob.ts";
import { limits } from "../shared/limits.ts";
import { baseName } from "../shared/path.ts";
import { ok, type Result } from "../shared/result.ts";
import { rootPath, type WorkspacePath } from "./path.ts";
import { createLineMatcher, type FoundLine, type LineMatcher } from "./regex.ts";
import { isBinary } from "./text.ts";
import type { Workspace } from "./workspace.ts";

export interface SearchOptions {
  /** A directory, or one file. */
  readonly under?: WorkspacePath;
  /** Which files to search, relative to `under`. If `under` is a file, the glob is matched against its name. */
  readonly glob?: Glob;
  readonly limit?: number;
  readonly timeMs?: number;
  readonly signal?: AbortSignal;
  /** Which of these files to leave out. Asked before they are read, for many at once. */
  readonly ignoredOf?: (paths: readonly WorkspacePath[]) => Promise<Result<ReadonlySet<string>>>;
}

export interface SearchMatch {
  readonly path: WorkspacePath;
  /** Counted from 1. */
  readonly line: number;
  /** The line. Of a long line, the part around the match. */
  readonly text: string;
}

export interface SearchResult {
  readonly matches: readonly SearchMatch[];
  /** Whether there may be more matches. `stopped` says why. */
  readonly more: boolean;
  readonly stopped: "limit" | "size" | "time" | null;
  /** How many files were left out. */
  readonly ignored: number;
}

type Stop = Exclude<SearchResult["stopped"], null>;

const TURN_MS = 20;
const FIRST_PART = 64;

/** Skips files that are not text. Does not follow links, because their targets are searched under their own paths. */
export async function searchFiles(
  workspace: Workspace,
  pattern: string,
  options: SearchOptions = {},
): Promise<Result<SearchResult>> {
  const matcher = createLineMatcher(pattern);
  if (!matcher.ok) return matcher;
  const search = new Search(matcher.value, options);
  const { under = rootPath, glob } = options;
  if ((await workspace.entry(under))?.kind === "file") {
    if (glob !== undefined && !matchesGlob(glob, baseName(under))) return ok(search.ended(undefined));
    const file = await workspace.read(under);
    return file.ok ? ok(search.ended(search.file(under, file.value.bytes))) : file;
  }
  // One list for all: a directory on the disk is scanned for each.
  const { entries } = await workspace.list({ under, ...(glob === undefined ? {} : { glob }) });
  const paths = entries.filter(({ kind }) => kind === "file").map(({ path }) => path);
  // Each part is twice as long as the one before, so that many files need few questions, and a search that ends early asks little.
  for (let from = 0, size = FIRST_PART; from < paths.length; from += size, size *= 2) {
    const part = paths.slice(from, from + size);
    const ignored = await options.ignoredOf?.(part);
    if (ignored?.ok === false) return ignored;
    for (const path of part) {
      if (ignored?.value.has(path) === true) {
        search.ignored += 1;
        continue;
      }
      const file = await workspace.read(path);
      if (!file.ok) continue; // the file was deleted since, or the agent may not read it
      const stopped = search.file(path, file.value.bytes);
      if (stopped !== undefined) return ok(search.ended(stopped));
      await search.turn();
    }
  }
  return ok(search.ended(undefined));
}

class Search {
  /** How many files were left out. */
  ignored = 0;
  readonly #matches: SearchMatch[] = [];
  readonly #matcher: LineMatcher;
  readonly #limit: number;
  readonly #signal: AbortSignal | undefined;
  readonly #until: number;
  readonly #decoder = new TextDecoder();
  #turnAt = performance.now() + TURN_MS;
  #charactersLeft: number = limits.searchResultCharacters;

  constructor(matcher: LineMatcher, options: SearchOptions) {
    this.#matcher = matcher;
    this.#limit = Math.min(options.limit ?? limits.searchMatches, limits.searchMatches);
    this.#until = performance.now() + (options.timeMs ?? limits.searchMs);
    this.#signal = options.signal;
  }

  file(path: WorkspacePath, bytes: Uint8Array): Stop | undefined {
    if (this.#isLate()) return "time";
    if (isBinary(bytes)) return undefined;
    const text = this.#decoder.decode(bytes);
    const isLate = () => this.#isLate();
    let counted = 0;
    let line = 1;
    for (let from = 0; from < text.length;) {
      const found = this.#matcher.next(text, from, isLate);
      if (found === undefined) return undefined;
      if (found === "late") return "time";
      if (this.#matches.length >= this.#limit) return "limit";
      line += countLines(text, counted, found.start);
      counted = found.start;
      const excerpt = excerptOf(text, found);
      if (excerpt.length > this.#charactersLeft) return "size";
      this.#charactersLeft -= excerpt.length;
      this.#matches.push({ path, line, text: excerpt });
      const feed = text.indexOf("\n", found.end);
      if (feed < 0) return undefined;
      from = feed + 1;
    }
    return undefined;
  }

  ended(stopped: Stop | undefined): SearchResult {
    return {
      matches: this.#matches,
      more: stopped !== undefined,
      stopped: stopped ?? null,
      ignored: this.ignored,
    };
  }

  /** Yields to the event loop if the last time was long enough ago. */
  async turn(): Promise<void> {
    if (performance.now() < this.#turnAt) return;
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
    this.#turnAt = performance.now() + TURN_MS;
  }

  #isLate(): boolean {
    return this.#signal?.aborted === true || performance.now() > this.#until;
  }
}

function countLines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

function excerptOf(text: string, { start, end, matchEnd }: FoundLine): string {
  const maxCharacters = limits.searchLineCharacters;
  if (end - start <= maxCharacters) return text.slice(start, end);
  const from = Math.max(start, Math.min(matchEnd - Math.floor(maxCharacters / 2), end - maxCharacters));
  const to = Math.min(end, from + maxCharacters);
  return `${from > start ? "…" : ""}${text.slice(from, to).toWellFormed()}${to < end ? "…" : ""}`;
}
