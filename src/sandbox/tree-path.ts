// Converts file names between bytes, as the kernel has them, and text.

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Null if the bytes are not UTF-8. */
export function decodePath(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Makes a name that is not UTF-8 printable: `caf\xe9`. */
export function escapePath(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, "0")}`,
  ).join("");
}
