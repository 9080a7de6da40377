// Redacts secrets in everything that is written to the record: by name, by format, and in URLs.
// It cannot recognise a secret that has neither a telling name nor a known format.
// Invariant: only values are removed. Keys, flags, programs and paths stay readable.

import type { Json } from "../shared/json.ts";
import { textReadsSecret } from "./redact-commands.ts";
import { redactText } from "./redact-text.ts";
import { readsSecret, redactWords } from "./redact-words.ts";
import { isSecretName } from "./secret-name.ts";
import { hasAwsKeyId, redactAwsSecretKeys, redacted, redactShapes } from "./secret-shape.ts";
import { setKey } from "./to-json.ts";

type Fields = { readonly [key: string]: Json };
type TextRule = (text: string) => string;

export function redact(value: Json): Json {
  const besideKeyId = someText(value, hasAwsKeyId);
  return redactValue(value, besideKeyId ? (text) => redactAwsSecretKeys(redactText(text)) : redactText);
}

function redactValue(value: Json, rule: TextRule): Json {
  if (typeof value === "string") return rule(value);
  if (value === null || typeof value !== "object") return value;
  return isList(value) ? redactList(value, rule) : redactFields(value, rule);
}

function redactFields(fields: Fields, rule: TextRule): Json {
  const { text, base64, name, value } = fields;
  const shown: Record<string, Json> = {};
  for (const [index, [key, field]] of Object.entries(fields).entries()) {
    setKey(shown, freeKey(shown, redactShapes(key), index), redactField(key, field, rule));
  }
  // The base64 next to a text repeats its content.
  if (typeof text === "string" && typeof base64 === "string" && shown["text"] !== text) shown["base64"] = redacted;
  if (typeof fields["stdin"] === "string" && fields["stdin"] !== "" && isFedSecret(fields)) shown["stdin"] = redacted;
  if (typeof name === "string" && typeof value === "string" && isSecretName(name, value)) shown["value"] = redacted;
  return shown;
}

/** True if the command of this call reads a secret from its input. */
function isFedSecret({ argv, script, command }: Fields): boolean {
  if (Array.isArray(argv)) return readsSecret(argv.map((word) => (typeof word === "string" ? word : null)));
  return [script, command].some((text) => typeof text === "string" && textReadsSecret(text));
}

function redactField(key: string, field: Json, rule: TextRule): Json {
  if (typeof field === "string") return field !== "" && isSecretName(key, field) ? redacted : rule(field);
  if (typeof field === "number") return isSecretName(key, String(field)) ? redacted : field;
  return isSecretName(key) ? redactAll(field) : redactValue(field, rule);
}

function redactAll(value: Json): Json {
  if (value === null || typeof value === "boolean" || value === "") return value;
  if (typeof value !== "object") return redacted;
  if (isList(value)) return value.map(redactAll);
  const shown: Record<string, Json> = {};
  for (const [key, field] of Object.entries(value)) setKey(shown, key, redactAll(field));
  return shown;
}

/** A list that contains words is read as an argv, even with other values in it. */
function redactList(items: readonly Json[], rule: TextRule): Json[] {
  const words = redactWords(
    items.map((item) => (typeof item === "string" ? item : null)),
    rule,
  );
  return items.map((item, index) => words[index] ?? redactValue(item, rule));
}

function freeKey(fields: Record<string, Json>, key: string, index: number): string {
  return Object.hasOwn(fields, key) ? `${key} (${index})` : key;
}

function someText(value: Json, test: (text: string) => boolean): boolean {
  if (typeof value === "string") return test(value);
  if (value === null || typeof value !== "object") return false;
  return isList(value)
    ? value.some((item) => someText(item, test))
    : Object.values(value).some((item) => someText(item, test));
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
