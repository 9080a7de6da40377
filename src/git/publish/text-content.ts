// A file's bytes as text, so that the same bytes come out again.

import type { TextEncoding } from "../../action/diff-file.ts";

import { byteText } from "./tree-entry.ts";

const LOOKED_AT_BYTES = 8_000; // as git

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Git's own rule: a NUL near the beginning. */
export function looksBinary(content: Uint8Array): boolean {
  return content.subarray(0, LOOKED_AT_BYTES).includes(0);
}

/** All of them in the one encoding that fits all. */
export function decodeTexts(contents: readonly Uint8Array[]): { texts: string[]; encoding: TextEncoding } {
  try {
    return { texts: contents.map((content) => strict.decode(content)), encoding: "utf-8" };
  } catch {
    // Not TextDecoder("latin1"): on the web that name means windows-1252.
    return { texts: contents.map(byteText), encoding: "latin1" };
  }
}

export function encodeText(text: string, encoding: TextEncoding): Uint8Array<ArrayBuffer> {
  if (encoding === "utf-8") return encoder.encode(text);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}
