// The hash port: hashing comes in as a parameter wherever the browser must be able to run the code too. It is
// synchronous, because an action's digest and a file's name in the store are; the browser's own `crypto.subtle` is not.

/** SHA-256 of UTF-8 text, in lower-case hexadecimal. */
export type Hash = (text: string) => string;

export type HashName = "sha1" | "sha256";

/** A hash that is fed piece by piece. */
export interface RunningHash {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

export interface Hashes {
  /** In lower-case hexadecimal. A text is hashed as its UTF-8 bytes. */
  hex(name: HashName, content: Uint8Array | string): string;
  start(name: HashName): RunningHash;
  /** Of each, for many contents at once, where the platform has something faster that is not synchronous. */
  hexOfEach?(name: HashName, contents: readonly Uint8Array[]): Promise<readonly string[]>;
}

export async function hexOfEach(
  hashes: Hashes,
  name: HashName,
  contents: readonly Uint8Array[],
): Promise<readonly string[]> {
  return (await hashes.hexOfEach?.(name, contents)) ?? contents.map((content) => hashes.hex(name, content));
}
