// What `.gitattributes` files say about the `filter` of a path: enough to know what a repository keeps elsewhere, with LFS.
// As git reads them: later lines win over earlier ones, and nearer files over those above.

import { type Glob, matchesGlob, parseGlob } from "../../shared/glob.ts";

interface AttributeLine {
  readonly glob: Glob;
  /** null: it is taken away again. */
  readonly filter: string | null;
}

/** The lines of one file that are about `filter`; what git would not read either is left out. */
export type FilterLines = readonly AttributeLine[];

/** `[attr]` lines count where git lets them: in the file at the root. */
export function parseFilterLines(text: string, macros: Map<string, string> = new Map()): FilterLines {
  const lines: AttributeLine[] = [];
  for (const line of text.split(/\r?\n/)) {
    const parsed = /^\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"#]\S*))\s+(.*)$/.exec(line);
    if (parsed === null) continue;
    const pattern = parsed[1] === undefined ? (parsed[2] as string) : parsed[1].replace(/\\(.)/g, "$1");
    const filter = filterIn((parsed[3] as string).split(/\s+/), macros);
    if (filter === undefined) continue;
    if (pattern.startsWith("[attr]")) {
      if (filter !== null) macros.set(pattern.slice("[attr]".length), filter);
      continue;
    }
    // A pattern for a directory says nothing about files; one that excludes is not allowed here.
    if (pattern.endsWith("/") || pattern.startsWith("!")) continue;
    const glob = parseGlob(pattern);
    if (glob.ok) lines.push({ glob: glob.value, filter });
  }
  return lines;
}

/** Undefined: the line says nothing about it. */
function filterIn(words: readonly string[], macros: ReadonlyMap<string, string>): string | null | undefined {
  let found: string | null | undefined;
  for (const word of words) {
    if (word.startsWith("filter=")) found = word.slice("filter=".length);
    else if (/^[-!](?:filter|binary)$/.test(word)) found = word.endsWith("filter") ? null : found;
    else if (macros.has(word)) found = macros.get(word);
  }
  return found;
}

/** `files` by their directory; the root is the empty text. */
export function filterOf(path: string, files: ReadonlyMap<string, FilterLines>): string | null {
  const names = path.split("/");
  let filter: string | null = null;
  for (let depth = 0; depth < names.length; depth += 1) {
    const below = names.slice(depth).join("/");
    for (const line of files.get(names.slice(0, depth).join("/")) ?? [])
      if (matchesGlob(line.glob, below)) filter = line.filter;
  }
  return filter;
}
