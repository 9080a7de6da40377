// Room that is kept back in the browser's storage. When the storage is full, it is given up, to the record and the staged commits alone: so
// a person can still push what they have, and every call is recorded.

import type { PackHandle } from "../../src/workspace/pack-handle.ts";
import type { PackRoom } from "../../src/workspace/pack-workspace.ts";

const MiB = 1024 * 1024;
const RESERVE_BYTES = 8 * MiB;
/** What must be free besides, before it is taken again: else the next change would not fit either. */
const SLACK_BYTES = 2 * MiB;
const TRY_AGAIN_MS = 10_000;

export class Reserve implements PackRoom {
  readonly #open: () => Promise<PackHandle>;
  readonly #changed: () => void;
  /** Null: it was given up. */
  #handle: PackHandle | null = null;
  #taking: Promise<void> | null = null;
  #triedAt = -Infinity;

  /** `changed`: called when the storage has become full. */
  constructor(open: () => Promise<PackHandle>, changed: () => void) {
    this.#open = open;
    this.#changed = changed;
  }

  isShort(): boolean {
    return this.#handle === null;
  }

  noteFull(): void {
    if (this.#handle === null) return;
    const handle = this.#handle;
    this.#handle = null;
    this.#triedAt = performance.now();
    giveUp(handle);
    this.#changed();
  }

  /** Unless it is taken already. If there is no room for it, it is not. */
  take(): Promise<void> {
    if (this.#handle !== null) return Promise.resolve();
    this.#triedAt = performance.now();
    return (this.#taking ??= this.#take().finally(() => (this.#taking = null)));
  }

  /** The same, not too often. */
  async takeLater(): Promise<void> {
    if (performance.now() - this.#triedAt > TRY_AGAIN_MS) await this.take();
  }

  async #take(): Promise<void> {
    const handle = await this.#open();
    if (handle.getSize() === RESERVE_BYTES) return void (this.#handle = handle);
    if (!hasWritten(handle, RESERVE_BYTES + SLACK_BYTES)) return giveUp(handle);
    handle.truncate(RESERVE_BYTES);
    handle.flush();
    // Chromium counts what was once written through a handle until that is closed.
    handle.close();
    this.#handle = await this.#open();
  }
}

/** A browser on a full disk may promise room that is not there, so every byte is written. */
function hasWritten(handle: PackHandle, bytes: number): boolean {
  const piece = new Uint8Array(MiB);
  try {
    for (let at = 0; at < bytes; at += piece.length) if (handle.write(piece, { at }) !== piece.length) return false;
    handle.flush();
    return true;
  } catch {
    return false;
  }
}

function giveUp(handle: PackHandle): void {
  try {
    handle.truncate(0);
    handle.flush();
  } finally {
    handle.close();
  }
}
