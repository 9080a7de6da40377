// Secrets in files whose own grammar says what they are: netrc, pgpass, Kubernetes' secrets, SQL.
// Invariant: linear in the length of the text: all runs are bounded.

import { looksMadeUp } from "./made-up.ts";
import { isReference } from "./reference.ts";
import { redacted } from "./secret-shape.ts";

const gap = String.raw`(?:\s|\\[nrt]){1,16}`;
const word = String.raw`(?:[^\s"'\\]|\\(?![nrt"'])){1,256}`;

// `machine h login u password x`, in any order, over any lines.
const netrc = new RegExp(
  String.raw`((?:\b|(?<=\\[nrt]))(?:machine${gap}${word}|default)(?:${gap}(?:login|account)${gap}${word}){0,2}${gap}password${gap})(${word})`,
  "g",
);
// `host:port:database:user:x`
const pgpass =
  /(?<![\w.:*/-])([\w.*-]{1,253}:(?:\d{2,5}|\*):[\w*-]{1,64}:[A-Za-z_][\w-]{0,64}:)([^\s:"'`\\]{6,256})(?![\w:])/g;
const sqlPassword =
  /(\b(?:user|role|login)\b[^;\n]{0,200}?\b(?:password|identified(?:[ \t]+with[ \t]+\S{1,64})?[ \t]+(?:by|as))[ \t]{1,4}(?:=[ \t]{1,4})?\\{0,3}(?:'\\''|['"]))([^'"\\\n]{1,256})/gi;

export function redactFileFormats(text: string): string {
  let result = text;
  if (result.includes("password") && /machine|default/.test(result))
    result = result.replace(netrc, (whole, before: string, value: string) => taken(whole, before, value));
  if (/:(?:\d{2,5}|\*):[\w*-]{1,64}:[A-Za-z_]/.test(result))
    result = result.replace(pgpass, (whole, before: string, value: string) =>
      looksMadeUp(value) ? before + redacted : whole,
    );
  if (/\b(?:password|identified)\b/i.test(result))
    result = result.replace(sqlPassword, (whole, before: string, value: string) => taken(whole, before, value));
  return /kind["']?:\s{0,4}["']?Secret\b/.test(result) ? redactKubernetes(result) : result;
}

function taken(whole: string, before: string, value: string): string {
  return isReference(value) ? whole : before + redacted;
}

// Below `data:` and `stringData:` every value is one, whatever it is called.
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
