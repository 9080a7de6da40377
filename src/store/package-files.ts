// Package files that never change, in the state directory: a file of ours for each, which begins with what is known of it.
// Invariant: what is found has the length and the hash with which it was kept. All files together stay near their bound.

import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, open, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { Transform } from "node:stream";
import { callbackify } from "node:util";
import type { KeptPackage, PackageCache } from "../network/open/package-cache.ts";
import { makeDirectories } from "../process/make-directories.ts";
import { limits } from "../shared/limits.ts";

const HEAD_BYTES = 4096;
const READ_BYTES = 256 * 1024;
const UNFINISHED = ".new";
const UNFINISHED_MS = 60 * 60 * 1000; // then it is of a gate that was killed

interface AnswerHead {
  readonly headers: readonly string[];
  readonly length: number;
}

interface Head extends AnswerHead {
  readonly sha256: string;
}

export function openPackageFiles(stateDirectory: string, mostBytes: number = limits.packageCacheBytes): PackageCache {
  const directory = `${stateDirectory}/packages`;
  makeDirectories(directory, 0o700);
  /** Since they were counted. What other gates keep meanwhile is counted the next time. */
  let added = Infinity;

  async function wasKept(bytes: number): Promise<void> {
    added += bytes;
    if (added < mostBytes / 16) return;
    added = 0;
    await removeOldest(directory, mostBytes);
  }

  return {
    find: (key) => found(`${directory}/${key}`),
    keeping: (key, headers, length) => new KeepingBody(`${directory}/${key}`, { headers, length }, wasKept),
  };
}

async function found(path: string): Promise<KeptPackage | null> {
  const file = await open(path).catch(() => null);
  if (file === null) return null;
  const head = await readHead(file).catch(() => null);
  // SECURITY(T78): before the first byte is passed on.
  if (head === null || (await hashOf(file).catch(() => null)) !== head.sha256) {
    await file.close();
    await rm(path, { force: true });
    return null;
  }
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined); // another gate may have removed it
  const body = file.createReadStream({ start: HEAD_BYTES, highWaterMark: READ_BYTES });
  return { headers: head.headers, length: head.length, body };
}

async function readHead(file: FileHandle): Promise<Head | null> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const head = JSON.parse(buffer.toString("utf8", 0, bytesRead)) as Head;
  return (await file.stat()).size === HEAD_BYTES + head.length ? head : null;
}

async function hashOf(file: FileHandle): Promise<string> {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let at = HEAD_BYTES; ;) {
    const { bytesRead } = await file.read(buffer, 0, READ_BYTES, at);
    if (bytesRead === 0) return hash.digest("hex");
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

/**
 * Passes a body on, and writes it to a file of its own. The file gets its name before the last bytes are passed on: a program that
 * has them may close its connection at once, which ends this stream.
 */
class KeepingBody extends Transform {
  readonly #path: string;
  readonly #unfinished: string;
  readonly #head: AnswerHead;
  readonly #wasKept: (bytes: number) => Promise<void>;
  readonly #hash = createHash("sha256");
  #file: FileHandle | null = null;
  #isKept = true;
  #length = 0;

  constructor(path: string, head: AnswerHead, wasKept: (bytes: number) => Promise<void>) {
    super();
    this.#path = path;
    this.#unfinished = `${path}.${randomBytes(8).toString("hex")}${UNFINISHED}`;
    this.#head = head;
    this.#wasKept = wasKept;
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: null, chunk: Buffer) => void): void {
    callbackify(() => this.#orGiveUp(() => this.#write(chunk)))(() => done(null, chunk));
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    callbackify(() => this.#drop())(() => done(error));
  }

  /** A full disk is no reason to keep the program from its file. */
  async #orGiveUp(step: () => Promise<void>): Promise<void> {
    if (!this.#isKept) return;
    await step().catch(async () => {
      this.#isKept = false;
      await this.#drop();
    });
  }

  async #write(chunk: Buffer): Promise<void> {
    this.#file ??= await open(this.#unfinished, "wx", 0o600);
    if (this.destroyed) throw new Error("the program has left");
    for (let at = 0; at < chunk.length;)
      at += (await this.#file.write(chunk, at, chunk.length - at, HEAD_BYTES + this.#length + at)).bytesWritten;
    this.#hash.update(chunk);
    this.#length += chunk.length;
    if (this.#length > this.#head.length) throw new Error("the body is longer than its host said");
    if (this.#length === this.#head.length) await this.#finish(this.#file);
  }

  async #finish(file: FileHandle): Promise<void> {
    const text = JSON.stringify({ ...this.#head, sha256: this.#hash.digest("hex") });
    if (Buffer.byteLength(text) > HEAD_BYTES) throw new Error("its headers are too long");
    const head = Buffer.alloc(HEAD_BYTES, " ");
    head.write(text);
    await file.write(head, 0, HEAD_BYTES, 0);
    await rename(this.#unfinished, this.#path);
    await this.#wasKept(HEAD_BYTES + this.#length);
  }

  async #drop(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    if (file === null) return;
    await file.close().catch(() => undefined);
    await rm(this.#unfinished, { force: true });
  }
}

/** Those that nobody has asked for longest go first, until there is room for some more. */
async function removeOldest(directory: string, mostBytes: number): Promise<void> {
  const files = [];
  for (const name of await readdir(directory)) {
    const path = `${directory}/${name}`;
    const one = await stat(path).catch(() => null); // another gate may have removed it
    if (one === null) continue;
    if (!name.endsWith(UNFINISHED)) files.push({ path, bytes: one.size, usedMs: one.mtimeMs });
    else if (Date.now() - one.mtimeMs > UNFINISHED_MS) await rm(path, { force: true });
  }
  let left = files.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { path, bytes } of files.toSorted((one, other) => one.usedMs - other.usedMs)) {
    if (left <= mostBytes * (15 / 16)) return;
    await rm(path, { force: true });
    left -= bytes;
  }
}
