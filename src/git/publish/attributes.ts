// What `.gitattributes` files say of a path about one attribute: enough to know what a repository keeps elsewhere, with
// LFS, and what git writes to disk otherwise than it is.
// As git reads them: later lines win over earlier ones, and nearer files over those above.

import { type Glob, matchesGlob, parseGlob } from "../../shared/glob.ts";

/** `true`: it is set, without a value. null: it is taken away again. */
export type AttributeValue = string | true | null;

interface AttributeLine {
  readonly glob: Glob;
  readonly value: AttributeValue;
}

/** The lines of one file that are about the attribute; what git would not read either is left out. */
export type AttributeLines = readonly AttributeLine[];

/** What is defined by `[attr]`, by name. */
export type AttributeMacros = Map<string, AttributeValue>;

/** `[attr]` lines count where git lets them: in the file at the root. */
export function parseAttributeLines(
  attribute: string,
  text: string,
  macros: AttributeMacros = new Map(),
): AttributeLines {
  const lines: AttributeLine[] = [];
  for (const line of text.split(/\r?\n/)) {
    const parsed = /^\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"#]\S*))\s+(.*)$/.exec(line);
    if (parsed === null) continue;
    const pattern = parsed[1] === undefined ? (parsed[2] as string) : parsed[1].replace(/\\(.)/g, "$1");
    const value = valueIn((parsed[3] as string).split(/\s+/), attribute, macros);
    if (value === undefined) continue;
    if (pattern.startsWith("[attr]")) {
      macros.set(pattern.slice("[attr]".length), value);
      continue;
    }
    // A pattern for a directory says nothing about files; one that excludes is not allowed here.
    if (pattern.endsWith("/") || pattern.startsWith("!")) continue;
    const glob = parseGlob(pattern);
    if (glob.ok) lines.push({ glob: glob.value, value });
  }
  return lines;
}

/** Undefined: the line says nothing about it. */
function valueIn(words: readonly string[], attribute: string, macros: AttributeMacros): AttributeValue | undefined {
  let found: AttributeValue | undefined;
  for (const word of words) {
    if (word.startsWith(`${attribute}=`)) found = word.slice(attribute.length + 1);
    else if (word === attribute) found = true;
    else if (word === `-${attribute}` || word === `!${attribute}`) found = null;
    else if (macros.has(word)) found = macros.get(word);
  }
  return found;
}

/** `files` by their directory; the root is the empty text. Undefined: nothing is said about it. */
export function attributeOf(path: string, files: ReadonlyMap<string, AttributeLines>): AttributeValue | undefined {
  const names = path.split("/");
  let value: AttributeValue | undefined;
  for (let depth = 0; depth < names.length; depth += 1) {
    const below = names.slice(depth).join("/");
    for (const line of files.get(names.slice(0, depth).join("/")) ?? [])
      if (matchesGlob(line.glob, below)) value = line.value;
  }
  return value;
}
