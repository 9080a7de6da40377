// Syncs entries to disk that were not synced when they were written: a moment later, and when the log is closed. Their note is
// then valid permanently, also after a restart of the machine.
// Invariant: a permanent note is written only after the entry is on the disk.

import { closeSync, constants, fsyncSync, openSync } from "node:fs";
import type { Anchor } from "../audit/chain.ts";

const quietMs = 1_000;

export interface DelayedSync {
  /** The newest entry if it was not synced to disk; null if it and all entries before it were. */
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
    } catch {} // the note stays valid for this boot only
  };
  return {
    note(entry) {
      waiting = entry === null ? null : { seq: entry.seq, hash: entry.hash };
      if (waiting !== null) timer ??= setTimeout(now, quietMs).unref();
    },
    now,
  };
}

/** Content that is not in the WAL file is in the database, and was synced on its way there. */
function forceToDisk(databasePath: string): void {
  const file = openSync(`${databasePath}-wal`, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
