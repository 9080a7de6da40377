// The files that each session pulled, or landed by a push, and those whose deletion it landed: one layer for each time, later layers over
// earlier ones. Many layers are merged into one.

import type { Database } from "./database.ts";
import type { PulledFile } from "../git/staged.ts";

export const pulledTable = `
  CREATE TABLE IF NOT EXISTS pulled_layers (
    session TEXT NOT NULL, number INTEGER NOT NULL, layer TEXT NOT NULL, PRIMARY KEY (session, number)
  ) STRICT;
`;

const LAYERS = 16;
const SESSIONS_IN_MEMORY = 4;

interface Layer {
  readonly gone: readonly string[];
  /** Absent in layers of earlier versions. */
  readonly deleted?: readonly string[];
  /** Grouped by their source. */
  readonly from: readonly {
    readonly source: string;
    readonly commit: string;
    readonly files: readonly (readonly [path: string, contentHash: string, size: number, mode: PulledFile["mode"]])[];
  }[];
}

interface Folded {
  readonly files: ReadonlyMap<string, PulledFile>;
  /** Paths whose deletion has landed. */
  readonly deleted: ReadonlySet<string>;
}

interface Known extends Folded {
  /** The numbers of the layers that it contains. */
  readonly numbers: readonly number[];
}

/** What one pull or push notes. */
export interface NotedFiles {
  readonly files: readonly PulledFile[];
  /** Paths of which nothing is noted any more. */
  readonly gone?: readonly string[];
  /** Paths whose deletion has landed. */
  readonly deleted?: readonly string[];
}

const nothing: Folded = { files: new Map(), deleted: new Set() };

export class PulledLayers {
  readonly #statements;
  readonly #known = new Map<string, Known>();

  constructor(database: Database) {
    this.#statements = {
      numbers: database.prepare("SELECT number FROM pulled_layers WHERE session = ? ORDER BY number"),
      layer: database.prepare("SELECT layer FROM pulled_layers WHERE session = ? AND number = ?"),
      add: database.prepare("INSERT INTO pulled_layers VALUES (?, ?, ?)"),
      clear: database.prepare("DELETE FROM pulled_layers WHERE session = ?"),
    };
  }

  files(session: string): Folded["files"] {
    return this.#refresh(session).files;
  }

  deleted(session: string): Folded["deleted"] {
    return this.#refresh(session).deleted;
  }

  /** Call it in a transaction. Returns all pulled files after the change. */
  add(session: string, noted: NotedFiles): Folded["files"] {
    const before = this.#refresh(session);
    const { numbers } = before;
    const now = folded(before, noted);
    const number = (numbers.at(-1) ?? 0) + 1;
    const isFull = numbers.length >= LAYERS;
    if (isFull) this.#statements.clear.run(session);
    const layer = layerOf(isFull ? { files: [...now.files.values()], deleted: [...now.deleted] } : noted);
    this.#statements.add.run(session, number, JSON.stringify(layer));
    // The result is not kept in memory, because the transaction may still fail.
    return now.files;
  }

  /** Reads the current state of the database. A layer never changes and its number is never reused, so only new layers are read. */
  #refresh(session: string): Known {
    const numbers = this.#statements.numbers.all(session).map((row) => Number(row["number"]));
    const known = this.#known.get(session);
    const isLonger = known !== undefined && known.numbers.every((number, index) => numbers[index] === number);
    if (isLonger && known.numbers.length === numbers.length) return known;
    let all = isLonger ? known : nothing;
    for (const number of isLonger ? numbers.slice(known.numbers.length) : numbers) {
      const layer = JSON.parse(String(this.#statements.layer.get(session, number)?.["layer"])) as Layer;
      all = folded(all, { files: filesOf(layer), gone: layer.gone, deleted: layer.deleted ?? [] });
    }
    const refreshed = { numbers, files: all.files, deleted: all.deleted };
    const [oldest] = this.#known.keys();
    if (this.#known.size === SESSIONS_IN_MEMORY && known === undefined) this.#known.delete(oldest as string);
    this.#known.set(session, refreshed);
    return refreshed;
  }
}

function folded(before: Folded, { files, gone = [], deleted = [] }: NotedFiles): Folded {
  const now = { files: new Map(before.files), deleted: new Set(before.deleted) };
  for (const file of files) now.files.set(file.path, file);
  for (const path of [...gone, ...deleted]) now.files.delete(path);
  for (const path of [...files.map((file) => file.path), ...gone]) now.deleted.delete(path);
  for (const path of deleted) now.deleted.add(path);
  return now;
}

function layerOf({ files, gone = [], deleted = [] }: NotedFiles): Layer {
  const groups = Map.groupBy(files, ({ source, commit }) => `${commit} ${source}`);
  const from = [...groups.values()].map((group) => {
    const { source, commit } = group[0] as PulledFile;
    return {
      source,
      commit,
      files: group.map(({ path, contentHash, size, mode }) => [path, contentHash, size, mode] as const),
    };
  });
  return { gone, deleted, from };
}

function filesOf({ from }: Layer): PulledFile[] {
  return from.flatMap(({ source, commit, files }) =>
    files.map(([path, contentHash, size, mode]) => ({ path, contentHash, size, mode, source, commit })),
  );
}
