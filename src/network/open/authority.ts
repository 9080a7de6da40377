// The certificate authority of a gate, for hosts whose connections it opens. Programs in boxes trust it; nobody else knows of it.
// Invariant: its key and those of the hosts are in this process's memory only, and are gone with it.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import {
  der,
  derBits,
  derInteger,
  derObject,
  derOctets,
  derSequence,
  derSet,
  derText,
  derTime,
  derTrue,
} from "./der.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const VALID_DAYS = 90; // programs refuse certificates for hosts that hold for more than 825
const HOSTS = 256; // certificates that are kept

const ecdsaWithSha256 = derSequence(derObject("1.2.840.10045.4.3.2"));

export interface Authority {
  /** The public part, for programs in boxes. */
  caPem(): string;
  /** A certificate for this host, with its key. */
  contextFor(host: string): SecureContext;
}

export function createAuthority(now: () => Date = () => new Date()): Authority {
  const own = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const ownName = nameOf(`Sallyport ${randomBytes(4).toString("hex")}`);
  const certify = (subject: Buffer, key: KeyObject, extensions: readonly Buffer[]): string =>
    certificate({ issuer: ownName, subject, key, extensions, signWith: own.privateKey, now: now() });
  const pem = certify(ownName, own.publicKey, [
    extension("2.5.29.19", true, derSequence(derTrue, derInteger(Buffer.from([0])))), // an authority, for hosts only
    extension("2.5.29.15", true, derBits(Buffer.from([0x06]), 1)), // signs certificates and lists
    extension("2.5.29.14", false, derOctets(keyId(own.publicKey))),
  ]);
  // One key for all hosts: whoever has it has this process's memory.
  const hostKey = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const hostKeyPem = hostKey.privateKey.export({ type: "pkcs8", format: "pem" });
  const contexts = new Map<string, SecureContext>();
  return {
    caPem: () => pem,
    contextFor(host) {
      const known = contexts.get(host);
      if (known !== undefined) return known;
      const names = derSequence(der(0x82, Buffer.from(host, "latin1")));
      const cert = certify(nameOf(host.slice(0, 64)), hostKey.publicKey, [
        extension("2.5.29.17", false, names),
        extension("2.5.29.37", false, derSequence(derObject("1.3.6.1.5.5.7.3.1"))), // for servers
        extension("2.5.29.14", false, derOctets(keyId(hostKey.publicKey))),
        extension("2.5.29.35", false, derSequence(der(0x80, keyId(own.publicKey)))), // whose signature it has
      ]);
      const context = createSecureContext({ key: hostKeyPem, cert });
      if (contexts.size >= HOSTS) contexts.clear();
      contexts.set(host, context);
      return context;
    },
  };
}

/** Strict clients, such as python's, want every key to be named. */
function keyId(key: KeyObject): Buffer {
  const spki = key.export({ type: "spki", format: "der" });
  return createHash("sha256").update(spki).digest().subarray(0, 20);
}

const nameOf = (text: string): Buffer => derSequence(derSet(derSequence(derObject("2.5.4.3"), derText(text))));

function extension(object: string, isCritical: boolean, value: Buffer): Buffer {
  return derSequence(derObject(object), ...(isCritical ? [derTrue] : []), derOctets(value));
}

interface CertificateParts {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly key: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly signWith: KeyObject;
  readonly now: Date;
}

/** As PEM. */
function certificate({ issuer, subject, key, extensions, signWith, now }: CertificateParts): string {
  const [from, to] = [new Date(now.getTime() - DAY_MS), new Date(now.getTime() + VALID_DAYS * DAY_MS)];
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40; // positive, and no zero in front
  const body = derSequence(
    der(0xa0, derInteger(Buffer.from([2]))), // version 3
    derInteger(serial),
    ecdsaWithSha256,
    issuer,
    derSequence(derTime(from), derTime(to)),
    subject,
    key.export({ type: "spki", format: "der" }),
    der(0xa3, derSequence(...extensions)),
  );
  const whole = derSequence(body, ecdsaWithSha256, derBits(sign("sha256", body, signWith)));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
