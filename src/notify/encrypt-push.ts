// Encrypts a notice for the browser of one device: RFC 8291, in the one record that RFC 8188 calls aes128gcm.
// Invariant: the key and the salt are new for each notice, and nobody but that browser can read it.

import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from "node:crypto";
import type { PushSubscriber } from "./channel.ts";

/** Push services take no longer body than this. */
const RECORD_BYTES = 4_096;
const SALT_BYTES = 16;
const END_OF_LAST_RECORD = 2;

export interface PushSecrets {
  readonly own: ECDH;
  readonly salt: Buffer;
}

/** `secrets` are given only to compare with what the RFC computed. */
export function encryptPush(
  text: string,
  { publicKey, secret }: PushSubscriber,
  { own, salt }: PushSecrets = newSecrets(),
): Buffer {
  const theirs = Buffer.from(publicKey, "base64url");
  const ours = own.getPublicKey();
  const about = Buffer.concat([Buffer.from("WebPush: info\0"), theirs, ours]);
  const shared = derive(own.computeSecret(theirs), Buffer.from(secret, "base64url"), about, 32);
  const key = derive(shared, salt, "Content-Encoding: aes128gcm\0", 16);
  const nonce = derive(shared, salt, "Content-Encoding: nonce\0", 12);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(RECORD_BYTES);
  head.writeUInt8(ours.length, 4);
  const plain = Buffer.concat([Buffer.from(text), Buffer.of(END_OF_LAST_RECORD)]);
  const body = Buffer.concat([salt, head, ours, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  if (body.length > RECORD_BYTES)
    throw new RangeError(`A notice of ${body.length} bytes is too long for a push service.`);
  return body;
}

/** Whether a browser could have made this: a point on the curve, and 16 bytes. */
export function isPushSubscriber({ publicKey, secret }: PushSubscriber): boolean {
  if (Buffer.from(secret, "base64url").length !== 16) return false;
  const point = Buffer.from(publicKey, "base64url");
  const { own } = newSecrets();
  try {
    own.computeSecret(point);
    return point.length === own.getPublicKey().length;
  } catch {
    return false; // node says so of what is no point of the curve
  }
}

function newSecrets(): PushSecrets {
  const own = createECDH("prime256v1");
  own.generateKeys();
  return { own, salt: randomBytes(SALT_BYTES) };
}

function derive(secret: Uint8Array, salt: Uint8Array, about: Uint8Array | string, length: number): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, about, length));
}
