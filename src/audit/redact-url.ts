// Redacts secrets in addresses of repositories and pages: `https://user:password@host`, `user:password@host:path`, and values
// in a query under a secret's name. It also reads addresses in which path normalization has removed a slash.
// Invariant: linear in the length of the text. What was scanned as a value is never scanned again.

import { isReference } from "./reference.ts";
import { isSecretName } from "./secret-name.ts";
import { redacted } from "./secret-shape.ts";

export function redactUrls(text: string): string {
  return redactQuery(redactLogins(redactAuthorities(text)));
}

// `://`; after a scheme also one slash, several, escaped slashes or backslashes.
const opening = /:(?:\/\/|(?<=(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,20}:)[/\\])[/\\]*/g;
const authority = /[^\s/?#"'<>`\\,;|]*/y;
// A password may contain these characters, unless they end a port and begin something else.
const longAuthority = /[^\s/?#:@"'`\\]*:(?!\d{1,5}[,;|])[^\s/?#"'`\\]*@[^\s/?#"'<>`\\,;|@]*/y;

function redactAuthorities(text: string): string {
  if (!/:[/\\]/.test(text)) return text;
  let result = "";
  let position = 0;
  opening.lastIndex = 0;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const start = opening.lastIndex;
    const end = endOfAuthority(text, start);
    const written = text.slice(start, end);
    const userEnd = written.lastIndexOf("@");
    result += text.slice(position, start);
    result += userEnd === -1 ? written : redactUserinfo(written.slice(0, userEnd)) + written.slice(userEnd);
    position = end;
    opening.lastIndex = end;
  }
  return result + text.slice(position);
}

function endOfAuthority(text: string, start: number): number {
  longAuthority.lastIndex = start;
  authority.lastIndex = start;
  return longAuthority.test(text) ? longAuthority.lastIndex : start + (authority.exec(text)?.[0].length ?? 0);
}

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

// `user:password@host:path`, as scp and git write it, and `user:password@host.org/path`, an address without a scheme.
const login =
  /(?<![\w.@:/+%-])([A-Za-z_][\w.+-]{0,63}):([^\s/"'`<>(){}[\],;|&=]{1,256})@(?=([A-Za-z0-9][A-Za-z0-9.-]{0,252}|\[[0-9a-f:.]{2,45}\])([:/])([^\s"']{0,32}))/g;

// Before a colon these words are the scheme of an address without a password.
const plainSchemes =
  /^(?:mailto|xmpp|sips?|acct|im|pres|jid|npm|jsr|pkg|patch|portal|link|virtual|workspace|catalog|from|to|cc|bcc|by)$/i;
const hostWithDot = /^(?:.*\.[a-z]{2,24}|localhost|\d{1,3}(?:\.\d{1,3}){3}|\[.*)$/i;

function redactLogins(text: string): string {
  if (!text.includes("@")) return text;
  return text.replace(
    login,
    (whole, user: string, password: string, host: string, sign: string, path: string): string => {
      const isDigest = sign === ":" && /^[0-9a-f]{32}$/i.test(path); // image:tag@sha256:…
      const isAddress = sign === ":" ? path !== "" && host !== "npm" && !isDigest : hostWithDot.test(host);
      if (!isAddress || plainSchemes.test(user) || isReference(password)) return whole;
      return `${user}:${redacted}@`;
    },
  );
}

function redactQuery(text: string): string {
  return text
    .replace(/([?&]([A-Za-z][\w.-]{0,64})=)([^&#\s"'<>]+)/g, (whole, before: string, name: string, value: string) =>
      isSecretName(name, value) && !isReference(value) ? before + redacted : whole,
    )
    .replace(/([?&](?:x-amz-|x-goog-)?(?:sig|signature|hmac)=)(?!\[redacted\])[^&#\s"'<>]+/gi, `$1${redacted}`)
    .replace(/([?&](?:key|auth|code)=)(?=[A-Za-z_-]{0,40}\d)[\w%.~+/=-]{16,}/gi, `$1${redacted}`);
}
