// Which of the changed files the call has under other names than the host. The host does not have these names, and a changed file that the
// host does not have is otherwise one that somebody deleted meanwhile.

import type { BigIntStats } from "node:fs";
import { limits } from "../../shared/limits.ts";
import { isWithin, joinPath } from "../../shared/path.ts";
import type { HostTree } from "./host-tree.ts";
import { TooManyChanges } from "./landing-plan.ts";
import type { ChangedFileEntry, LayerEntry } from "./layer-changes.ts";

/** Their paths in the layer. `entries`: all of the layer, because the mark that the old name is gone can be anywhere in it. */
export function renamedFiles(entries: readonly LayerEntry[], host: HostTree): ReadonlySet<string> {
  const isMissing = (entry: LayerEntry): entry is ChangedFileEntry =>
    entry.kind === "changed file" && host.at(entry.path) === undefined;
  const missing = entries.filter(isMissing);
  if (missing.length === 0) return new Set();
  // The kernel does not mark the copy of a file with several names as one of the host's, so such a file is no source of a changed file.
  const inodes = new Set<bigint>();
  for (const { ino, nlink } of sourcesOf(entries, host)) if (nlink === 1n) inodes.add(ino);
  const isRenamed = ({ inode }: ChangedFileEntry) => inodes.has(inode) || (inode === 0n && inodes.size > 0);
  return new Set(missing.filter(isRenamed).map(({ path }) => path));
}

/** The host's files that the call has deleted, replaced or linked, each once. */
function* sourcesOf(entries: readonly LayerEntry[], host: HostTree): Generator<BigIntStats> {
  let walked: string | null = null;
  let count = 0;
  function* filesAt(path: string): Generator<BigIntStats> {
    const found = host.at(path);
    if (found === undefined || found === "blocked") return;
    if (found.isFile()) yield found;
    if (!found.isDirectory()) return;
    for (const name of host.names(path)) {
      // The landing would have a step for each of them.
      if ((count += 1) > limits.landingSteps) throw new TooManyChanges();
      yield* filesAt(joinPath(path, name));
    }
  }
  for (const { kind, path } of entries) {
    if (kind === "directory" || kind === "name") continue;
    if (walked !== null && isWithin(`/${path}`, `/${walked}`)) continue;
    walked = path;
    yield* filesAt(path);
  }
}
