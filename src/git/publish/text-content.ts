// Decodes a file's bytes to text without loss: encoding the text again gives the same bytes.

import type { TextEncoding } from "../../action/diff-file.ts";

import { byteText } from "./tree-entry.ts";

const SAMPLED_BYTES = 8_000; // as git
const CHECKED_BYTES = 1 << 20;

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Git's own rule is a NUL near the beginning. The gate adds UTF-16, in which git may see lines of other text. */
export function looksBinary(content: Uint8Array): boolean {
  return content.subarray(0, SAMPLED_BYTES).includes(0) || hasUtf16Mark(content);
}

/** Whether the content is UTF-8 without a NUL, so that programs and people read the same. */
export function isText(content: Uint8Array): boolean {
  return !content.includes(0) && textEncoding(content) === "utf-8";
}

/** The encoding in which content is shown. If the encoding is not certain, it is Latin-1: one character a byte. */
export function textEncoding(content: Uint8Array): TextEncoding {
  return utf16Of(content) ?? (isUtf8(content) ? "utf-8" : "latin1");
}

function isUtf8(content: Uint8Array): boolean {
  try {
    if (content.length <= CHECKED_BYTES) {
      strict.decode(content);
      return true;
    }
    const checking = new TextDecoder("utf-8", { fatal: true });
    for (let at = 0; at < content.length; at += CHECKED_BYTES)
      checking.decode(content.subarray(at, at + CHECKED_BYTES), { stream: true });
    checking.decode();
    return true;
  } catch {
    return false;
  }
}

/** Decodes both sides of a file in one encoding that fits both. If a side is UTF-16, each side keeps its own encoding. */
export function decodeSides(
  before: Uint8Array,
  after: Uint8Array,
): { old: string; now: string; encoding: TextEncoding; oldEncoding: TextEncoding } {
  const [was, is] = [utf16Of(before), utf16Of(after)];
  if (was !== null || is !== null) {
    const oldEncoding = was ?? (before.length === 0 ? is : null) ?? textEncoding(before);
    const encoding = is ?? (after.length === 0 ? was : null) ?? textEncoding(after);
    return { old: decodeText(before, oldEncoding), now: decodeText(after, encoding), encoding, oldEncoding };
  }
  try {
    return { old: strict.decode(before), now: strict.decode(after), encoding: "utf-8", oldEncoding: "utf-8" };
  } catch {
    return { old: byteText(before), now: byteText(after), encoding: "latin1", oldEncoding: "latin1" };
  }
}

/** `encoding` must fit the content. `content` may be a piece of a file that does not split a character. */
export function decodeText(content: Uint8Array, encoding: TextEncoding): string {
  if (encoding === "utf-8") return strict.decode(content);
  // Not TextDecoder("latin1"): on the web that name means windows-1252.
  if (encoding === "latin1") return byteText(content);
  // Not TextDecoder("utf-16le"): it replaces unpaired surrogates.
  const [low, high] = encoding === "utf-16le" ? [0, 1] : [1, 0];
  const units = new Uint16Array(content.length >> 1);
  for (let at = 0; at < units.length; at += 1)
    units[at] = ((content[at * 2 + high] as number) << 8) | (content[at * 2 + low] as number);
  let text = "";
  for (let at = 0; at < units.length; at += 4_096)
    text += String.fromCharCode.apply(null, units.subarray(at, at + 4_096) as unknown as number[]);
  return text;
}

export function encodeText(text: string, encoding: "utf-8" | "latin1"): Uint8Array<ArrayBuffer> {
  if (encoding === "utf-8") return encoder.encode(text);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

export function hasUtf16Mark([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/**
 * Null if the content is not UTF-16, or could also be read as something else. With a byte order mark, every two bytes are a
 * character. But a shell skips the mark and each NUL. So an ASCII byte that is half of a character would be a letter of a command,
 * or end one, while a person would be shown some other script. Without a mark, every other byte must be NUL.
 */
function utf16Of(content: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (content.length < 4 || content.length % 2 !== 0) return null;
  const isMarked = hasUtf16Mark(content);
  if (!isMarked && content[0] !== 0 && content[1] !== 0) return null;
  const isBig = isMarked ? content[0] === 0xfe : content[0] === 0;
  for (let at = 0; at < content.length; at += 2) {
    const [high, low] = [content[isBig ? at : at + 1] as number, content[isBig ? at + 1 : at] as number];
    const isOtherInBytes = isAscii(high) || (high !== 0 && isAscii(low));
    // SECURITY(T38): content that can be read in two ways is shown byte by byte.
    if (isOtherInBytes || (!isMarked && (high !== 0 || !(isAscii(low) || low >= 0xa0)))) return null;
  }
  return isBig ? "utf-16be" : "utf-16le";
}

/** A printable character, or one that separates words or lines. */
function isAscii(byte: number): boolean {
  return (byte >= 0x20 && byte <= 0x7e) || (byte >= 0x09 && byte <= 0x0d);
}
