// Which paths a repository keeps in LFS, by the .gitattributes of its tree. Its filter never runs here, so what belongs
// there cannot be pushed.

import { type AttributeLines, type AttributeMacros, attributeOf, parseAttributeLines } from "../publish/attributes.ts";
import { byteText, entryKind } from "../publish/tree-entry.ts";
import type { TargetReading } from "./target.ts";

const NAME = ".gitattributes";

/** Of these paths, those that the target's attributes give to LFS. `staged`: attributes that come with them; null: they go. */
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

/** With the root, which is the empty text. */
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

/** Only trees that lead to these directories are read, those of one depth together. */
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
