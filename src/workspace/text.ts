// Decodes bytes that are text.

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined if the bytes are not UTF-8. Keeps a byte order mark, so that the text encodes to the same bytes. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

const LOOKED_AT = 8_000; // as git

/** Whether there is a NUL near the beginning, which is the test that git and grep use. */
export function isBinary(bytes: Uint8Array): boolean {
  return (bytes.length <= LOOKED_AT ? bytes : bytes.subarray(0, LOOKED_AT)).includes(0);
}
