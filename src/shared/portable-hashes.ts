// SHA-1 and SHA-256 (FIPS 180-4) in plain TypeScript, for where there is no node: git's ids, content names, digests.
// Invariant: they name public bytes and hold no secret, so their time may depend on what they hash.

import { toHex } from "./bytes.ts";
import type { Hashes, HashName, RunningHash } from "./hash.ts";

const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;

/** What differs between the two: where they begin, and what a block does to the state. */
interface Algorithm {
  readonly initial: readonly number[];
  readonly scheduled: number;
  /** `words` has the block in its first 16 entries; `compress` fills the rest. */
  compress(state: Int32Array, words: Int32Array): void;
}

const rotateLeft = (word: number, by: number): number => (word << by) | (word >>> (32 - by));
const rotateRight = (word: number, by: number): number => (word >>> by) | (word << (32 - by));
const at = (words: Int32Array, index: number): number => words[index] as number;
const five = (state: Int32Array): [number, number, number, number, number] => [
  at(state, 0),
  at(state, 1),
  at(state, 2),
  at(state, 3),
  at(state, 4),
];

function add(state: Int32Array, words: Int32Array): void {
  for (let index = 0; index < words.length; index += 1) state[index] = at(state, index) + at(words, index);
}

const sha1: Algorithm = {
  initial: [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0],
  scheduled: 80,
  compress(state, words) {
    for (let i = 16; i < 80; i += 1)
      words[i] = rotateLeft(at(words, i - 3) ^ at(words, i - 8) ^ at(words, i - 14) ^ at(words, i - 16), 1);
    let [a, b, c, d, e] = five(state);
    for (let i = 0; i < 80; i += 1) {
      const mixed =
        i < 20
          ? ((b & c) | (~b & d)) + 0x5a827999
          : i < 40
            ? (b ^ c ^ d) + 0x6ed9eba1
            : i < 60
              ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
              : (b ^ c ^ d) + 0xca62c1d6;
      const next = (rotateLeft(a, 5) + mixed + e + at(words, i)) | 0;
      e = d;
      d = c;
      c = rotateLeft(b, 30);
      b = a;
      a = next;
    }
    add(state, Int32Array.of(a, b, c, d, e));
  },
};

const sha256: Algorithm = {
  initial: fractionsOfRoots(8, Math.sqrt),
  scheduled: 64,
  compress(state, words) {
    for (let i = 16; i < 64; i += 1) {
      const [early, late] = [at(words, i - 15), at(words, i - 2)];
      const s0 = rotateRight(early, 7) ^ rotateRight(early, 18) ^ (early >>> 3);
      const s1 = rotateRight(late, 17) ^ rotateRight(late, 19) ^ (late >>> 10);
      words[i] = at(words, i - 16) + s0 + at(words, i - 7) + s1;
    }
    let [a, b, c, d, e] = five(state);
    let [f, g, h] = [at(state, 5), at(state, 6), at(state, 7)];
    for (let i = 0; i < 64; i += 1) {
      const s1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
      const first = (h + s1 + ((e & f) ^ (~e & g)) + at(roundConstants, i) + at(words, i)) | 0;
      const s0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
      const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    add(state, Int32Array.of(a, b, c, d, e, f, g, h));
  },
};

const roundConstants = Int32Array.from(fractionsOfRoots(64, Math.cbrt));
const algorithms: Readonly<Record<HashName, Algorithm>> = { sha1, sha256 };

/** The standard's constants: the first 32 bits behind the point of the roots of the first primes. */
function fractionsOfRoots(count: number, root: (prime: number) => number): number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number += 1)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  return primes.map((prime) => Math.floor((root(prime) % 1) * 2 ** 32) >>> 0);
}

class PortableHash implements RunningHash {
  readonly #algorithm: Algorithm;
  readonly #state: Int32Array;
  readonly #words: Int32Array;
  readonly #block = new Uint8Array(BLOCK_BYTES);
  #used = 0;
  #bytes = 0;

  constructor(name: HashName) {
    this.#algorithm = algorithms[name];
    this.#state = Int32Array.from(this.#algorithm.initial);
    this.#words = new Int32Array(this.#algorithm.scheduled);
  }

  update(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    let from = 0;
    while (from < bytes.length) {
      if (this.#used === 0 && bytes.length - from >= BLOCK_BYTES) {
        this.#compress(bytes, from);
        from += BLOCK_BYTES;
        continue;
      }
      const taken = Math.min(BLOCK_BYTES - this.#used, bytes.length - from);
      this.#block.set(bytes.subarray(from, from + taken), this.#used);
      this.#used += taken;
      from += taken;
      if (this.#used < BLOCK_BYTES) return;
      this.#compress(this.#block, 0);
      this.#used = 0;
    }
  }

  /** Once, and nothing after it. */
  digest(): Uint8Array {
    const [bytes, used] = [this.#bytes, this.#used];
    const zeros = (2 * BLOCK_BYTES - LENGTH_BYTES - 1 - used) % BLOCK_BYTES;
    const end = new Uint8Array(1 + zeros + LENGTH_BYTES);
    end[0] = 0x80;
    const length = new DataView(end.buffer, 1 + zeros);
    length.setUint32(0, Math.floor((bytes * 8) / 2 ** 32));
    length.setUint32(4, (bytes * 8) >>> 0);
    this.update(end);
    const digest = new Uint8Array(this.#state.length * 4);
    const view = new DataView(digest.buffer);
    for (const [index, word] of this.#state.entries()) view.setInt32(index * 4, word);
    return digest;
  }

  #compress(bytes: Uint8Array, from: number): void {
    const words = this.#words;
    for (let index = 0, offset = from; index < 16; index += 1, offset += 4)
      words[index] =
        ((bytes[offset] as number) << 24) |
        ((bytes[offset + 1] as number) << 16) |
        ((bytes[offset + 2] as number) << 8) |
        (bytes[offset + 3] as number);
    this.#algorithm.compress(this.#state, words);
  }
}

export const portableHashes: Hashes = {
  hex(name, content) {
    const running = new PortableHash(name);
    running.update(typeof content === "string" ? new TextEncoder().encode(content) : content);
    return toHex(running.digest());
  },
  start: (name) => new PortableHash(name),
};
