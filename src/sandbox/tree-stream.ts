// Parses the records of native/keeper.c about the changes of a call, as they arrive.
// Invariant: it accepts no length that the call cannot have produced. A record that does not fit ends the list, which is then incomplete.

import type { SpecialKind, RunTreeChange, RunTreeChanges } from "../process/outcome.ts";
import { limits } from "../shared/limits.ts";
import { decodePath, escapePath } from "./tree-path.ts";

export interface TreeBounds {
  readonly sizeBytes: number;
  readonly fileCount: number;
}

const HEAD_BYTES = 16;
const PATH_BYTES = 4095;
const kinds = {
  1: "file",
  2: "executable",
  3: "link",
  4: "gone",
  5: "emptied",
  6: "not_a_file",
  7: "size",
  8: "depth",
  9: "directory",
  100: "begin",
  101: "end",
} as const;
type Kind = (typeof kinds)[keyof typeof kinds];

interface Head {
  readonly kind: Kind;
  readonly pathBytes: number;
  readonly bytes: number;
}

type State = "waiting" | "reading" | "complete" | "broken";

export class TreeStream {
  readonly #changes: RunTreeChange[] = [];
  #state: State = "waiting";
  #recordsLeft: number;
  #bytesLeft: number;
  #pathBytesLeft: number = limits.treePathsBytes;
  #recordCount = 0;
  /** The part of a record that is being read. */
  #part: Buffer = Buffer.alloc(HEAD_BYTES);
  #filled = 0;
  #head: Head | null = null;
  #path: Buffer | null = null;

  constructor(bounds: TreeBounds) {
    // A directory can appear twice: as emptied, and as too deep or empty.
    this.#recordsLeft = 2 * bounds.fileCount + 64;
    this.#bytesLeft = bounds.sizeBytes;
  }

  /** True after the first record. The program and everything that it started have ended by then. */
  get hasBegun(): boolean {
    return this.#state !== "waiting";
  }

  get isBroken(): boolean {
    return this.#state === "broken";
  }

  /** Copies what it keeps, so the caller may reuse the chunk. */
  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && this.#state !== "broken";) {
      if (this.#state === "complete") {
        this.#state = "broken"; // nothing may follow the end record
        return;
      }
      const count = Math.min(chunk.length - at, this.#part.length - this.#filled);
      this.#part.set(chunk.subarray(at, at + count), this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled === this.#part.length) this.#partIsThere();
    }
  }

  result(): RunTreeChanges {
    return { isComplete: this.#state === "complete", changes: this.#changes };
  }

  #partIsThere(): void {
    if (this.#head === null) {
      const head = this.#readHead(this.#part);
      if (head === null) {
        this.#state = "broken";
        return;
      }
      this.#head = head;
      if (head.pathBytes > 0) return this.#await(head.pathBytes);
      return this.#takeMark(head);
    }
    if (this.#path === null) {
      this.#path = this.#part;
      if (this.#head.bytes > 0) return this.#await(this.#head.bytes);
      return this.#take(this.#head, this.#path, Buffer.alloc(0));
    }
    this.#take(this.#head, this.#path, this.#part);
  }

  #await(bytes: number): void {
    this.#part = Buffer.allocUnsafeSlow(bytes); // separate memory: a slice of a shared buffer would keep the whole buffer alive
    this.#filled = 0;
  }

  #nextRecord(): void {
    this.#head = null;
    this.#path = null;
    this.#await(HEAD_BYTES);
  }

  /** Null if this head is invalid here. */
  #readHead(part: Buffer): Head | null {
    const kind = kinds[part.readUInt32LE(0) as keyof typeof kinds];
    const pathBytes = part.readUInt32LE(4);
    const bytes = Number(part.readBigUInt64LE(8));
    if (kind === undefined || (kind === "begin") !== (this.#state === "waiting")) return null;
    if (kind === "begin") return pathBytes === 0 && bytes === 0 ? { kind, pathBytes, bytes } : null;
    if (kind === "end") return pathBytes === 0 && bytes === this.#recordCount ? { kind, pathBytes, bytes } : null;
    const most = kind === "file" || kind === "executable" ? this.#bytesLeft : kind === "link" ? PATH_BYTES : 0;
    if (bytes > most || this.#recordsLeft === 0) return null;
    if (pathBytes === 0 || pathBytes > Math.min(PATH_BYTES, this.#pathBytesLeft)) return null;
    this.#recordsLeft -= 1;
    this.#pathBytesLeft -= pathBytes + (kind === "link" ? bytes : 0);
    if (kind !== "link") this.#bytesLeft -= bytes;
    return { kind, pathBytes, bytes };
  }

  /** Handles a record without a path. */
  #takeMark({ kind }: Head): void {
    this.#recordCount += 1;
    this.#state = kind === "end" ? "complete" : "reading";
    this.#nextRecord();
  }

  #take({ kind }: Head, path: Buffer, body: Buffer): void {
    this.#recordCount += 1;
    const change = changeOf(kind, path, body);
    if (change === null) this.#state = "broken";
    else this.#changes.push(change);
    this.#nextRecord();
  }
}

/** Null if the path is invalid. */
function changeOf(kind: Kind, pathBytes: Buffer, body: Buffer): RunTreeChange | null {
  if (!isBelow(pathBytes)) return null;
  const path = decodePath(pathBytes);
  const special = (what: SpecialKind): RunTreeChange => ({
    kind: "special",
    path: path ?? escapePath(pathBytes),
    what,
  });
  if (path === null) return special("name");
  switch (kind) {
    case "file":
    case "executable":
      return { kind: "file", path, bytes: body, executable: kind === "executable" };
    case "link": {
      const target = decodePath(body);
      return target === null ? special("name") : { kind: "link", path, target };
    }
    case "gone":
    case "emptied":
    case "directory":
      return { kind, path };
    case "begin":
    case "end":
      return null;
    case "not_a_file":
    case "size":
    case "depth":
      return special(kind);
  }
}

/** Whether the path is relative and has no empty, `.` or `..` names and no NUL. */
function isBelow(path: Buffer): boolean {
  return (
    !path.includes(0) &&
    path
      .toString("latin1")
      .split("/")
      .every((name) => name !== "" && name !== "." && name !== "..")
  );
}
