// Keeps a program's output within a cap: the first part and the last, with a line between them that
// says how much was left out.
// Invariant: memory is bounded by the cap however much is printed; `truncated` is true exactly when bytes were dropped.

import { concatBytes } from "../shared/bytes.ts";

export interface CapturedOutput {
  readonly text: string;
  readonly bytes: number;
  readonly truncated: boolean;
}

export class OutputCapture {
  readonly #cap: number;
  readonly #headCap: number;
  #head = new Uint8Array(0);
  #headLength = 0;
  /** A ring buffer of the last bytes after the head, allocated when it is first needed. */
  #ring: Uint8Array | null = null;
  #ringLength = 0;
  #ringEnd = 0;
  #total = 0;

  constructor(cap: number) {
    this.#cap = cap;
    this.#headCap = cap >> 1;
  }

  /** Copies what it keeps, so that the caller may reuse the chunk. */
  push(chunk: Uint8Array): void {
    this.#total += chunk.length;
    const left = this.#headCap - this.#headLength;
    const toHead = Math.min(left, chunk.length);
    if (toHead > 0) this.#pushHead(chunk.subarray(0, toHead));
    if (toHead < chunk.length) this.#pushRing(chunk.subarray(toHead));
  }

  #pushHead(part: Uint8Array): void {
    const needed = this.#headLength + part.length;
    if (needed > this.#head.length) {
      const grown = new Uint8Array(Math.min(this.#headCap, Math.max(needed, this.#head.length * 2, 1024)));
      grown.set(this.#head.subarray(0, this.#headLength));
      this.#head = grown;
    }
    this.#head.set(part, this.#headLength);
    this.#headLength = needed;
  }

  #pushRing(part: Uint8Array): void {
    this.#ring ??= new Uint8Array(this.#cap - this.#headCap);
    const size = this.#ring.length;
    const kept = part.length > size ? part.subarray(part.length - size) : part;
    const first = Math.min(kept.length, size - this.#ringEnd);
    this.#ring.set(kept.subarray(0, first), this.#ringEnd);
    this.#ring.set(kept.subarray(first), 0);
    this.#ringEnd = (this.#ringEnd + kept.length) % size;
    this.#ringLength = Math.min(size, this.#ringLength + kept.length);
  }

  result(): CapturedOutput {
    const head = this.#head.subarray(0, this.#headLength);
    const tail = this.#tail();
    if (this.#total <= this.#cap) {
      return { text: textOf(concatBytes([head, tail])), bytes: this.#total, truncated: false };
    }
    return { text: joinedByNotice(head, tail, this.#total), bytes: this.#total, truncated: true };
  }

  #tail(): Uint8Array {
    if (this.#ring === null) return new Uint8Array(0);
    if (this.#ringLength < this.#ring.length) return this.#ring.subarray(0, this.#ringLength);
    return concatBytes([this.#ring.subarray(this.#ringEnd), this.#ring.subarray(0, this.#ringEnd)]);
  }
}

/** Shortens what a capture has kept of `total` bytes to a smaller cap, as if that had been its cap. */
export function shortenOutput(text: string, total: number, cap: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= cap) return text;
  const headCap = cap >> 1;
  return joinedByNotice(bytes.subarray(0, headCap), bytes.subarray(bytes.length - (cap - headCap)), total);
}

/** The notice counts against the cap. Its length depends on the number in it, so the longest possible length is reserved. */
function joinedByNotice(head: Uint8Array, tail: Uint8Array, total: number): string {
  const reserve = noticeOf(total).length;
  const headKept = head.subarray(0, wholeCharactersEnd(head, head.length - (reserve >> 1)));
  const tailKept = tail.subarray(wholeCharactersStart(tail, reserve - (reserve >> 1)));
  const left = total - headKept.length - tailKept.length;
  return `${textOf(headKept)}${noticeOf(left)}${textOf(tailKept)}`;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

function noticeOf(bytes: number): string {
  return `\n[... ${bytes} bytes left out ...]\n`;
}

/** The largest cut ≤ `end` that does not split a UTF-8 character. */
function wholeCharactersEnd(buffer: Uint8Array, end: number): number {
  let start = end;
  for (let back = 0; back < 3 && start > 0 && isContinuation(buffer[start - 1]); back++) start--;
  const lead = start > 0 ? (buffer[start - 1] as number) : 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return length > 1 && start - 1 + length > end ? start - 1 : end;
}

/** The smallest cut ≥ `start` that does not split a UTF-8 character. */
function wholeCharactersStart(buffer: Uint8Array, start: number): number {
  let cut = start;
  for (let ahead = 0; ahead < 3 && cut < buffer.length && isContinuation(buffer[cut]); ahead++) cut++;
  return cut;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
