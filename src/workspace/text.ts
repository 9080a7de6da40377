// Bytes as text, where they are text.

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** undefined when it is not UTF-8. A byte order mark stays, so that the text encodes to the same bytes again. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

const LOOKED_AT = 8_000; // as git

/** As git and grep tell: it holds a NUL near its beginning. */
export function isBinary(bytes: Uint8Array): boolean {
  return (bytes.length <= LOOKED_AT ? bytes : bytes.subarray(0, LOOKED_AT)).includes(0);
}
