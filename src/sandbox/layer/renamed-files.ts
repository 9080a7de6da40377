// Which of the changed files the call has under other names than the host. The host does not have these names, and a changed file that the
// host does not have is otherwise one that somebody deleted meanwhile.

import type { BigIntStats } from "node:fs";
import { joinPath } from "../../shared/path.ts";
import type { HostTree } from "./host-tree.ts";
import type { ChangedFileEntry, LayerEntry } from "./layer-changes.ts";

/** Their paths in the layer. `entries`: all of the layer, because the mark that the old name is gone can be anywhere in it. */
export function renamedFiles(entries: readonly LayerEntry[], host: HostTree): ReadonlySet<string> {
  const isMissing = (entry: LayerEntry): entry is ChangedFileEntry =>
    entry.kind === "changed file" && host.at(entry.path) === undefined;
  const missing = entries.filter(isMissing);
  if (missing.length === 0) return new Set();
  const inodes = new Set<bigint>();
  let isOneUntold = false;
  for (const { ino, nlink } of sourcesOf(entries, host)) {
    inodes.add(ino);
    isOneUntold ||= nlink > 1n; // of a file with several names the kernel does not tell the inode
  }
  const isRenamed = ({ inode }: ChangedFileEntry) =>
    isOneUntold || inodes.has(inode) || (inode === 0n && inodes.size > 0);
  return new Set(missing.filter(isRenamed).map(({ path }) => path));
}

/** The host's files that the call has deleted, replaced or linked. */
function* sourcesOf(entries: readonly LayerEntry[], host: HostTree): Generator<BigIntStats> {
  for (const { kind, path } of entries) if (kind !== "directory" && kind !== "name") yield* filesAt(path, host);
}

function* filesAt(path: string, host: HostTree): Generator<BigIntStats> {
  const found = host.at(path);
  if (found === undefined || found === "blocked") return;
  if (found.isFile()) yield found;
  if (found.isDirectory()) for (const name of host.names(path)) yield* filesAt(joinPath(path, name), host);
}
