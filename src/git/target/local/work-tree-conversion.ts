// Finds files that git would convert when it writes them to disk, in ways that the gate does not support: into another encoding, or
// with an id inserted. (Line ends and filters are handled elsewhere.)
// Like the person's own git, it reads the .gitattributes files on disk, those in the landing commit, and info/attributes.

import { readPlainFile } from "../../../process/plain-file.ts";
import { resolvePath } from "../../../process/real-path.ts";
import { joinPath } from "../../../shared/path.ts";
import {
  type AttributeLines,
  type AttributeMacros,
  attributeOf,
  type AttributeValue,
  parseAttributeLines,
} from "../../publish/attributes.ts";
import type { LandedFile } from "../target.ts";
import { nameIn, splitPath, type DirectoryHandle } from "../../../process/directory-handle.ts";

const NAME = ".gitattributes";
const ATTRIBUTES_BYTES = 16 << 20;

type Texts = ReadonlyMap<string, string>;

/** Why each of these files cannot land. `modified` has the files that differ on disk from the branch. */
export function conversionProblems(
  handle: DirectoryHandle,
  commonDirectory: string,
  changes: readonly LandedFile[],
  modified: ReadonlyMap<string, string>,
): Map<string, string> {
  const problems = new Map<string, string>();
  const now = attributesOnDisk(handle, changes);
  const info = readAttributes(resolvePath(joinPath(commonDirectory, "info/attributes")).real) ?? "";
  const then = new Map(now);
  for (const { path, after } of changes) {
    const [directory, name] = splitPath(path);
    if (name !== NAME) continue;
    if (after === null) then.delete(directory);
    else then.set(directory, new TextDecoder().decode(after.content));
  }
  const encodings = [...readers("working-tree-encoding", info, now, then)];
  const idents = [...readers("ident", info, now)];
  for (const { path, before, after } of changes) {
    const isPlain = (after ?? before)?.mode !== "120000";
    if (!isPlain || (after === null && !modified.has(path))) continue;
    const encoding = encodings.map((read) => read(path)).find(isOtherEncoding);
    if (encoding !== undefined)
      problems.set(path, `has the attribute working-tree-encoding=${encoding}, which is not converted here`);
    else if (modified.has(path) && before !== null && idents.some((read) => read(path) === true))
      problems.set(path, "differs on disk, and has the attribute ident, which is not converted here");
  }
  return problems;
}

function isOtherEncoding(value: AttributeValue | undefined): value is string {
  return typeof value === "string" && value !== "" && !/^utf-?8$/i.test(value);
}

/** One function for each set of files that finds the attribute of a path. Skips sets that do not mention the attribute. */
function* readers(
  attribute: string,
  info: string,
  ...sets: readonly Texts[]
): Generator<(path: string) => AttributeValue | undefined> {
  for (const texts of sets) {
    if (![info, ...texts.values()].some((text) => text.includes(attribute))) continue;
    const macros: AttributeMacros = new Map();
    const root = parseAttributeLines(attribute, texts.get("") ?? "", macros);
    const above = new Map([["", parseAttributeLines(attribute, info, macros)]]);
    const files = new Map<string, AttributeLines>([["", root]]);
    for (const [directory, text] of texts)
      if (directory !== "") files.set(directory, parseAttributeLines(attribute, text, macros));
    yield (path) => {
      const last = attributeOf(path, above);
      return last === undefined ? attributeOf(path, files) : last;
    };
  }
}

function attributesOnDisk(handle: DirectoryHandle, changes: readonly LandedFile[]): Map<string, string> {
  const texts = new Map<string, string>();
  const visited = new Set<string>();
  for (const { path } of changes) {
    for (let [directory] = splitPath(path); !visited.has(directory); [directory] = splitPath(directory)) {
      visited.add(directory);
      const text = handle.inside(directory, (descriptor) => readAttributes(nameIn(descriptor, NAME)));
      if (text !== undefined && text !== null) texts.set(directory, text);
    }
  }
  return texts;
}

function readAttributes(fdPath: string): string | null {
  return readPlainFile(fdPath, ATTRIBUTES_BYTES)?.toString("utf8") ?? null;
}
