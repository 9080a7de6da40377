// Makes trees without some of their paths, as a draft shows them whose agent may not see those.
// Invariant: an entry that stays is copied byte for byte. A directory of which nothing stays is left out, as git would do.

import { toHex } from "../../shared/bytes.ts";
import type { Hashes } from "../../shared/hash.ts";
import { limits } from "../../shared/limits.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { brokenAnswer, type DraftGit, readBatch } from "../draft/draft-git.ts";
import { idOfObject } from "../object-hash.ts";
import { type GitObject, idBytes, type ObjectFormat, type ObjectId, writeId } from "../publish/object.ts";
import { byteText, entryKind } from "../publish/tree-entry.ts";

/** By directory, "" for the root: what becomes of its entries. An entry that is not named here stays. One character for each byte. */
export type LeftOutPaths = ReadonlyMap<string, ReadonlyMap<string, "goes" | "is looked into">>;

/** `paths`: one character for each byte. */
export function leftOutPaths(paths: Iterable<string>): LeftOutPaths {
  const found = new Map<string, Map<string, "goes" | "is looked into">>();
  for (const path of paths) {
    const names = path.split("/");
    for (const [at, name] of names.entries()) {
      const directory = names.slice(0, at).join("/");
      const entries = found.get(directory) ?? new Map<string, "goes" | "is looked into">();
      found.set(directory, entries);
      if (at === names.length - 1) entries.set(name, "goes");
      else if (!entries.has(name)) entries.set(name, "is looked into");
    }
  }
  return found;
}

export interface FilteredTrees {
  /** The tree to which each of the given trees has become; the same id if nothing was left out. */
  readonly ids: ReadonlyMap<ObjectId, ObjectId>;
  readonly made: readonly GitObject[];
}

interface PlacedTree {
  readonly id: ObjectId;
  readonly directory: string;
}

export async function filterTrees(
  git: DraftGit,
  roots: Iterable<ObjectId>,
  leftOut: LeftOutPaths,
  { format, hashes }: { readonly format: ObjectFormat; readonly hashes: Hashes },
): Promise<Result<FilteredTrees>> {
  const wanted = [...new Set(roots)];
  const contents = await readPlaced(git, wanted, leftOut, format);
  if (!contents.ok) return contents;
  const made = new Map<ObjectId, GitObject>();
  const known = new Map<string, ObjectId | null>();
  const make = (content: Uint8Array): ObjectId => {
    const id = idOfObject(format, "tree", content, hashes);
    made.set(id, { id, type: "tree", content });
    return id;
  };
  /** Null if nothing stays. */
  const filtered = ({ id, directory }: PlacedTree): ObjectId | null => {
    const key = `${id}${directory}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const content = contents.value.get(id) ?? new Uint8Array();
    const pieces: Uint8Array[] = [];
    let from = 0;
    for (const entry of entriesOf(content, format)) {
      const what = leftOut.get(directory)?.get(entry.name);
      if (what === undefined || (what === "is looked into" && !entry.isDirectory())) continue;
      const child = what === "goes" ? null : filtered({ id: entry.id(), directory: below(directory, entry.name) });
      if (child === entry.id()) continue;
      pieces.push(content.subarray(from, child === null ? entry.start : entry.idAt));
      if (child !== null) pieces.push(bytesOf(child));
      from = entry.end;
    }
    const rest = Buffer.concat([...pieces, content.subarray(from)]);
    const isEmpty = rest.length === 0 && content.length > 0;
    const after = pieces.length === 0 ? id : isEmpty ? null : make(rest);
    known.set(key, after);
    return after;
  };
  const ids = new Map<ObjectId, ObjectId>();
  for (const id of wanted) ids.set(id, filtered({ id, directory: "" }) ?? make(new Uint8Array()));
  return ok({ ids, made: [...made.values()] });
}

/** Reads the trees of which something may be left out: one process for each depth. */
async function readPlaced(
  git: DraftGit,
  roots: readonly ObjectId[],
  leftOut: LeftOutPaths,
  format: ObjectFormat,
): Promise<Result<ReadonlyMap<ObjectId, Uint8Array>>> {
  const contents = new Map<ObjectId, Uint8Array>();
  let size = 0;
  let level: ReadonlyMap<string, PlacedTree> = new Map(roots.map((id) => [id, { id, directory: "" }]));
  while (level.size > 0) {
    const ids = [...new Set([...level.values()].map(({ id }) => id))].filter((id) => !contents.has(id));
    const read = await readBatch(git, ids);
    if (!read.ok) return read;
    for (const [at, object] of read.value.entries()) {
      if (object?.type !== "tree" || !isWhole(object.content, format)) return brokenAnswer(`${ids[at]} is no tree`);
      size += object.content.length;
      contents.set(object.id, object.content);
    }
    if (size > limits.gitReadBytes) return fail("tool_failed", "The history has too many directories to look through.");
    const next = new Map<string, PlacedTree>();
    for (const { id, directory } of level.values())
      for (const entry of entriesOf(contents.get(id) ?? new Uint8Array(), format)) {
        if (leftOut.get(directory)?.get(entry.name) !== "is looked into" || !entry.isDirectory()) continue;
        const child = { id: entry.id(), directory: below(directory, entry.name) };
        next.set(child.id + child.directory, child);
      }
    level = next;
  }
  return ok(contents);
}

interface SeenEntry {
  readonly name: string;
  isDirectory(): boolean;
  readonly start: number;
  readonly idAt: number;
  readonly end: number;
  id(): ObjectId;
}

/** The tree must be whole. There are millions of entries in a long history, so nothing is made of those that stay but their name. */
function* entriesOf(content: Uint8Array, format: ObjectFormat): Generator<SeenEntry> {
  for (let start = 0; start < content.length;) {
    const space = content.indexOf(0x20, start);
    const nul = content.indexOf(0, space);
    const idAt = nul + 1;
    const end = idAt + idBytes(format);
    const name = byteText(content.subarray(space + 1, nul));
    const at = start;
    yield {
      name,
      isDirectory: () => entryKind(byteText(content.subarray(at, space))) === "directory",
      start,
      idAt,
      end,
      id: () => toHex(content.subarray(idAt, end)),
    };
    start = end;
  }
}

function isWhole(content: Uint8Array, format: ObjectFormat): boolean {
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const nul = space < 0 ? -1 : content.indexOf(0, space);
    if (nul < 0) return false;
    at = nul + 1 + idBytes(format);
    if (at > content.length) return false;
  }
  return true;
}

function below(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

function bytesOf(id: ObjectId): Uint8Array {
  const bytes = new Uint8Array(id.length / 2);
  writeId(id, bytes, 0);
  return bytes;
}
