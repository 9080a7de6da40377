// Bytes and their spellings, without node's Buffer: the browser runs this too.

const encoder = new TextEncoder();
const CHUNK_BYTES = 0x8000; // as many as one call of String.fromCharCode takes everywhere

export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** By the bytes of their UTF-8, as `sort` in the C locale. */
export function compareUtf8(a: string, b: string): number {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  const at = left.findIndex((byte, index) => byte !== right[index]);
  return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}

/** One character for each byte. */
export function latin1Text(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  return text;
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(latin1Text(bytes));
}

/** White space and missing padding are accepted; null: it is not base64. */
export function parseBase64(text: string): Uint8Array<ArrayBuffer> | null {
  let decoded: string;
  try {
    decoded = atob(text);
  } catch {
    return null;
  }
  const bytes = new Uint8Array(decoded.length);
  for (let at = 0; at < decoded.length; at += 1) bytes[at] = decoded.charCodeAt(at);
  return bytes;
}

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += hexOfByte[byte];
  return text;
}
