// Finds secrets inside one text: an argument, a script, a URL, a header, a configuration file in a heredoc.
// It takes out values and leaves everything around them, because the record of a script must still show the script.
// Invariant: linear in the length of the text: what was scanned as a value is never scanned again.

import { isSecretHeader, isSecretName } from "./secret-name.ts";
import { redacted, redactShapes } from "./secret-shape.ts";

export function redactText(text: string): string {
  if (text.length < 3) return text;
  // A name and its value are two words, or have a sign between them: a plain path is neither.
  if (!/^-|[\s=:?&]/.test(text)) return redactShapes(text);
  return redactNamed(redactProgramFlags(redactUrls(redactShapes(text))));
}

/** A name for a value that is elsewhere: `$TOKEN`, `${TOKEN}`, `$(cat f)`, `%TOKEN%`, `{{ token }}`, `<token>`. */
export function isReference(value: string): boolean {
  return (
    value.startsWith(redacted) ||
    /^(?:\$\w+|\$\{[^}]*\}|\$|\$\(.*|`.*|%\w+%|\{\{.*|<[\w -]*>|\*+|\.\.\.|…)$/s.test(value)
  );
}

function redactUrls(text: string): string {
  if (!text.includes("://")) return redactQuery(text);
  let result = "";
  let position = 0;
  for (let at = text.indexOf("://"); at !== -1; at = text.indexOf("://", position)) {
    const start = at + 3;
    const end = endOfRun(authority, text, start);
    const place = text.slice(start, end);
    const userEnd = place.lastIndexOf("@");
    result += text.slice(position, start);
    result += userEnd === -1 ? place : redactUserinfo(place.slice(0, userEnd)) + place.slice(userEnd);
    position = end;
  }
  return redactQuery(result + text.slice(position));
}

const authority = /[^\s/?#"'<>`\\,;|]*/y;

function redactUserinfo(userinfo: string): string {
  const colon = userinfo.indexOf(":");
  if (colon === -1) return looksRandom(userinfo) ? redacted : userinfo;
  const user = userinfo.slice(0, colon);
  const password = userinfo.slice(colon + 1);
  if (isReference(password)) return userinfo;
  const shownUser = looksRandom(user) ? redacted : user;
  return password === "" ? `${shownUser}:` : `${shownUser}:${redacted}`;
}

function looksRandom(name: string): boolean {
  return name.length >= 20 && /\d/.test(name) && /[A-Za-z]/.test(name) && !isReference(name);
}

function redactQuery(text: string): string {
  return text
    .replace(/([?&]([A-Za-z][\w.-]{0,64})=)([^&#\s"'<>]+)/g, (whole, before: string, name: string, value: string) =>
      isSecretName(name, value) && !isReference(value) ? before + redacted : whole,
    )
    .replace(/([?&](?:x-amz-|x-goog-)?(?:sig|signature|hmac)=)(?!\[redacted\])[^&#\s"'<>]+/gi, `$1${redacted}`)
    .replace(/([?&](?:key|auth|code)=)(?=[A-Za-z_-]{0,40}\d)[\w%.~+/=-]{16,}/gi, `$1${redacted}`);
}

// Short flags mean a secret only to these programs.
const programFlags: readonly { readonly program: RegExp; readonly flag: RegExp }[] = [
  {
    program: /\b(?:curl|wget|http)\b/,
    flag: /((?:^|\s)(?:-u|-U|--user|--proxy-user)(?:\s{0,4}|=)["']?(?!\d+:\d+\b)[^\s:"']{1,256}:)([^\s"']+)/g,
  },
  { program: /\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b/, flag: /((?:^|\s)-p)([^\s"']+)/g },
  { program: /\bsshpass\b/, flag: /((?:^|\s)-p\s{0,4})([^\s"']+|"[^"]*"|'[^']*')/g },
  {
    program: /\b(?:docker|podman|buildah|skopeo|helm|az|nerdctl)\b[^\n]{0,200}?\blogin\b/,
    flag: /((?:^|\s)-p\s{1,4})([^\s"']+|"[^"]*"|'[^']*')/g,
  },
  { program: /\bredis-cli\b/, flag: /((?:^|\s)-a\s{1,4})([^\s"']+|"[^"]*"|'[^']*')/g },
  { program: /\bopenssl\b/, flag: /(\s-pass(?:in|out)?[\s=]pass:)([^\s"']+)/g },
];

export function redactProgramFlags(text: string): string {
  let result = text;
  for (const { program, flag } of programFlags) {
    if (!program.test(result)) continue;
    result = result.replace(flag, (whole, before: string, value: string) =>
      isReference(unquoted(value)) ? whole : before + redacted,
    );
  }
  return result;
}

function unquoted(value: string): string {
  return /^(["']).*\1$/s.test(value) ? value.slice(1, -1) : value;
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

interface Span {
  readonly start: number;
  readonly end: number;
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
  const span =
    quoted !== undefined && /^[\s,;)\]}&|<>]?$/.test(text.slice(quoted.end + 1, quoted.end + 2))
      ? quoted
      : { start, end };
  if (!isWorth(text, name, span) || isExpression(text.slice(span.start, span.end), name, text[end])) return undefined;
  return span;
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

/** The inside of a quoted value; the quotes may themselves be escaped, as in JSON inside a shell string. */
function quotedSpan(text: string, at: number): Span | undefined {
  const quote = text[at] === "\\" ? text.slice(at, at + 2) : (text[at] ?? "");
  if (!/^\\?["']$/.test(quote)) return undefined;
  const start = at + quote.length;
  for (let end = text.indexOf(quote, start); end !== -1; end = text.indexOf(quote, end + quote.length)) {
    if (quote === "'" || !isEscaped(text, end, start)) return { start, end };
  }
  return undefined;
}

function isEscaped(text: string, at: number, start: number): boolean {
  let count = 0;
  while (at - 1 - count >= start && text[at - 1 - count] === "\\") count += 1;
  return count % 2 === 1;
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
