// Redacts values next to a secret's name: `TOKEN=x`, `"password": "x"`, `--token x`, `Authorization: Bearer x`,
// `<password>x</password>`, `env["KEY"] = "x"`, `set("token", "x")`, `name: KEY, value: x`.
// Invariant: linear in the length of the text. What was scanned as a value is never scanned again.

import { isSentenceWord, looksHashed, looksGenerated } from "./generated-value.ts";
import { quotedSpan, type TextSpan } from "./quoted-span.ts";
import { isReference } from "./reference.ts";
import { endOfMatch, RunEnds } from "./run-end.ts";
import { isSecretHeader, isSecretName } from "./secret-name.ts";
import { redacted } from "./secret-shape.ts";

const nameHint = /token|secret|pass|pwd|pw|psk|cred|auth|key|cookie|bearer|otp|jwt|signature/gi;
const nameRun = /[A-Za-z0-9_.-]*/y;
const MOST_NAME = 128;
const MOST_COOKIE = 4_096; // as far as one has its name
const quote = String.raw`(?:'\\''|\\{0,7}["'])`;
const separator = new RegExp(String.raw`(${quote}\]?)?([ \t]{0,4})(=>|:=|={1,3}|:)([ \t]{0,4})`, "y");
const blanks = /[ \t]{1,4}/y;
/** State of the text that is being read. */
let ends = new RunEnds("");

export function redactNamed(text: string): string {
  let result = "";
  let position = 0;
  let least = 0;
  ends = new RunEnds(text);
  nameHint.lastIndex = 0;
  for (let hint = nameHint.exec(text); hint !== null; hint = nameHint.exec(text)) {
    const start = nameStartOf(text, hint.index, least);
    const end = endOfMatch(nameRun, text, hint.index);
    const found = end - start > MOST_NAME ? undefined : valueOf(text, text.slice(start, end), start);
    least = end;
    if (found !== undefined && !text.startsWith(redacted, found.start)) {
      result += text.slice(position, found.start) + redacted;
      position = found.end;
      least = found.end;
    }
    nameHint.lastIndex = least;
  }
  ends = new RunEnds("");
  return result + text.slice(position);
}

/** A name begins with a letter. The `n` of an escaped `\n` is not part of a name. */
function nameStartOf(text: string, at: number, least: number): number {
  let start = at;
  while (start > least && at - start <= MOST_NAME && /[A-Za-z0-9_.-]/.test(text[start - 1] as string)) start -= 1;
  if (text[start - 1] === "\\" && start < at && /[nrt]/.test(text[start] as string)) start += 1;
  while (start < at && /[0-9.-]/.test(text[start] as string)) start += 1;
  return start;
}

function valueOf(text: string, name: string, nameStart: number): TextSpan | undefined {
  const nameEnd = nameStart + name.length;
  const isHeader = isSecretHeader(name);
  if (!isHeader && !isSecretName(name) && !isSecretName(name, "unknown")) return undefined;
  separator.lastIndex = nameEnd;
  const match = separator.exec(text);
  if (match === null)
    return isFlag(text, nameStart) ? flagValue(text, name, nameEnd) : besideValue(text, name, nameStart);
  const [, closing = "", before = "", sign, after = ""] = match;
  const start = endOfMatch(/[bfru]{1,2}(?=["'])/iy, text, separator.lastIndex);
  if (isPatternPart(text, nameStart)) return undefined;
  const quoted = quotedSpan(text, start);
  if (sign === "==" || sign === "===") return comparedValue(text, quoted);
  if (isHeader && sign === ":" && closing === "" && quoted === undefined) return headerValue(text, name, start);
  if (before !== "" && sign === ":" && after === "") return undefined; // `PASSWORD :'pw'`, a variable
  // `"Password: "` is a complete string: its closing quote does not open a value.
  if (sign === ":" && quoted !== undefined && text.slice(quoted.start, quoted.end).includes("\n")) return undefined;
  if (quoted !== undefined && after + before + closing !== "")
    return isWorth(text, name, quoted) ? headerScheme(text, quoted) : undefined;
  if (sign === "=" && before === "" && after === "" && closing === "") return assigned(text, name, start);
  if (quoted !== undefined) return isWorth(text, name, quoted) ? quoted : undefined;
  const other = pairValue(text, name, start) ?? (sign === ":" ? typedValue(text, name, start) : undefined);
  if (other !== undefined || (after === "" && !/\\?["']/.test(closing))) return other;
  return lineValue(text, name, sign === ":", start, isLineStart(text, nameStart));
}

/** Values that are never secrets: a version, a type, a browser's credentials mode. */
const plainValue =
  /^(?:[\^~<>=v]{0,2}\d+(?:\.\d+){1,2}(?:-[\w.]+)?|omit|include|same-origin|string|number|boolean|function|object|none|null|undefined|true|false)$/;

function isWorth(text: string, name: string, span: TextSpan): boolean {
  const value = text.slice(span.start, span.end);
  if (value.trim() === "" || isReference(value) || plainValue.test(value)) return false;
  if (isSameWord(value, name) || (/token$/i.test(name) && /^-?\d{1,6}$/.test(value))) return false;
  if (/^(?:set-)?cookies?$/i.test(name)) return value.slice(0, MOST_COOKIE).includes("=") || looksGenerated(value);
  return isSecretHeader(name) || isSecretName(name, value);
}

function isSameWord(value: string, name: string): boolean {
  return value.length === name.length && value.toLowerCase() === name.toLowerCase();
}

function comparedValue(text: string, quoted: TextSpan | undefined): TextSpan | undefined {
  return quoted !== undefined && looksGenerated(text.slice(quoted.start, quoted.end)) ? quoted : undefined;
}

// `s/password=//` is the pattern of a replacement, not a value.
function isPatternPart(text: string, nameStart: number): boolean {
  return /(?:^|[\s"';])[sy]([/|#,])[^\n]{0,24}$/.test(text.slice(Math.max(0, nameStart - 30), nameStart));
}

// In `Authorization: Bearer x` the scheme is not secret and stays readable.
function headerValue(text: string, name: string, start: number): TextSpan | undefined {
  const end = ends.of("header", start);
  return isWorth(text, name, { start, end }) ? headerScheme(text, { start, end }) : undefined;
}

function headerScheme(text: string, span: TextSpan): TextSpan | undefined {
  const scheme =
    /(?:bearer|basic|token|digest|negotiate|apikey|bot|key)(?:[ \t]{1,4}(?=\S)|(?=[ \t]*(?:\\[nr]|["'\r\n]|$)))/iy;
  const start = endOfMatch(scheme, text, span.start);
  const value = text.slice(start, span.end).trim();
  const [first = ""] = value.split(/[\s,)]/, 1);
  const isNone = value === "" || isReference(value) || isReference(first) || plainValue.test(first);
  return isNone || start >= span.end ? undefined : { start, end: span.end };
}

/** `NAME=value` in a line of shell, or `name=value` in a function call or a query. */
function assigned(text: string, name: string, start: number): TextSpan | undefined {
  const pair = pairValue(text, name, start);
  if (pair !== undefined) return pair;
  const end = ends.shellWord(start);
  const quoted = quotedSpan(text, start);
  const span = quoted !== undefined && isWholeValue(text, start, quoted) ? quoted : { start, end };
  const value = text.slice(span.start, span.end);
  if (!isWorth(text, name, span) || isExpression(value, name, text[end]) || /^[/|\]\\]/.test(value)) return undefined;
  return span;
}

// In `auth=("person", "x")` the second string is the secret.
function pairValue(text: string, name: string, start: number): TextSpan | undefined {
  if (text[start] !== "(") return undefined;
  const user = quotedSpan(text, start + 1);
  if (user === undefined || user.end - user.start > 256) return undefined;
  const comma = endOfMatch(/,[ \t]{0,4}/y, text, user.after);
  const secret = comma === user.after ? undefined : quotedSpan(text, comma);
  return secret !== undefined && isWorth(text, name, secret) ? secret : undefined;
}

// `password: str = "x"`
function typedValue(text: string, name: string, start: number): TextSpan | undefined {
  const begin = endOfMatch(/[A-Za-z_][\w.<>[\]|?]{0,40}[ \t]{0,4}=[ \t]{0,4}/y, text, start);
  const value = begin === start ? undefined : quotedSpan(text, begin);
  return value !== undefined && isWorth(text, name, value) ? value : undefined;
}

const tagEnd = new RegExp(String.raw`${quote}?[ \t]{0,4}>`, "y");
const valueBeside = new RegExp(
  String.raw`${quote}?(?:,|\s|\\[nrt]|-){1,40}${quote}?value${quote}?[ \t]{0,4}[:=][ \t]{0,4}`,
  "iy",
);
const nextArgument = new RegExp(String.raw`${quote},[ \t]{0,4}`, "y");
const setters = /(?:set|put|add|define|append|header|insert|store|create|write)\w*\([ \t]{0,4}\\{0,7}["']$/i;

/** For names that are a separate word, tag, attribute, argument or field. */
function besideValue(text: string, name: string, nameStart: number): TextSpan | undefined {
  const nameEnd = nameStart + name.length;
  const before = text.slice(Math.max(0, nameStart - 48), nameStart);
  const worth = (span: TextSpan | undefined): TextSpan | undefined =>
    span !== undefined && isWorth(text, name, span) ? span : undefined;
  const tag = endOfMatch(tagEnd, text, nameEnd);
  if (tag > nameEnd && /<[\w:.-]{0,30}$|\b(?:key|name)=\\{0,7}["'][\w.-]{0,30}$/.test(before)) {
    const end = endOfMatch(/[^<\r\n]{0,4096}/y, text, tag);
    return text.startsWith("</", end) ? worth({ start: tag, end }) : undefined;
  }
  const beside = endOfMatch(valueBeside, text, nameEnd);
  if (beside > nameEnd) {
    const end = ends.of("word", beside);
    const quoted = quotedSpan(text, beside);
    if (quoted === undefined && isExpression(text.slice(beside, end), name, text[end])) return undefined;
    return worth(quoted ?? { start: beside, end });
  }
  const argument = endOfMatch(nextArgument, text, nameEnd);
  if (argument > nameEnd && setters.test(before)) {
    const value = worth(quotedSpan(text, argument));
    return value === undefined ? undefined : headerScheme(text, value);
  }
  return directive(text, name, nameStart);
}

// `requirepass x`: the name is not an English word, and the value looks generated.
function directive(text: string, name: string, nameStart: number): TextSpan | undefined {
  const nameEnd = nameStart + name.length;
  const start = endOfMatch(blanks, text, nameEnd);
  if (start === nameEnd || (!/[_.]|[a-z][A-Z]|^requirepass$|^masterauth$/.test(name) && !isLineStart(text, nameStart)))
    return undefined;
  const quoted = quotedSpan(text, start);
  const span = quoted ?? { start, end: ends.of("word", start) };
  const value = text.slice(span.start, span.end);
  const isLikely = value.length >= 7 && looksGenerated(value) && !looksHashed(value);
  return isLikely && isWorth(text, name, span) ? span : undefined;
}

// `"a"b` continues after its quote. An escaped quote is inside another string, which may end right there.
function isWholeValue(text: string, at: number, quoted: TextSpan): boolean {
  const quoteLength = quoted.start - at;
  return quoteLength > 1 || /^[\s,;)\]}&|<>]?$/.test(text.slice(quoted.end + 1, quoted.end + 2));
}

// An expression holds no literal secret: `token=token`, `f(password=config.password)`, `key=load()`.
function isExpression(value: string, name: string, next: string | undefined): boolean {
  if (isSameWord(value, name) || /^(?:none|null|nil|undefined|true|false)$/i.test(value)) return true;
  if (next === "(" && /^[A-Za-z_][\w.]*$/.test(value)) return true;
  if (/^[A-Za-z_][\w.]*\[/.test(value)) return true;
  return /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(value) && isSecretName(value.slice(value.lastIndexOf(".") + 1));
}

function isFlag(text: string, nameStart: number): boolean {
  if (text[nameStart - 1] !== "-") return false;
  const before = text[nameStart - 2] === "-" ? text[nameStart - 3] : text[nameStart - 2];
  return before === undefined || /[\s"'([]/.test(before);
}

function flagValue(text: string, name: string, nameEnd: number): TextSpan | undefined {
  const start = endOfMatch(blanks, text, nameEnd);
  if (start === nameEnd || text[start] === "-") return undefined;
  const found = assigned(text, name, start);
  const value = found === undefined ? "" : text.slice(found.start, found.end);
  return isSentenceWord(value) || value.includes("\n") ? undefined : found;
}

/** `password: hunter2` and `password = hunter2`: on a line of their own, or if the value looks generated. */
function lineValue(text: string, name: string, isYaml: boolean, start: number, isAlone: boolean): TextSpan | undefined {
  const end = ends.of("word", start);
  const rest = text.slice(end, end + 1);
  const value = text.slice(start, end);
  if (!isWorth(text, name, { start, end }) || isExpression(value, name, rest) || !/^[\s,;#}\]"'\\]?$/.test(rest))
    return undefined;
  if (
    /^(?:true|false|null|none|yes|no|~|[|>&*![/].*|str|string|bytes|text|int|number|bool|boolean|any|object|unknown|char|varchar|secretstr)[?]?$/i.test(
      value,
    )
  )
    return undefined;
  if (looksGenerated(value)) return { start, end };
  if (/^[A-Za-z_$][A-Za-z_$.]*$/.test(value) && /[,;]/.test(rest)) return undefined; // code: the name of what is meant
  if (!isAlone || /^[ \t]+[^\s#,}]/.test(text.slice(end, end + 8))) return undefined;
  return isYaml || /[^A-Za-z_.]/.test(value) || isInSection(text, start) ? { start, end } : undefined;
}

/** A `[section]` line some lines above shows that this is a settings file, not code. */
function isInSection(text: string, at: number): boolean {
  return /(?:^|\n|\\n)\[[\w .:"-]{1,60}\](?:\r?\n|\\n)/.test(text.slice(Math.max(0, at - 1_000), at));
}

function isLineStart(text: string, nameStart: number): boolean {
  return (
    /(?:^|[\r\n]|\\[nrt])[\s{"',-]*$/.test(text.slice(Math.max(0, nameStart - 40), nameStart)) &&
    !/[^\s{"',nrt-]/.test(text[nameStart - 1] ?? " ")
  );
}
