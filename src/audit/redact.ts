// Takes secrets out of what will be written down: by the name they stand under, by their shape, and in URLs.
// It helps against secrets in the log; it cannot know a secret that has neither name nor shape.
// Invariant: only values go; keys, flags, programs and paths around them stay readable.

import type { Json } from "../shared/json.ts";
import { isReference, redactProgramFlags, redactText } from "./redact-text.ts";
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
  // The bytes beside a text say the same again.
  if (typeof text === "string" && typeof base64 === "string" && shown["text"] !== text) shown["base64"] = redacted;
  if (typeof name === "string" && typeof value === "string" && isSecretName(name, value)) shown["value"] = redacted;
  return shown;
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

/** A list of words is read as an argv: `--token`, `x`. */
function redactList(items: readonly Json[], rule: TextRule): Json[] {
  const program = programOf(items);
  return items.map((item, index) => {
    if (typeof item !== "string") return redactValue(item, rule);
    const before = items[index - 1];
    const previous = typeof before === "string" ? before : "";
    if (isFlagFor(previous, item)) return redacted;
    return redactWord(item, previous) ?? afterFlag(program, previous, rule(item));
  });
}

function isFlagFor(flag: string, value: string): boolean {
  const name = /^--?([A-Za-z][\w.-]{0,127})$/.exec(flag)?.[1];
  if (name === undefined || value === "" || isReference(value)) return false;
  return isSecretName(name, value) && !/^--?[A-Za-z][A-Za-z0-9-]{0,30}(?:=|$)/.test(value);
}

/** `--password=two words` is one value to its end. A script (`-c`, or one with newlines) is read as a text instead. */
function redactWord(word: string, previous: string): string | undefined {
  const equals = word.indexOf("=");
  if (equals < 1 || equals > 130 || /^-[a-z]*c$/.test(previous)) return undefined;
  const name = /^-{0,2}([A-Za-z_][\w.-]*)$/.exec(word.slice(0, equals))?.[1];
  const value = word.slice(equals + 1);
  if (name === undefined || value === "" || isReference(value) || /[\n;&|]\s|\s[;&|]/.test(value)) return undefined;
  return isSecretName(name, value) ? `${word.slice(0, equals + 1)}${redacted}` : undefined;
}

// Short flags mean something only to their program; written as one line, the rules for scripts apply to them too.
function afterFlag(program: string, previous: string, word: string): string {
  if (program === "" || word.length > 4096 || /[\s"']/.test(word)) return word;
  const heads = /^-[A-Za-z-]{1,20}$/.test(previous) ? [`${program} ${previous} `, `${program} `] : [`${program} `];
  for (const head of heads) {
    const line = redactProgramFlags(head + word);
    if (line.startsWith(head)) return line.slice(head.length);
  }
  return word;
}

const programs =
  /^(?:curl|wget|http|mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|sshpass|docker|podman|buildah|skopeo|helm|az|nerdctl|redis-cli|openssl)$/;

function programOf(items: readonly Json[]): string {
  for (const item of items.slice(0, 8)) {
    if (typeof item !== "string") continue;
    const name = item.slice(item.lastIndexOf("/") + 1);
    if (programs.test(name)) return items.includes("login") ? `${name} login` : name;
  }
  return "";
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
