// Removes a used credential from what a server sent back: the credential itself, parts of it, and encodings that a server could
// use.
// Invariant: of a password of six characters or more, no part is left that a person could recognise.

import { redacted } from "./secret-shape.ts";
import { parseBase64, toBase64, toHex } from "../shared/bytes.ts";

const SHORTEST = 4;
const schemes = /^(?:basic|bearer|token|digest|negotiate|apikey|bot|key)$/i;

/** SECURITY(T41): the last step for every text that a server sent. */
export function withoutCredentials(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const form of credentialForms(secrets)) result = replaceAny(result, form);
  return result;
}

/** Everything that is looked for, the longest first. */
export function credentialForms(secrets: readonly string[]): string[] {
  return [...new Set(secrets.flatMap(partsOf).flatMap(writtenForms))]
    .filter((form) => form.length >= SHORTEST && !schemes.test(form))
    .sort((a, b) => b.length - a.length);
}

/** The secret, its decoded form, and the part of each after the first colon. */
function partsOf(secret: string): string[] {
  const decoded = decodedText(secret);
  return [secret, decoded].flatMap((text) => {
    if (text === null) return [];
    const colon = text.indexOf(":");
    const rest = colon < 0 ? [] : [text.slice(colon + 1)];
    return [text, ...rest];
  });
}

function decodedText(secret: string): string | null {
  if (!/^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(secret)) return null;
  const digits = secret.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/");
  // A single digit at the end encodes nothing, but the digits before it still do.
  const bytes = parseBase64(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes ?? new Uint8Array());
  return /^[\x20-\x7e\u00a0-\u{10ffff}]+$/u.test(text) && !text.includes("\ufffd") ? text : null;
}

function writtenForms(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  // In base64, the secret has three possible forms, because the text before it shifts its bits.
  const shifted = [0, 1, 2].map((shift) => {
    const padded = new Uint8Array(shift + bytes.length);
    padded.set(bytes, shift);
    const whole = toBase64(padded).replace(/=+$/, "");
    return whole.slice(shift === 0 ? 0 : shift + 1, bytes.length % 3 === (3 - shift) % 3 ? undefined : -1);
  });
  const encoded = encodeURIComponent(text);
  return [
    text,
    ...shifted.filter((form) => form.length >= 8),
    ...shifted.filter((form) => form.length >= 8).map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
    toHex(bytes),
    encoded,
    encoded.replaceAll("%20", "+"),
    JSON.stringify(text).slice(1, -1),
    [...text].toReversed().join(""),
  ];
}

/** Ignores case, because a server may change it. */
function replaceAny(text: string, form: string): string {
  const [lower, wanted] = [text.toLowerCase(), form.toLowerCase()];
  if (lower.length !== text.length) return text.replaceAll(form, redacted);
  let result = "";
  let position = 0;
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, position)) {
    result += text.slice(position, at) + redacted;
    position = at + wanted.length;
  }
  return result + text.slice(position);
}
