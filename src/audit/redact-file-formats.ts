// Finds secrets in file formats that define where a secret is: netrc, pgpass, Kubernetes secrets, SQL,
// PuTTY keys, JSON web keys, browser cookies, curl settings.
// Invariant: linear in the length of the text, because all runs are bounded.

import { looksGenerated } from "./generated-value.ts";
import { isReference } from "./reference.ts";
import { redacted } from "./secret-shape.ts";

const gap = String.raw`(?:\s|\\[nrt]){1,16}`;
const word = String.raw`(?:[^\s"'\\]|\\(?![nrt"'])){1,256}`;

// `machine h login u password x`, in any order and over several lines.
const netrc = new RegExp(
  String.raw`((?:\b|(?<=\\[nrt]))(?:machine${gap}${word}|default)(?:${gap}(?:login|account)${gap}${word}){0,2}${gap}password${gap})(${word})`,
  "g",
);
// `host:port:database:user:x`
const pgpass =
  /(?<![\w.:*/-])([\w.*-]{1,253}:(?:\d{2,5}|\*):[\w*-]{1,64}:[A-Za-z_][\w-]{0,64}:)([^\s:"'`\\]{6,256})(?![\w:])/g;
const sqlPassword =
  /(\b(?:user|role|login)\b[^;\n]{0,200}?\b(?:password|identified(?:[ \t]+with[ \t]+\S{1,64})?[ \t]+(?:by|as))[ \t]{1,4}(?:=[ \t]{1,4})?\\{0,3}(?:'\\''|['"]))([^'"\\\n]{1,256})/gi;

const puttyLines = /(Private-Lines: \d{1,4}(?:\r?\n|\\n))(?:[A-Za-z0-9+/=]{1,128}(?:\r?\n|\\n|$|(?=["'\s]))){1,200}/g;
// The private numbers of a JSON web key, which `kty` identifies.
const jsonKey = /(\\{0,3}"(?:d|p|q|dp|dq|qi|k)\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}")[A-Za-z0-9_-]{16,}/g;
const cookieLine =
  /((?:TRUE|FALSE)(?:\t|\\t)\/[^\s\\]{0,256}(?:\t|\\t)(?:TRUE|FALSE)(?:\t|\\t)\d{1,12}(?:\t|\\t)[^\s\\]{1,256}(?:\t|\\t))[^\s"'\\]+/g;
const curlUser = /(\buser[ \t]{0,4}=[ \t]{0,4}\\{0,3}"[^\s":\\]{1,64}:)([^\s"\\]{1,256})(?=\\{0,3}")/g;

function redactKeysAndCookies(text: string): string {
  let result = text;
  if (result.includes("Private-Lines:")) result = result.replace(puttyLines, `$1${redacted}\n`);
  if (result.includes("kty")) result = result.replace(jsonKey, `$1${redacted}`);
  if (result.includes("TRUE") || result.includes("FALSE")) result = result.replace(cookieLine, `$1${redacted}`);
  return result.replace(curlUser, (whole, before: string, value: string) =>
    looksGenerated(value) ? before + redacted : whole,
  );
}

export function redactFileFormats(text: string): string {
  let result = redactKeysAndCookies(text);
  if (result.includes("password") && /machine|default/.test(result))
    result = result.replace(netrc, (whole, before: string, value: string) => withoutValue(whole, before, value));
  if (/:(?:\d{2,5}|\*):[\w*-]{1,64}:[A-Za-z_]/.test(result))
    result = result.replace(pgpass, (whole, before: string, value: string) =>
      looksGenerated(value) ? before + redacted : whole,
    );
  if (/\b(?:password|identified)\b/i.test(result))
    result = result.replace(sqlPassword, (whole, before: string, value: string) => withoutValue(whole, before, value));
  return /kind["']?:\s{0,4}["']?Secret\b/.test(result) ? redactKubernetes(result) : result;
}

function withoutValue(whole: string, before: string, value: string): string {
  return isReference(value) ? whole : before + redacted;
}

// Below `data:` and `stringData:` every value is a secret, whatever its name.
function redactKubernetes(text: string): string {
  const line =
    /(\\n|\r?\n|^)([ \t]*)(?:(data|stringData):[ \t]*(?=\\n|\r?\n)|("?[\w.-]{1,253}"?:[ \t]{1,4})([^\s\\"'{[|>][^\s\\]*|"[^"\\]+"))?/g;
  let depth: number | null = null;
  return text.replace(line, (whole, end: string, blank: string, section?: string, name?: string, value?: string) => {
    if (section !== undefined) depth = blank.length;
    else if (name === undefined || depth === null || blank.length <= depth) depth = name === undefined ? depth : null;
    else if (!isReference(value as string)) return end + blank + name + redacted;
    return whole;
  });
}
