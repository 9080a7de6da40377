// T78: a package file that the gate keeps is another one than its registry has, or reaches an agent that may not have it.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { openPackageFiles } from "../../src/store/package-files.ts";
import { until } from "../fixtures/run.ts";
import { listening } from "../network/broker-fixture.ts";
import { hostTls, openedHost, packageState } from "../network/open/opened-fixture.ts";

const path = "/tiny/-/tiny-1.0.0.tgz";
const content = "what the registry has";
const cached = { cache: true };

type Respond = (response: ServerResponse, incoming: IncomingMessage) => void;

/** A registry. Without `respond` it sends the same file whatever it is asked for. */
async function registry(t: TestContext, respond: Respond = (response) => response.end(content)) {
  const seen: string[] = [];
  const server = createServer(hostTls, (incoming, response) => {
    seen.push(incoming.url ?? "");
    respond(response, incoming);
  });
  return { port: await listening(t, server), seen };
}

const keptNames = (state: string): string[] => readdirSync(join(state, "packages"));

/** A program may have its file a moment before the gate has it. */
async function untilKept(state: string): Promise<string> {
  await until("it is kept", () => keptNames(state).some((name) => !name.endsWith(".new")));
  return join(state, "packages", keptNames(state)[0] ?? "");
}

test("a package file is fetched once for all calls, and what was kept is counted and recorded", async (t) => {
  const host = await registry(t);
  const state = packageState(t);
  for (const turn of [1, 2]) {
    const { send, broker } = await openedHost(t, cached, host.port, { packages: openPackageFiles(state) });
    assert.equal((await send({ path })).body, content);
    const [line] = broker.uses();
    assert.deepEqual(
      [line?.connections, line?.requests, line?.bytesKept],
      turn === 1 ? [1, 1, 0] : [0, 0, content.length],
    );
    await untilKept(state);
  }
  assert.deepEqual(host.seen, [path]);
});

test("the control: without `cache`, without TLS, and for what may change, the host is asked each time", async (t) => {
  const host = await registry(t);
  const state = packageState(t);
  const packages = openPackageFiles(state);
  for (const [written, asked] of [
    [{}, path],
    [cached, "/tiny"],
    [cached, "/tiny/-/../../other.tgz"],
    [cached, `${path}?version=2`],
    [cached, "/dist/tiny.zip"], // the registry does not say that it is immutable
  ] as const) {
    host.seen.length = 0;
    const { send } = await openedHost(t, written, host.port, { packages });
    for (const _ of [1, 2]) assert.equal((await send({ path: asked })).body, content);
    assert.equal(host.seen.length, 2, asked);
  }
  let plain = 0;
  const server = createPlainServer((_, response) => response.end(`${content} ${(plain += 1)}`));
  const { send } = await openedHost(t, cached, await listening(t, server), { packages });
  for (const turn of [1, 2]) assert.equal((await send({ path, isTls: false })).body, `${content} ${turn}`);
  assert.deepEqual(keptNames(state), []);
});

test("a header that changes the answer does not choose what the next program gets", async (t) => {
  const host = await registry(t, (response, { headers }) =>
    response.end(`for ${headers["accept-language"] ?? "all"} ${String(headers["x-forwarded-host"] ?? "")}`),
  );
  const state = packageState(t);
  const { send } = await openedHost(t, cached, host.port, { packages: openPackageFiles(state) });
  const evil = await send({ path, headers: { "x-forwarded-host": "evil.test" } });
  assert.equal(evil.body, "for all evil.test", "the control: the host takes it from the header");
  assert.equal((await send({ path, headers: { "accept-language": "evil" } })).body, "for all ");
  await untilKept(state);
  assert.equal((await send({ path })).body, "for all ");
  assert.equal(host.seen.length, 2, "the last one was kept");
});

const answers: Readonly<Record<string, Respond>> = {
  "that is none": (response) => response.writeHead(404).end(content),
  "that sets a cookie": (response) => response.setHeader("Set-Cookie", "a=b").end(content),
  "that varies": (response) => response.setHeader("Vary", "Accept").end(content),
  "that must not be kept": (response) => response.setHeader("Cache-Control", "no-store, immutable").end(content),
  "for one person": (response) => response.setHeader("Cache-Control", "private, immutable").end(content),
  "whose length is not known": (response) => void response.write(content, () => response.end()),
  "that is compressed": (response) => response.setHeader("Content-Encoding", "gzip").end(gzipSync(content)),
  "that breaks off": (response) => {
    response.writeHead(200, { "Content-Length": content.length + 1 });
    response.write(content, () => response.destroy());
  },
};

for (const [title, respond] of Object.entries(answers))
  test(`an answer ${title} is not kept`, async (t) => {
    const host = await registry(t, respond);
    const state = packageState(t);
    const { send } = await openedHost(t, cached, host.port, { packages: openPackageFiles(state) });
    for (const turn of [1, 2]) {
      await send({ path }).catch(() => undefined); // what breaks off
      assert.equal(host.seen.length, turn);
    }
    await until("nothing is left of it", () => keptNames(state).length === 0);
  });

test("a file is found only with the credential, the host and the reach with which it was kept", async (t) => {
  const host = await registry(t, (response, { headers }) => response.end(`for ${headers.authorization}`));
  const state = packageState(t);
  const packages = openPackageFiles(state);
  const credential = { env: "TOKEN" };
  const open = async (secret: string, mayBePrivate = true) =>
    await openedHost(t, { cache: true, credential }, host.port, { packages, secret, mayBePrivate });
  const [anns, bobs] = ["anns-secret-0123456789", "bobs-secret-0123456789"];
  const own = (await (await open(anns)).send({ path })).body;
  await untilKept(state);
  assert.match(own, /^for Bearer \*+$|^for \*+$/, "and the secret is not in it");
  assert.equal((await (await open(anns)).send({ path })).body, own);
  assert.equal(host.seen.length, 1, "the control");
  await (await open(bobs)).send({ path });
  assert.equal(host.seen.length, 2);
  await (await openedHost(t, cached, host.port, { packages })).send({ path });
  assert.equal(host.seen.length, 3);
  // The host is at a private address, which this agent may not reach: from the gate's files neither.
  assert.equal((await (await open(anns, false)).send({ path })).status, 502);
});

test("what is kept is judged as if it were fetched", async (t) => {
  const host = await registry(t);
  const state = packageState(t);
  const packages = openPackageFiles(state);
  const open = async (written: object, more: object = {}) =>
    await openedHost(t, { ...cached, ...written }, host.port, { packages, ...more });
  assert.equal((await (await open({})).send({ path })).status, 200);
  await untilKept(state);
  assert.equal((await (await open({ paths: ["/other/**"] })).send({ path })).status, 403);
  assert.equal((await (await open({ methods: ["POST"] })).send({ path })).status, 403);
  assert.equal((await (await open({})).send({ path, headers: { host: "other.test" } })).status, 403);
  const limited = await open({}, { limits: { inBytes: content.length - 1 } });
  await assert.rejects(limited.send({ path }));
  assert.equal(limited.broker.limitHit, true);
  assert.equal(host.seen.length, 1);
});

test("a file that was changed, or is not whole, is fetched anew", async (t) => {
  const host = await registry(t);
  const state = packageState(t);
  const { send } = await openedHost(t, cached, host.port, { packages: openPackageFiles(state) });
  await send({ path });
  const file = await untilKept(state);
  const whole = readFileSync(file);
  const changes = [
    Buffer.from(whole.toString().replace(content, content.toUpperCase())),
    whole.subarray(0, -1),
    Buffer.concat([whole, Buffer.from("more")]),
    whole.subarray(0, 10),
    Buffer.alloc(0),
  ];
  for (const [index, change] of changes.entries()) {
    writeFileSync(file, change);
    assert.equal((await send({ path })).body, content);
    assert.equal(host.seen.length, index + 2);
    await until("it is whole again", () => existsSync(file) && readFileSync(file).equals(whole));
  }
  assert.equal((await send({ path })).body, content);
  assert.equal(host.seen.length, changes.length + 1, "the control: the file is in order again");
});
