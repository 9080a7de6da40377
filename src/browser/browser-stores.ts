// The stores of a gate in a browser: the same SQL as on a machine, in the private file system of one worker.
// Invariant: one worker at a time has them open, which holds a Web Lock. So every other member of the queue is gone.

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { SharedStore } from "../approval/shared-store.ts";
import type { ChainKey } from "../audit/chain.ts";
import type { Journal } from "../audit/journal.ts";
import type { StagedStore } from "../git/staged.ts";
import { toHex } from "../shared/bytes.ts";
import { type Clock, systemClock } from "../shared/clock.ts";
import type { OwnCommand } from "../shared/own-command.ts";
import { portableHashes } from "../shared/portable-hashes.ts";
import type { AnchorFile } from "../store/anchor-file.ts";
import { approvalsTables, createApprovals } from "../store/approvals-database.ts";
import type { Database } from "../store/database.ts";
import { createJournal } from "../store/journal-database.ts";
import { entriesTable } from "../store/journal-rows.ts";
import type { Holder, MemberHost } from "../store/lease.ts";
import { createRecordReader } from "../store/record-reader.ts";
import { createStagedStore, stagedTables } from "../store/staged-database.ts";
import { LocalWake } from "./local-wake.ts";
import type { JournalKind } from "./wasm-database.ts";
import { createRuleRows, rulesTable } from "./rule-rows.ts";

export interface BrowserStores {
  readonly journal: Journal;
  readonly store: SharedStore;
  readonly staged: StagedStore;
}

export interface StoresContext {
  /** Opens the database of that name, with these tables. */
  readonly open: (name: string, schema: string, journal: JournalKind) => Database;
  /** 32 bytes, the same each time. */
  readonly auditKey: Uint8Array;
  /** What a person does to reach these stores. */
  readonly command: OwnCommand;
  readonly clock?: Clock | undefined;
}

export function openBrowserStores({ open, auditKey, command, clock = systemClock }: StoresContext): BrowserStores {
  const journal = createJournal(open("journal", entriesTable, "log"), {
    path: "of this browser",
    key: chainKeyOf(auditKey),
    hashes: portableHashes,
    openAnchors: () => noAnchors,
    clock,
    syncLater: () => ({ note: () => undefined, now: () => undefined }),
    nextTurn,
  });
  const questions = open("questions", `${approvalsTables}\n${rulesTable}`, "rollback");
  const parts = { clock, hashes: portableHashes, command, host: onlyMember(), wake: new LocalWake() };
  const approvals = createApprovals(questions, parts);
  const staged = createStagedStore(open("staged", stagedTables, "rollback"), portableHashes);
  const store: SharedStore = {
    queue: approvals.queue,
    rules: createRuleRows(questions, approvals.sessionAnswers, portableHashes),
    record: createRecordReader(journal),
    close() {
      approvals.close();
      staged.close();
      journal.close();
      return Promise.resolve();
    },
  };
  return { journal, store, staged };
}

/** The key is expanded once. */
function chainKeyOf(secret: Uint8Array): ChainKey {
  const keyed = hmac.create(sha256, secret);
  const encoder = new TextEncoder();
  return (text) => toHex(keyed.clone().update(encoder.encode(text)).digest());
}

/**
 * Anchors lie where whoever can change the log cannot. In a browser log and key lie in one profile, so that notes beside them would show
 * nothing.
 */
const noAnchors: AnchorFile = {
  read: () => [],
  contradicting: () => undefined,
  write: () => undefined,
  reset: () => undefined,
  close: () => undefined,
};

function onlyMember(): MemberHost {
  const self: Holder = { pid: 0, started: crypto.randomUUID(), namespace: "browser", boot: "browser" };
  return {
    self,
    isRunning: ({ started }) => started === self.started,
    every(ms, work) {
      const timer = setInterval(work, ms);
      return () => clearInterval(timer);
    },
  };
}

/** Messages of a channel come after those that wait already, and are not held back as short timers are. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}
