// A file that a pack is in: the synchronous handle that a browser has in its private file system (OPFS), in a worker.

/** A `FileSystemSyncAccessHandle` is one. */
export interface PackHandle {
  /** How many bytes were read: fewer at the end of the file. */
  read(into: Uint8Array, options: { readonly at: number }): number;
  /** How many bytes were written. At the quota it throws, writes fewer, or answers something else. */
  write(bytes: Uint8Array, options: { readonly at: number }): number;
  flush(): void;
  truncate(bytes: number): void;
  getSize(): number;
  close(): void;
}

const PIECE_BYTES = 1024 * 1024;

/** So many bytes from there, or as many as there are. */
export function readAt(handle: PackHandle, at: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.max(0, Math.min(length, handle.getSize() - at)));
  let done = 0;
  while (done < bytes.length) {
    const count = handle.read(bytes.subarray(done), { at: at + done });
    if (!(count > 0 && count <= bytes.length - done)) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

/** The same in pieces, so that a large content need not be in memory at once. */
export function* piecesAt(handle: PackHandle, at: number, length: number): Generator<Uint8Array<ArrayBuffer>> {
  for (let done = 0; done < length; done += PIECE_BYTES)
    yield readAt(handle, at + done, Math.min(PIECE_BYTES, length - done));
}

/** Writes from a place on, many small parts at once. Throws if the storage takes less than it gets. */
export class PackWriter {
  readonly #handle: PackHandle;
  readonly #buffer: Uint8Array;
  #filled = 0;
  #at: number;

  /** `bytes`: how many there will be. */
  constructor(handle: PackHandle, at: number, bytes: number) {
    this.#handle = handle;
    this.#buffer = new Uint8Array(Math.min(bytes, PIECE_BYTES));
    this.#at = at;
  }

  /** Where the next byte goes. */
  get at(): number {
    return this.#at + this.#filled;
  }

  write(bytes: Uint8Array): void {
    if (bytes.length > this.#buffer.length - this.#filled) this.#empty();
    if (bytes.length > this.#buffer.length) return this.#put(bytes);
    this.#buffer.set(bytes, this.#filled);
    this.#filled += bytes.length;
  }

  /** When it returns, everything is stored. */
  flush(): void {
    this.#empty();
    this.#handle.flush();
  }

  #empty(): void {
    this.#put(this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }

  #put(bytes: Uint8Array): void {
    const count = this.#handle.write(bytes, { at: this.#at });
    // In a private window, Chromium 156 answers 4294967288 at the quota: an error of -8 as a number without a sign.
    if (count !== bytes.length) throw new StorageFull();
    this.#at += count;
  }
}

class StorageFull extends Error {
  override readonly name = "QuotaExceededError";
}

/** Whether an error says that there is no room, in a browser or on a disk. */
export function isStorageFull(error: unknown): boolean {
  const { name, code } = error as { readonly name?: unknown; readonly code?: unknown };
  return name === "QuotaExceededError" || code === "ENOSPC" || code === "EDQUOT";
}
