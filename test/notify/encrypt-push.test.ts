// The encryption of a notice to a device, against the example of RFC 8291, and the signature of RFC 8292.

import assert from "node:assert/strict";
import { createECDH, createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import test from "node:test";
import type { PushSubscriber } from "../../src/notify/channel.ts";
import { encryptPush, isPushSubscriber } from "../../src/notify/encrypt-push.ts";
import type { Notice } from "../../src/notify/notice.ts";
import { pushPublicKey, pushRequest } from "../../src/notify/push-notice.ts";
import { limits } from "../../src/shared/limits.ts";
import { newPushReceiver, readPush } from "../fixtures/push-service.ts";

/** RFC 8291, section 5 and appendix A. */
const example = {
  text: "When I grow up, I want to be a watermelon",
  ownPrivate: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  ownPublic: "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
  theirPrivate: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
  theirPublic: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  secret: "BTBZMqHH6r4Tts7J_aSIgg",
  body:
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml" +
    "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT" +
    "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
} as const;

const bytes = (text: string) => Buffer.from(text, "base64url");

const theirs: PushSubscriber = {
  endpoint: "https://push.example.net/1",
  publicKey: example.theirPublic,
  secret: example.secret,
};

test("the example of RFC 8291 is encrypted to the byte", () => {
  const own = createECDH("prime256v1");
  own.setPrivateKey(bytes(example.ownPrivate));
  assert.equal(own.getPublicKey("base64url"), example.ownPublic);
  const body = encryptPush(example.text, theirs, { own, salt: bytes(example.salt) });
  assert.equal(body.toString("base64url"), example.body);
});

test("the receiver of the tests reads the example, so what it reads of ours says something", () => {
  const own = createECDH("prime256v1");
  own.setPrivateKey(bytes(example.theirPrivate));
  assert.equal(readPush(bytes(example.body), { own, secret: bytes(example.secret) }), example.text);
});

test("each notice has a key and a salt of its own, and nobody else's keys read it", () => {
  const { subscriber, keys } = newPushReceiver("https://push.example.net/1");
  const [one, other] = [encryptPush("x", subscriber), encryptPush("x", subscriber)];
  assert.notDeepEqual(one.subarray(0, 16), other.subarray(0, 16));
  assert.notDeepEqual(one.subarray(21, 86), other.subarray(21, 86));
  assert.equal(readPush(one, keys), "x", "the control");
  assert.throws(() => readPush(one, newPushReceiver("https://push.example.net/1").keys), /unable to authenticate/);
  assert.throws(() => readPush(one, { ...keys, secret: Buffer.alloc(16) }), /unable to authenticate/);
});

test("what no browser could have made is no subscriber", () => {
  const { subscriber } = newPushReceiver("https://push.example.net/1");
  assert.equal(isPushSubscriber(subscriber), true);
  const point = bytes(subscriber.publicKey);
  const compressed = Buffer.concat([Buffer.of(2 + ((point.at(-1) ?? 0) % 2)), point.subarray(1, 33)]);
  for (const publicKey of ["", "AAAA", Buffer.alloc(65, 4).toString("base64url"), compressed.toString("base64url")])
    assert.equal(isPushSubscriber({ ...subscriber, publicKey }), false, publicKey);
  for (const secret of ["", "AAAA", Buffer.alloc(17).toString("base64url")])
    assert.equal(isPushSubscriber({ ...subscriber, secret }), false, secret);
});

const notice: Notice = {
  id: "n-1",
  sent: "2026-01-01T00:00:00.000Z",
  title: "2 questions wait (high risk)",
  text: "Answer at http://127.0.0.1:7117/#/, or with: sallyport review",
  url: "http://127.0.0.1:7117/#/",
  count: 2,
  severity: "high",
  questions: [],
};

test("the signature is for the origin of the push service, ends within a day, and anybody can check it", () => {
  const key = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey;
  const { subscriber, keys } = newPushReceiver("https://push.example.net:8443/1");
  const sender = { key, contact: "https://gate.example:7443", now: 1_800_000_000_500 };
  const { headers, body } = pushRequest(notice, subscriber, sender);
  const [, head = "", claims = "", signature = "", publicKey = ""] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(headers["Authorization"] ?? "") ?? [];
  assert.deepEqual(JSON.parse(String(bytes(head))), { typ: "JWT", alg: "ES256" });
  const { aud, exp, sub } = JSON.parse(String(bytes(claims))) as Record<string, unknown>;
  assert.deepEqual([aud, sub], ["https://push.example.net:8443", sender.contact]);
  assert.ok(Number(exp) > 1_800_000_000 && Number(exp) <= 1_800_000_000 + 24 * 3_600);
  assert.equal(publicKey, pushPublicKey(key));
  const point = bytes(publicKey);
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const known = createPublicKey({ key: { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" }, format: "jwk" });
  const isSigned = (text: string) =>
    verify("sha256", Buffer.from(text), { key: known, dsaEncoding: "ieee-p1363" }, bytes(signature));
  assert.equal(isSigned(`${head}.${claims}`), true);
  assert.equal(isSigned(`${head}.${claims}x`), false, "the control");
  assert.deepEqual(JSON.parse(readPush(body, keys)), { title: "2 questions wait", text: "high risk", question: null });
});

test("the longest notice with content fits what push services take, and says how many more there are", () => {
  const key = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey;
  const { subscriber, keys } = newPushReceiver("https://push.example.net/1");
  const question = {
    id: "q-1",
    asked: notice.sent,
    severity: "high",
    agent: "😀".repeat(80),
    title: "\u{1F600}".repeat(limits.noticeTitleCharacters),
  } as const;
  const questions = Array.from({ length: limits.noticeQuestions }, () => question);
  const sender = { key, contact: "https://gate.example:7443", now: 0 };
  const { body } = pushRequest({ ...notice, count: 25, questions }, subscriber, sender);
  assert.ok(body.length <= 4_096);
  const { text } = JSON.parse(readPush(body, keys)) as { text: string };
  assert.match(text, /😀/);
});
