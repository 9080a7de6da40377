// Reads what the boxes of a draft have changed, from the records that the draft's holder keeps in memory: native/keeper-watch.h.
// Invariant: `isComplete` is true only if every change since the position is among the records. Who gets false looks at everything.

import { randomBytes } from "node:crypto";
import { closeSync, constants, existsSync, fstatSync, openSync, readSync, unlinkSync, writeFileSync } from "node:fs";
import { errorCode } from "../shared/error-code.ts";
import { readHolder, roomOfHolder } from "./draft-holder.ts";

const MOST_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
/** A holder that was killed is noticed earlier. */
const WAIT_MS = 15_000;
/** After a question without an answer: probably nobody watches. */
const SHORT_WAIT_MS = 100;
/** A position is the number of its holder, as this object counts them, and an offset in the file. */
const HOLDER_UNIT = 2 ** 32;
const HEAD_BYTES = 32;

const kinds = { c: "created", w: "written", d: "deleted", m: "moved", D: "directory-gone" } as const;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export interface DraftChange {
  readonly path: string;
  /** The path may differ from before. If it is a directory, so may everything below it. */
  readonly kind: (typeof kinds)[keyof typeof kinds];
}

export interface DraftChangesSince {
  readonly isComplete: boolean;
  readonly changes: readonly DraftChange[];
  /** Changes of paths that are not UTF-8. They are not in `changes`. */
  readonly unnamedCount: number;
  /** Where the next question begins. */
  readonly position: number;
}

export class DraftChanges {
  readonly #directory: string;
  #head = "";
  #holderCount = 0;
  #waitMs = WAIT_MS;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The end of the records now. */
  position(): number {
    const opened = openChanges(this.#directory);
    if (opened === null) return this.#holder("") * HOLDER_UNIT;
    try {
      return this.#holder(readHead(opened.file)) * HOLDER_UNIT + fstatSync(opened.file).size;
    } finally {
      closeSync(opened.file);
    }
  }

  async since(position: number): Promise<DraftChangesSince> {
    const opened = openChanges(this.#directory);
    if (opened === null) return this.#unknown();
    const { file, room } = opened;
    const name = randomBytes(12).toString("hex");
    const records = new Records(name);
    try {
      const holder = this.#holder(readHead(file));
      if (Math.floor(position / HOLDER_UNIT) !== holder || !ask(room, name)) return this.#unknown();
      await this.#readUntilAnswer(file, position % HOLDER_UNIT, records, room);
      this.#waitMs = records.isAnswered ? WAIT_MS : SHORT_WAIT_MS;
      const isComplete = records.isAnswered && records.isSure;
      const { changes, unnamedCount } = records;
      return { isComplete, changes, unnamedCount, position: holder * HOLDER_UNIT + records.end };
    } finally {
      withdraw(room, name);
      closeSync(file);
    }
  }

  #unknown(): DraftChangesSince {
    return { isComplete: false, changes: [], unnamedCount: 0, position: this.position() };
  }

  async #readUntilAnswer(file: number, start: number, records: Records, room: string): Promise<void> {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const until = Date.now() + this.#waitMs;
    records.end = start;
    for (let at = start, pauseMs = 1; at - start < MOST_BYTES;) {
      const count = readSync(file, chunk, 0, CHUNK_BYTES, at);
      at += count;
      if (count > 0) records.push(chunk.subarray(0, count));
      if (records.isAnswered || (count === 0 && (Date.now() > until || !existsSync(room)))) return;
      if (count > 0) continue;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      pauseMs = Math.min(2 * pauseMs, 20);
    }
  }

  /** Counts the holders: each begins the file anew, with another first record. */
  #holder(head: string): number {
    if (head !== this.#head || head === "") this.#holderCount += 1;
    this.#head = head;
    return this.#holderCount;
  }
}

/** Parses records up to the answer to one question. */
class Records {
  readonly changes: DraftChange[] = [];
  unnamedCount = 0;
  isSure = true;
  isAnswered = false;
  /** The offset after the last whole record. */
  end = 0;
  readonly #name: string;
  #rest: Buffer = Buffer.alloc(0);

  constructor(name: string) {
    this.#name = name;
  }

  push(bytes: Buffer): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let at = 0;
    for (let end = all.indexOf(0); end >= 0 && !this.isAnswered; end = all.indexOf(0, at)) {
      this.#take(String.fromCharCode(all[at] ?? 0), all.subarray(at + 1, end));
      this.end += end + 1 - at;
      at = end + 1;
    }
    this.#rest = Buffer.from(all.subarray(at));
  }

  #take(kind: string, path: Buffer): void {
    if (kind === "s") this.isAnswered = path.toString("latin1") === this.#name;
    else if (kind in kinds) this.#takeChange(kinds[kind as keyof typeof kinds], path);
    else if (kind !== "g") this.isSure = false;
  }

  #takeChange(kind: DraftChange["kind"], path: Buffer): void {
    try {
      this.changes.push({ path: utf8.decode(path), kind });
    } catch {
      this.unnamedCount += 1;
    }
  }
}

interface OpenedChanges {
  readonly file: number;
  /** The holder's room: gone if the holder has ended. */
  readonly room: string;
}

/** Null if there is no holder. */
function openChanges(directory: string): OpenedChanges | null {
  try {
    const room = roomOfHolder(directory, readHolder(directory));
    const file = openSync(`${room}/changes`, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return { file, room };
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** False if the holder has ended. */
function ask(room: string, name: string): boolean {
  try {
    writeFileSync(`${room}/sync/${name}`, "", { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

function withdraw(room: string, name: string): void {
  try {
    unlinkSync(`${room}/sync/${name}`);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** A process that is ending has no root directory any more: then the kernel may also refuse to follow the way to it. */
function isGone(error: unknown): boolean {
  return ["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(errorCode(error));
}

/** The first record, or the part of it that there is. */
function readHead(file: number): string {
  const bytes = Buffer.alloc(HEAD_BYTES);
  const count = readSync(file, bytes, 0, HEAD_BYTES, 0);
  const end = bytes.subarray(0, count).indexOf(0);
  return end < 0 ? "" : bytes.subarray(0, end).toString("latin1");
}
