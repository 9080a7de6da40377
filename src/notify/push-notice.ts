// What a push service gets for one device: the encrypted notice, and a signature by which it knows this server (RFC 8292).
// Invariant: a push service learns when and how gravely a device is called, and nothing of the notice.

import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { displayText } from "../shared/display.ts";
import { limits } from "../shared/limits.ts";
import type { PushSubscriber } from "./channel.ts";
import { encryptPush } from "./encrypt-push.ts";
import type { Notice } from "./notice.ts";

/** What the service worker of the page reads. */
export interface PushedNotice {
  /** The gate's own words. */
  readonly title: string;
  readonly text: string;
  /** If there is one alone. */
  readonly question: string | null;
}

export interface PushRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface PushSender {
  readonly key: KeyObject;
  /** Where whoever runs a push service finds who sends: an `https` address. */
  readonly contact: string;
  readonly now: number;
}

const urgencies = { low: "normal", medium: "normal", high: "high" } as const;

export function pushRequest(notice: Notice, subscriber: PushSubscriber, sender: PushSender): PushRequest {
  return {
    headers: {
      Authorization: vapid(subscriber.endpoint, sender),
      "Content-Encoding": "aes128gcm",
      "Content-Type": "application/octet-stream",
      TTL: String(limits.pushKeptS),
      // A device that was off gets the last notice, and not all of them.
      Topic: "sallyport",
      Urgency: urgencies[notice.severity],
    },
    body: encryptPush(JSON.stringify(pushed(notice)), subscriber),
  };
}

/** The address of the page of this machine is not for a device. */
function pushed({ title, severity, count, questions }: Notice): PushedNotice {
  const lines = questions.flatMap(({ agent = "", title: asked }) =>
    asked === undefined ? [] : [`${agent}: ${asked}`],
  );
  const more = count - questions.length;
  const [first] = questions;
  const all = [...lines, ...(lines.length > 0 && more > 0 ? [`and ${more} more`] : [])].join("\n");
  return {
    title: count === 1 ? "A question waits" : count === 0 ? title : `${count} questions wait`,
    text: all === "" ? `${severity} risk` : displayText(all, { maxLength: limits.pushTextCharacters, multiline: true }),
    question: count === 1 ? (first?.id ?? null) : null,
  };
}

/** The public half, as a browser wants it before it subscribes: an uncompressed point in base64url. */
export function pushPublicKey(key: KeyObject): string {
  const { x = "", y = "" } = createPublicKey(key).export({ format: "jwk" });
  return Buffer.concat([Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]).toString("base64url");
}

/** Push services refuse what is valid for longer than a day. */
const VALID_S = 12 * 3_600;

function vapid(endpoint: string, { key, contact, now }: PushSender): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1_000) + VALID_S, sub: contact };
  const signed = `${part({ typ: "JWT", alg: "ES256" })}.${part(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `vapid t=${signed}.${signature.toString("base64url")}, k=${pushPublicKey(key)}`;
}
