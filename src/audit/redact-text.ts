// Finds secrets inside one text: an argument, a script, a URL, a header, a configuration file in a heredoc.
// It takes out values and leaves everything around them, because the record of a script must still show the script.
// Invariant: linear in the length of the text: what was scanned as a value is never scanned again.

import { quotedSpan, type Span } from "./quoted-span.ts";
import { redactLists } from "./redact-lists.ts";
import { redactProgramFlags } from "./redact-program.ts";
import { redactUrls } from "./redact-url.ts";
import { isReference } from "./reference.ts";
import { isSecretHeader, isSecretName } from "./secret-name.ts";
import { redacted, redactShapes } from "./secret-shape.ts";

export function redactText(text: string): string {
  if (text.length < 3) return text;
  // A name and its value are two words, or have a sign between them: a plain path is neither.
  if (!/^-|[\s=:?&,]/.test(text)) return redactShapes(text);
  return redactFlat(redactLists(text, redactFlat));
}

function redactFlat(text: string): string {
  return redactNamed(redactProgramFlags(redactUrls(redactShapes(text))));
}

const nameHint = /token|secret|pass|pwd|cred|auth|key|cookie|bearer|otp|jwt|signature/i;
const separator = /(\\?["'])?([ \t]{0,4})(=>|:=|={1,3}|:)([ \t]{0,4})/y;
const blanks = /[ \t]{1,4}/y;

function redactNamed(text: string): string {
  if (!nameHint.test(text)) return text;
  const names = /[A-Za-z_][A-Za-z0-9_.-]*/g;
  let result = "";
  let position = 0;
  for (let match = names.exec(text); match !== null; match = names.exec(text)) {
    const name = match[0];
    if (name.length > 128 || !nameHint.test(name)) continue;
    const found = valueOf(text, name, match.index);
    if (found === undefined) continue;
    result += text.slice(position, found.start) + redacted;
    position = found.end;
    names.lastIndex = found.end;
  }
  return result + text.slice(position);
}

function valueOf(text: string, name: string, nameStart: number): Span | undefined {
  const nameEnd = nameStart + name.length;
  const isHeader = isSecretHeader(name);
  if (!isHeader && !isSecretName(name) && !isSecretName(name, "unknown")) return undefined;
  separator.lastIndex = nameEnd;
  const match = separator.exec(text);
  if (match === null) return isFlag(text, nameStart) ? flagValue(text, name, nameEnd) : undefined;
  const [, closing = "", before = "", sign, after = ""] = match;
  const start = separator.lastIndex;
  const quoted = quotedSpan(text, start);
  if (isHeader && sign === ":" && quoted === undefined) return headerValue(text, start);
  if (quoted !== undefined && after + before + closing !== "")
    return isWorth(text, name, quoted) ? headerScheme(text, quoted) : undefined;
  if (sign === "=" && before === "" && after === "" && closing === "") return assigned(text, name, start);
  if (quoted !== undefined) return isWorth(text, name, quoted) ? quoted : undefined;
  return after !== "" && isLineStart(text, nameStart) ? lineValue(text, name, sign === ":", start) : undefined;
}

function isWorth(text: string, name: string, span: Span): boolean {
  const value = text.slice(span.start, span.end);
  return value !== "" && !isReference(value) && (isSecretHeader(name) || isSecretName(name, value));
}

// `Authorization: Bearer x`: the scheme is no secret, and good to know.
function headerValue(text: string, start: number): Span | undefined {
  const end = endOfRun(/[^"'\r\n\\]*/y, text, start);
  return headerScheme(text, { start, end });
}

function headerScheme(text: string, span: Span): Span | undefined {
  const scheme = /(?:bearer|basic|token|digest|negotiate|apikey|bot|key)[ \t]{1,4}(?=\S)/iy;
  const start = endOfRun(scheme, text, span.start);
  const value = text.slice(start, span.end).trim();
  return value === "" || isReference(value) || start >= span.end ? undefined : { start, end: span.end };
}

/** `NAME=value` in a line of shell, and `name=value` in a call or a query. */
function assigned(text: string, name: string, start: number): Span | undefined {
  const end = shellWordEnd(text, start);
  const quoted = quotedSpan(text, start);
  const span = quoted !== undefined && isWholeValue(text, start, quoted) ? quoted : { start, end };
  if (!isWorth(text, name, span) || isExpression(text.slice(span.start, span.end), name, text[end])) return undefined;
  return span;
}

// `"a"b` goes on behind its quote; an escaped quote is inside another text, which may end right there.
function isWholeValue(text: string, at: number, quoted: Span): boolean {
  const quoteLength = quoted.start - at;
  return quoteLength > 1 || /^[\s,;)\]}&|<>]?$/.test(text.slice(quoted.end + 1, quoted.end + 2));
}

// What a program computes is not written there: `token=token`, `f(password=config.password)`, `key=load()`.
function isExpression(value: string, name: string, next: string | undefined): boolean {
  if (value.toLowerCase() === name.toLowerCase() || /^(?:none|null|nil|undefined|true|false)$/i.test(value))
    return true;
  if (next === "(" && /^[A-Za-z_][\w.]*$/.test(value)) return true;
  if (/^[A-Za-z_][\w.]*\[/.test(value)) return true;
  return /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(value) && isSecretName(value.slice(value.lastIndexOf(".") + 1));
}

function isFlag(text: string, nameStart: number): boolean {
  if (text[nameStart - 1] !== "-") return false;
  const before = text[nameStart - 2] === "-" ? text[nameStart - 3] : text[nameStart - 2];
  return before === undefined || /[\s"'([]/.test(before);
}

function flagValue(text: string, name: string, nameEnd: number): Span | undefined {
  const start = endOfRun(blanks, text, nameEnd);
  if (start === nameEnd || text[start] === "-") return undefined;
  return assigned(text, name, start);
}

/** `password: hunter2` and `password = hunter2`, alone on their line. */
function lineValue(text: string, name: string, isYaml: boolean, start: number): Span | undefined {
  const end = endOfRun(/[^\s,;#(){}"'`]*/y, text, start);
  const rest = text.slice(end, end + 1);
  const value = text.slice(start, end);
  if (
    !isWorth(text, name, { start, end }) ||
    isExpression(value, name, rest) ||
    !/^[\s,;#}"']?$/.test(rest) ||
    /^[ \t]+[^\s#,}]/.test(text.slice(end, end + 8))
  )
    return undefined;
  if (/^(?:true|false|null|none|yes|no|~|[|>&*![].*)$/i.test(value)) return undefined;
  return isYaml || /[^A-Za-z_.]/.test(value) ? { start, end } : undefined;
}

function isLineStart(text: string, nameStart: number): boolean {
  return (
    /(?:^|[\r\n])[\s{"',-]*$/.test(text.slice(Math.max(0, nameStart - 40), nameStart)) &&
    !/[^\s{"',-]/.test(text[nameStart - 1] ?? " ")
  );
}

function shellWordEnd(text: string, start: number): number {
  let end = start;
  for (;;) {
    const next = endOfRun(/[^\s"'`;&|<>()\\]*/y, text, end);
    const quoted = quotedSpan(text, next);
    if (quoted !== undefined && text[next] !== "\\") end = quoted.end + 1;
    else if (text[next] === "\\" && next + 1 < text.length && !/["'\n]/.test(text[next + 1] as string)) end = next + 2;
    else return next;
  }
}

function endOfRun(run: RegExp, text: string, from: number): number {
  run.lastIndex = from;
  return from + (run.exec(text)?.[0].length ?? 0);
}
