// Recognises secrets by their format alone: the published formats of common services.
// Invariant: every pattern runs in linear time: a fixed prefix, then one greedy run, or runs of bounded length.

import { mapPieces } from "./map-pieces.ts";
import { tokenFormats } from "./token-formats.ts";

export const redacted = "[redacted]";

// A token begins at a word boundary. An escape such as `\n` or `%20` before it is not part of the word.
const start = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))`;
const token = new RegExp(`${start}(?:${Object.values(tokenFormats).join("|")})`, "g");
/** No token is shorter, and most ordinary text has no run of this length. */
const longRun = /[A-Za-z0-9_.~=+/:\\%$,-]{16,}/g;

const webhook =
  /((?:hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks\/\d{1,20}|\.webhook\.office\.com\/webhookb2)\/)[A-Za-z0-9_/@-]{16,}/g;

const bearer = /(?<![A-Za-z0-9_])(bearer[ \t]{1,4})(?=[A-Za-z._~+/=-]{0,64}[0-9_])([A-Za-z0-9._~+/=-]{16,})/gi;

const awsSecretKey = /(?<![A-Za-z0-9/+=])(?![a-f0-9]{40})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;

export function hasAwsKeyId(text: string): boolean {
  return /(?<![A-Za-z0-9_])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9_])/.test(text);
}

/** AWS secret keys have no prefix, so they are searched only next to a key id. */
export function redactAwsSecretKeys(text: string): string {
  return text.replace(awsSecretKey, redacted);
}

export function redactShapes(text: string): string {
  return mapPieces(text, redactShapesOf);
}

function redactShapesOf(text: string): string {
  if (text.length < 8) return text;
  const shown = redactPrivateKeys(text).replace(longRun, (run) => run.replace(token, redacted));
  const withoutHooks = shown.includes(".com/") ? shown.replace(webhook, `$1${redacted}`) : shown;
  return /[ \t]/.test(withoutHooks) ? withoutHooks.replace(bearer, `$1${redacted}`) : withoutHooks;
}

const keyHeader = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const keyBody = /^[A-Za-z0-9+/=\s\\:.,-]*$/;
const keyBodyAlone = /[A-Za-z0-9+/=\s\\]*/y;

// The BEGIN and END lines stay, so that a reader sees what was there. A body ends at
// the next such line at the latest. This keeps the time linear, and nobody can hide a script between two of them.
function redactPrivateKeys(text: string): string {
  if (!text.includes("PRIVATE KEY")) return text;
  let result = "";
  let position = 0;
  keyHeader.lastIndex = 0;
  for (let header = keyHeader.exec(text); header !== null; header = keyHeader.exec(text)) {
    const bodyStart = keyHeader.lastIndex;
    const nextLine = text.indexOf("-----", bodyStart);
    const isClosed = nextLine !== -1 && text.startsWith("-----END ", nextLine);
    const end =
      isClosed && keyBody.test(text.slice(bodyStart, nextLine)) ? nextLine : runEnd(keyBodyAlone, text, bodyStart);
    result += text.slice(position, bodyStart) + (end > bodyStart ? redacted : "");
    position = end;
    keyHeader.lastIndex = end;
  }
  return result + text.slice(position);
}

function runEnd(run: RegExp, text: string, from: number): number {
  run.lastIndex = from;
  return from + (run.exec(text)?.[0].length ?? 0);
}
