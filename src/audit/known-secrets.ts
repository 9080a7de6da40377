// Removes what was redacted in one entry of a call from its other entries as well: reasons, questions and refusals repeat single words
// of the request without the context that identified them as secrets.
// Invariant: held in memory only, for calls that have not ended, and bounded in number.

import type { Json } from "../shared/json.ts";
import { looksGenerated } from "./generated-value.ts";
import { redacted } from "./secret-shape.ts";
import { setKey } from "./to-json.ts";

const CALLS = 1_000;
const SECRETS = 64;
/** Long enough that no ordinary word matches by chance. */
const LONG = 16;

export class KnownSecrets {
  readonly #calls = new Map<string, readonly string[]>();

  /** `shown` is `said` after redaction. The result is also without the secrets of this call's other entries. */
  sweep(callId: string | null, said: Json, shown: Json, isEnd: boolean): Json {
    const known = callId === null ? [] : (this.#calls.get(callId) ?? []);
    const all = [...new Set([...known, ...takenOut(said, shown)])].slice(0, SECRETS);
    if (callId !== null) {
      if (isEnd || all.length === 0) this.#calls.delete(callId);
      else this.#calls.set(callId, all);
      const [oldest] = this.#calls.keys();
      if (this.#calls.size > CALLS && oldest !== undefined) this.#calls.delete(oldest);
    }
    return all.length === 0
      ? shown
      : without(
          shown,
          all.toSorted((a, b) => b.length - a.length),
        );
  }
}

function takenOut(said: Json, shown: Json): string[] {
  if (typeof said === "string") return typeof shown === "string" ? pieces(said, shown) : [];
  if (said === null || shown === null || typeof said !== "object" || typeof shown !== "object") return [];
  const left = Object.values(shown);
  return Object.values(said).flatMap((value, index) => takenOut(value as Json, (left[index] ?? null) as Json));
}

/** The text that `[redacted]` replaced. */
function pieces(said: string, shown: string): string[] {
  if (said === shown || !shown.includes(redacted)) return [];
  const found: string[] = [];
  const [first = "", ...parts] = shown.split(redacted);
  let position = first.length;
  for (const [index, part] of parts.entries()) {
    const end = index === parts.length - 1 ? said.length - part.length : said.indexOf(part, position + 1);
    if (end < position) break;
    found.push(said.slice(position, end).trim());
    position = end + part.length;
  }
  return found.filter((piece) => piece.length >= LONG || looksGenerated(piece)).slice(0, SECRETS);
}

function without(value: Json, secrets: readonly string[]): Json {
  if (typeof value === "string") return secrets.reduce((text, secret) => text.replaceAll(secret, redacted), value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item: Json) => without(item, secrets));
  const shown: Record<string, Json> = {};
  for (const [key, field] of Object.entries(value)) setKey(shown, key, without(field as Json, secrets));
  return shown;
}
