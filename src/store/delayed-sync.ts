// Entries that were not forced to the disk when they were written: forced a moment later, when nothing follows them, and when
// the log is closed. Then their note counts for good, also after the machine was started anew.
// Invariant: a note that counts for good is written only after the entry is on the disk.

import { closeSync, constants, fsyncSync, openSync } from "node:fs";
import type { Anchor } from "../audit/chain.ts";

const quietMs = 1_000;

export interface DelayedSync {
  /** The newest entry, where it was not forced to the disk; null: it was, and all before it with it. */
  note(entry: Anchor | null): void;
  now(): void;
}

export function createDelayedSync(databasePath: string, settled: (entry: Anchor) => void): DelayedSync {
  let waiting: Anchor | null = null;
  let timer: NodeJS.Timeout | undefined;
  const now = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const entry = waiting;
    waiting = null;
    if (entry === null) return;
    try {
      forceToDisk(databasePath);
      settled(entry);
    } catch {} // its note counts as long as this boot, as it did
  };
  return {
    note(entry) {
      waiting = entry === null ? null : { seq: entry.seq, hash: entry.hash };
      if (waiting !== null) timer ??= setTimeout(now, quietMs).unref();
    },
    now,
  };
}

/** What is not in the file beside the database is in the database, and was forced to the disk on its way there. */
function forceToDisk(databasePath: string): void {
  const file = openSync(`${databasePath}-wal`, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
