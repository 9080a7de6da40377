// The files that each session pulled, or landed by a push: one layer for each time, later layers over earlier ones. Many
// layers are merged into one.

import type { DatabaseSync } from "node:sqlite";
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
  /** Grouped by their source. */
  readonly from: readonly {
    readonly source: string;
    readonly commit: string;
    readonly files: readonly (readonly [path: string, contentHash: string, size: number, mode: PulledFile["mode"]])[];
  }[];
}

type Pulled = ReadonlyMap<string, PulledFile>;

interface Known {
  /** The numbers of the layers that `files` contains. */
  readonly numbers: readonly number[];
  readonly files: Pulled;
}

export class PulledLayers {
  readonly #statements;
  readonly #known = new Map<string, Known>();

  constructor(database: DatabaseSync) {
    this.#statements = {
      numbers: database.prepare("SELECT number FROM pulled_layers WHERE session = ? ORDER BY number"),
      layer: database.prepare("SELECT layer FROM pulled_layers WHERE session = ? AND number = ?"),
      add: database.prepare("INSERT INTO pulled_layers VALUES (?, ?, ?)"),
      clear: database.prepare("DELETE FROM pulled_layers WHERE session = ?"),
    };
  }

  files(session: string): Pulled {
    return this.#refresh(session).files;
  }

  /** Call it in a transaction. Returns all pulled files after the change. */
  add(session: string, files: readonly PulledFile[], gone: readonly string[]): Pulled {
    const { numbers, files: before } = this.#refresh(session);
    const now = folded(before, files, gone);
    const number = (numbers.at(-1) ?? 0) + 1;
    const isFull = numbers.length >= LAYERS;
    if (isFull) this.#statements.clear.run(session);
    const layer = isFull ? layerOf([...now.values()], []) : layerOf(files, gone);
    this.#statements.add.run(session, number, JSON.stringify(layer));
    // The result is not kept in memory, because the transaction may still fail.
    return now;
  }

  /** Reads the current state of the database. A layer never changes and its number is never reused, so only new layers are read. */
  #refresh(session: string): Known {
    const numbers = this.#statements.numbers.all(session).map((row) => Number(row["number"]));
    const known = this.#known.get(session);
    const isLonger = known !== undefined && known.numbers.every((number, index) => numbers[index] === number);
    if (isLonger && known.numbers.length === numbers.length) return known;
    let files = isLonger ? known.files : new Map<string, PulledFile>();
    for (const number of isLonger ? numbers.slice(known.numbers.length) : numbers) {
      const layer = JSON.parse(String(this.#statements.layer.get(session, number)?.["layer"])) as Layer;
      files = folded(files, filesOf(layer), layer.gone);
    }
    const refreshed = { numbers, files };
    const [oldest] = this.#known.keys();
    if (this.#known.size === SESSIONS_IN_MEMORY && known === undefined) this.#known.delete(oldest as string);
    this.#known.set(session, refreshed);
    return refreshed;
  }
}

function folded(before: Pulled, files: readonly PulledFile[], gone: readonly string[]): Pulled {
  const now = new Map(before);
  for (const file of files) now.set(file.path, file);
  for (const path of gone) now.delete(path);
  return now;
}

function layerOf(files: readonly PulledFile[], gone: readonly string[]): Layer {
  const groups = Map.groupBy(files, ({ source, commit }) => `${commit} ${source}`);
  const from = [...groups.values()].map((group) => {
    const { source, commit } = group[0] as PulledFile;
    return {
      source,
      commit,
      files: group.map(({ path, contentHash, size, mode }) => [path, contentHash, size, mode] as const),
    };
  });
  return { gone, from };
}

function filesOf({ from }: Layer): PulledFile[] {
  return from.flatMap(({ source, commit, files }) =>
    files.map(([path, contentHash, size, mode]) => ({ path, contentHash, size, mode, source, commit })),
  );
}
