// Appends entries to the log. It notes the log's end in the anchor file, and records in the log itself if the end that it finds is not the
// one that was written.
// Invariant: an append is one transaction that locks the log, reads its last entry and adds the next. Processes lose or
// duplicate nothing, and the cost does not grow with the log.

import type { Database, Statement } from "./database.ts";
import { type Anchor, type ChainContext, genesisHash, sealEntry } from "../audit/chain.ts";
import type { EntryContent } from "../audit/content.ts";
import type { Entry } from "../audit/entry.ts";
import type { Clock } from "../shared/clock.ts";
import type { AnchorFile } from "./anchor-file.ts";
import type { DelayedSync } from "./delayed-sync.ts";
import { insertEntry, rowOf } from "./journal-rows.ts";

export interface WriterContext extends ChainContext {
  readonly path: string;
  readonly anchors: AnchorFile;
  readonly clock: Clock;
  /** Makes what is not durable when it is written durable later. `settled` is called with the newest entry. */
  readonly syncLater: (settled: (entry: Anchor) => void) => DelayedSync;
}

export class JournalWriter {
  readonly #database: Database;
  readonly #context: WriterContext;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #lastEntry: Statement;
  readonly #hashAt: Statement;
  readonly #insert: Statement;
  readonly #beforeFirst: Anchor;
  readonly #settled: DelayedSync;
  #isDurable = true;
  /** An anchor may also be before the end. This is checked once, when the log is opened. */
  #isChecked = false;

  constructor(database: Database, context: WriterContext) {
    this.#database = database;
    this.#context = context;
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
    this.#lastEntry = database.prepare("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1");
    this.#hashAt = database.prepare("SELECT hash FROM entries WHERE seq = ?");
    this.#insert = database.prepare(insertEntry);
    this.#beforeFirst = { seq: 0, hash: genesisHash(context) };
    this.#settled = context.syncLater((entry) => this.#settle(entry));
  }

  /** The log's last entry, or what stands for it while the log is empty. */
  last(): Anchor {
    return (this.#lastEntry.get() as unknown as Anchor | undefined) ?? this.#beforeFirst;
  }

  append(content: EntryContent, isDurable: boolean): Entry {
    return this.#write(content, isDurable) as Entry;
  }

  /** Call this once, when the log is opened. A log that cannot be written can still be read: `append` tries again and reports the failure. */
  checkEnd(): void {
    // Checks again while the log is locked before it records anything, because another process may be appending.
    if (this.#contradicting(this.last()) === undefined) this.#isChecked = true;
    else
      try {
        this.#write(undefined, true);
      } catch {}
  }

  /** Makes what was written durable. */
  close(): void {
    this.#settled.now();
  }

  /** Without content, it writes only what has to be said about the end. */
  #write(content: EntryContent | undefined, isDurable: boolean): Entry | undefined {
    const { anchors } = this.#context;
    this.#setDurable(isDurable);
    this.#begin.run();
    try {
      const end = this.last();
      const anchor = this.#contradicting(end);
      const cut = anchor === undefined ? undefined : this.#add(cutContent(anchor, end), end);
      const entry = content === undefined ? cut : this.#add(content, cut ?? end);
      this.#commit.run();
      this.#isChecked = true;
      if (entry === undefined) return undefined;
      if (cut === undefined) anchors.write(entry, isDurable);
      else anchors.reset(entry);
      this.#settled.note(isDurable ? null : entry);
      return entry;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #add(content: EntryContent, previous: Anchor): Entry {
    const { clock, key } = this.#context;
    const time = new Date(clock.now()).toISOString();
    const entry = sealEntry({ seq: previous.seq + 1, time, ...content, prev: previous.hash }, key);
    this.#insert.run(...rowOf(entry));
    return entry;
  }

  /** An anchor that says that the log had another end, or another entry. */
  #contradicting(end: Anchor): Anchor | undefined {
    const { anchors } = this.#context;
    const beyond = anchors.contradicting(end.seq, end.hash);
    if (beyond !== undefined || this.#isChecked) return beyond;
    return anchors.read().find(({ seq, hash }) => seq <= end.seq && this.#hashAt.get(seq)?.["hash"] !== hash);
  }

  #setDurable(isDurable: boolean): void {
    if (isDurable === this.#isDurable) return;
    this.#database.exec(`PRAGMA synchronous = ${isDurable ? "FULL" : "NORMAL"}`);
    this.#isDurable = isDurable;
  }

  #settle(entry: Anchor): void {
    this.#begin.run();
    // Otherwise another process has written since, and its note replaces this one.
    if (this.last().seq === entry.seq) this.#context.anchors.write(entry, true);
    this.#database.exec("ROLLBACK");
  }
}

function cutContent(anchor: Anchor, end: Anchor): EntryContent {
  const outcome = {
    message: anchor.seq > end.seq ? "the end of the log was cut" : "the end of the log was replaced",
    anchor_seq: anchor.seq,
    anchor_hash: anchor.hash,
    found_seq: end.seq,
    found_hash: end.hash,
  };
  const nobody = { session: null, agent: null, call_id: null, tool: null, digest: null, decision: null, because: null };
  return { ...nobody, event: "audit.cut", args: null, outcome };
}
