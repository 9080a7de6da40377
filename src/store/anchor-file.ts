// The anchors: notes of the newest entries, kept beside the key. They reveal a log whose end was cut, or that was replaced by
// an older copy. The gate writes a note after each commit, so that after a crash the notes may be behind the log, which still
// verifies, but never ahead of it. An entry that was not synced to disk can only be lost in a power cut, so its note is valid
// only until the machine restarts.
// Invariant: a slower writer does not replace a newer note, because each number has its own slot in a ring.

import { hash } from "node:crypto";
import { closeSync, constants, ftruncateSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Anchor } from "../audit/chain.ts";
import { openPrivateDirectory } from "./private-directory.ts";

const recordBytes = 128;
const ringLength = 32; // two rings, so that other notes do not overwrite durable ones
const seqDigits = 14;

export interface AnchorFile {
  /** The notes that are valid now, in no order. */
  read(): Anchor[];
  /** The highest note that is beyond `seq`, or that has another hash for `seq`. It takes one read, and little parsing if all is well. */
  contradicting(seq: number, hash: string): Anchor | undefined;
  write(anchor: Anchor, isDurable: boolean): void;
  /** Removes all notes and starts with this one. Call it only once the chain itself contains the evidence. */
  reset(anchor: Anchor): void;
  close(): void;
}

export function openAnchorFile(keyDirectory: string, logId: string): AnchorFile {
  const directory = join(keyDirectory, "anchors");
  openPrivateDirectory(directory, "anchor directory");
  const file = openSync(join(directory, logId), constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW, 0o600);
  const boot = bootId();
  const ring = Buffer.alloc(2 * ringLength * recordBytes);

  const load = () => readSync(file, ring, 0, ring.length, 0);
  const write = (anchor: Anchor, isDurable: boolean) => {
    const place = (isDurable ? ringLength : 0) + (anchor.seq % ringLength);
    writeSync(file, recordOf(anchor, isDurable, boot), place * recordBytes, "latin1");
  };
  return {
    read() {
      const length = load();
      const anchors: Anchor[] = [];
      for (let start = 0; start + recordBytes <= length; start += recordBytes) {
        const anchor = parseRecord(ring.toString("latin1", start, start + recordBytes), boot);
        if (anchor !== undefined) anchors.push(anchor);
      }
      return anchors;
    },
    contradicting(seq, seen) {
      const length = load();
      let highest: Anchor | undefined;
      for (let start = 0; start + recordBytes <= length; start += recordBytes) {
        if (seqAt(ring, start) < seq) continue;
        const anchor = parseRecord(ring.toString("latin1", start, start + recordBytes), boot);
        if (anchor === undefined || (anchor.seq === seq && anchor.hash === seen)) continue;
        if (anchor.seq >= (highest?.seq ?? seq)) highest = anchor;
      }
      return highest;
    },
    write,
    reset(anchor) {
      ftruncateSync(file, 0);
      write(anchor, true);
    },
    close: () => closeSync(file),
  };
}

function seqAt(ring: Buffer, start: number): number {
  let seq = 0;
  for (let index = start; index < start + seqDigits; index += 1) seq = seq * 10 + ((ring[index] as number) & 15);
  return seq;
}

// Seq, hash, boot, D or P (durable, or valid for this boot), check. The check detects a record that was read while it was written.
function recordOf(anchor: Anchor, isDurable: boolean, boot: string): string {
  const body = `${String(anchor.seq).padStart(seqDigits, "0")} ${anchor.hash} ${boot} ${isDurable ? "D" : "P"}`;
  return `${body} ${checkOf(body)}\n`;
}

function parseRecord(record: string, boot: string): Anchor | undefined {
  const match = /^(\d{14}) ([0-9a-f]{64}) ([0-9a-f-]{36}) ([DP]) ([0-9a-f]{8})\n$/.exec(record);
  if (match === null || checkOf(record.slice(0, -10)) !== match[5]) return undefined;
  if (match[4] === "P" && (match[3] !== boot || boot === noBoot)) return undefined;
  return { seq: Number(match[1]), hash: match[2] as string };
}

function checkOf(body: string): string {
  return hash("sha256", body, "hex").slice(0, 8);
}

const noBoot = "00000000-0000-0000-0000-000000000000";

/** Identifies this boot of the kernel. */
export function bootId(): string {
  try {
    const id = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return /^[0-9a-f-]{36}$/.test(id) ? id : noBoot;
  } catch {
    return noBoot;
  }
}
