// Reads from `.gitattributes` files which value one attribute has for a path. The gate uses this to find the files that a
// repository stores in LFS, and the files that git converts when it writes them to disk.
// The order is git's: a later line wins over an earlier one, and a file in a deeper directory wins over those above it.

import { type Glob, matchesGlob, parseGlob } from "../../shared/glob.ts";

/** `true`: the attribute is set without a value. Null: it is unset (`-attribute` or `!attribute`). */
export type AttributeValue = string | true | null;

interface AttributeLine {
  readonly glob: Glob;
  readonly value: AttributeValue;
}

/** The lines of one file that name the attribute. Lines that git ignores are left out. */
export type AttributeLines = readonly AttributeLine[];

/** The macros that `[attr]` lines define, by name. */
export type AttributeMacros = Map<string, AttributeValue>;

/** Git accepts `[attr]` lines only in the file at the root, so callers parse that file first and pass its `macros` on. */
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
    // A pattern for a directory does not apply to files. Git does not allow negative patterns here.
    if (pattern.endsWith("/") || pattern.startsWith("!")) continue;
    const glob = parseGlob(pattern);
    if (glob.ok) lines.push({ glob: glob.value, value });
  }
  return lines;
}

/** Undefined if the line does not name the attribute. */
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

/** `files` maps a directory to its lines; the root is "". Undefined if no line names the attribute for this path. */
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
