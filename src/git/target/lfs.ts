// Finds the paths that a repository stores in LFS, by the .gitattributes of its tree. The gate never runs the LFS filter, so it
// cannot push such files.

import { type AttributeLines, type AttributeMacros, attributeOf, parseAttributeLines } from "../publish/attributes.ts";
import { byteText, entryKind } from "../publish/tree-entry.ts";
import type { TargetReading } from "./target.ts";

const NAME = ".gitattributes";

/** The paths that the target's attributes assign to LFS. `staged` holds attribute files of the same commit; null if deleted. */
export async function pathsInLfs(
  paths: readonly string[],
  reading: TargetReading,
  staged: ReadonlyMap<string, Uint8Array | null> = new Map(),
): Promise<string[]> {
  const texts = await attributesAbove(directoriesAbove(paths), reading);
  for (const [path, bytes] of staged) {
    const directory = path.slice(0, -NAME.length).replace(/\/$/, "");
    if (bytes === null) texts.delete(directory);
    else texts.set(directory, bytes);
  }
  if (texts.size === 0) return [];
  const macros: AttributeMacros = new Map();
  const linesOf = (bytes: Uint8Array) => parseAttributeLines("filter", new TextDecoder().decode(bytes), macros);
  const root = texts.get("");
  const files = new Map<string, AttributeLines>(root === undefined ? [] : [["", linesOf(root)]]);
  for (const [directory, bytes] of texts) if (directory !== "") files.set(directory, linesOf(bytes));
  return paths.filter((path) => attributeOf(path, files) === "lfs");
}

/** Includes the root, which is "". */
function directoriesAbove(paths: readonly string[]): Set<string> {
  const directories = new Set<string>(paths.length === 0 ? [] : [""]);
  for (const path of paths) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const above = path.slice(0, at);
      if (directories.has(above)) break;
      directories.add(above);
    }
  }
  return directories;
}

/** Reads only the trees that lead to these directories, all trees of one depth together. */
async function attributesAbove(
  directories: ReadonlySet<string>,
  reading: TargetReading,
): Promise<Map<string, Uint8Array>> {
  const ids = new Map<string, string>();
  const walk = async (id: string, directory: string): Promise<void> => {
    const below: Promise<void>[] = [];
    for (const entry of await reading.readTree(id)) {
      const kind = entryKind(entry.mode);
      if (kind === "file" && byteText(entry.name) === NAME) ids.set(directory, entry.id);
      if (kind !== "directory") continue;
      const name = new TextDecoder().decode(entry.name);
      const path = directory === "" ? name : `${directory}/${name}`;
      if (directories.has(path)) below.push(walk(entry.id, path));
    }
    await Promise.all(below);
  };
  if (reading.state.baseTree !== null && directories.size > 0) await walk(reading.state.baseTree, "");
  if (ids.size === 0) return new Map();
  const contents = await reading.readBlobs([...new Set(ids.values())]);
  return new Map([...ids].map(([directory, id]) => [directory, contents.get(id) ?? new Uint8Array()]));
}
