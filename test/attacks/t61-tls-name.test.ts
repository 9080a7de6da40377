// T61: a connection that is allowed for one host asks, in TLS, for another one of the same server.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect as connectTcp, createServer as createTcpServer, type Socket } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { duplexPair } from "node:stream";
import { connect, createServer, type ConnectionOptions } from "node:tls";
import { listening, testServer, yes } from "../network/broker-fixture.ts";
import { exchange, proxiedBroker, throughProxy } from "../network/proxy-fixture.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-t61-"));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
const subject = ["-subj", "/CN=many.test", "-days", "2", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
execFileSync("openssl", ["req", "-x509", "-nodes", ...subject, "-keyout", key, "-out", cert], { stdio: "ignore" });

/** A server for many names, as a content network has them. */
async function serverOfMany(t: TestContext) {
  const asked: (string | false)[] = [];
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
    asked.push(socket.servername as string | false);
    socket.on("error", () => undefined);
    socket.end("hello");
  });
  return { port: await listening(t, server), asked };
}

/** What a client of TLS gets: the text, or "cut". */
function talkTls(socket: Socket, options: ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const client = connect({ socket, rejectUnauthorized: false, ...options });
    client.on("data", (chunk: Buffer) => resolve(chunk.toString()));
    client.on("error", () => resolve("cut"));
    client.on("close", () => resolve("cut"));
  });
}

const cases: readonly (readonly [string, ConnectionOptions, string])[] = [
  ["the name that was judged", { servername: "good.test" }, "hello"],
  ["the same in capitals", { servername: "GOOD.test" }, "hello"],
  ["another name", { servername: "evil.test" }, "cut"],
  ["a name below it", { servername: "evil.good.test" }, "cut"],
  ["no name", { servername: "" }, "cut"],
  ["another name in TLS 1.2", { servername: "evil.test", maxVersion: "TLSv1.2" }, "cut"],
];

for (const [title, options, expected] of cases)
  test(`${title}: ${expected}`, async (t) => {
    const server = await serverOfMany(t);
    const { proxyPort, broker } = await proxiedBroker(t, { verdicts: { "good.test": yes } });
    const tunnel = await throughProxy(t, proxyPort, `good.test:${server.port}`);
    assert.ok(tunnel !== null);
    assert.equal(await talkTls(tunnel, options), expected);
    assert.equal(server.asked.length, expected === "cut" ? 0 : 1);
    const [line] = broker.uses();
    assert.equal(line?.decision, expected === "cut" ? "deny" : "allow");
    if (expected === "cut") assert.equal(line?.bytesOut, 0, "no byte of the program was sent");
  });

test("the control: without the gate, the server answers for the other name", async (t) => {
  const server = await serverOfMany(t);
  const { proxyPort } = await proxiedBroker(t, { verdicts: { "127.0.0.2": yes, localhost: yes } });
  const tunnel = await throughProxy(t, proxyPort, `127.0.0.1:${server.port}`);
  assert.ok(tunnel !== null, "a grant for the address itself names no host");
  assert.equal(await talkTls(tunnel, { servername: "evil.test" }), "hello");
  assert.deepEqual(server.asked, ["evil.test"]);
});

/** What a client sends first, if it asks for this name. */
async function helloFor(t: TestContext, servername: string): Promise<Buffer> {
  const [there, here] = duplexPair();
  t.after(() => there.destroy());
  connect({ socket: here, servername }).on("error", () => undefined);
  const [hello] = (await once(there, "data")) as [Buffer];
  return hello;
}

/** What a server makes of these bytes: the names that were asked for, once it has answered or hung up. */
async function namesAskedFor(
  t: TestContext,
  socket: Socket,
  bytes: Buffer,
  asked: readonly string[],
): Promise<readonly string[]> {
  t.after(() => socket.destroy());
  socket.on("error", () => undefined);
  const isOver = Promise.race([once(socket, "close"), once(socket, "data")]);
  socket.write(bytes);
  socket.resume();
  await isOver.catch(() => undefined); // a reset
  return asked;
}

/** OpenSSL's server, as node has it. */
async function namingServer(t: TestContext) {
  const asked: string[] = [];
  const SNICallback = (name: string, done: (error: null) => void): void => {
    asked.push(name);
    done(null);
  };
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert), SNICallback });
  server.on("tlsClientError", () => undefined);
  return { port: await listening(t, server), asked };
}

/** A server that reads records as Go's does: it skips warnings, and takes any version up to 0f ff. */
async function lenientServer(t: TestContext) {
  const { port, asked } = await namingServer(t);
  const front = createTcpServer((socket) => {
    let held = Buffer.alloc(0);
    const back = connectTcp(port, "127.0.0.1");
    back.pipe(socket).on("error", () => undefined);
    back.on("error", () => socket.destroy());
    socket.once("close", () => back.destroy());
    socket.on("data", (chunk: Buffer) => {
      held = Buffer.concat([held, chunk]);
      while (held.length >= 5 && held.length >= 5 + held.readUInt16BE(3)) {
        const record = held.subarray(0, 5 + held.readUInt16BE(3));
        held = held.subarray(record.length);
        if (record[0] === 21 && record[5] === 1) continue;
        if (record.readUInt16BE(1) >= 0x1000) return socket.destroy();
        back.write(Buffer.concat([Buffer.from([record[0] ?? 0, 3, 1]), record.subarray(3)]));
      }
    });
  });
  return { port: await listening(t, front), asked };
}

const disguises = [
  [
    "a warning before it",
    lenientServer,
    (hello: Buffer) => Buffer.concat([Buffer.from("1503010002015a", "hex"), hello]),
  ],
  [
    "a record of another version",
    lenientServer,
    (hello: Buffer) => Buffer.concat([Buffer.from("160401", "hex"), hello.subarray(3)]),
  ],
  [
    "a warning of another version",
    lenientServer,
    (hello: Buffer) => Buffer.concat([Buffer.from("1500000002015a", "hex"), hello]),
  ],
  [
    "an empty change of ciphers before it",
    namingServer,
    (hello: Buffer) => Buffer.concat([Buffer.from("1403010000", "hex"), hello]),
  ],
  [
    "an empty record before it",
    namingServer,
    (hello: Buffer) => Buffer.concat([Buffer.from("1603010000", "hex"), hello]),
  ],
  ...[0x0400, 0x0fff].flatMap(
    (version) =>
      [
        [
          `a warning between its fragments, version ${version.toString(16)}`,
          lenientServer,
          (hello: Buffer) =>
            Buffer.concat([
              record(version, hello.subarray(5, 45)),
              Buffer.from("15040000020164", "hex"),
              record(version, hello.subarray(45)),
            ]),
        ],
        [
          `20,000 bytes of padding, version ${version.toString(16)}`,
          lenientServer,
          (hello: Buffer) => {
            const message = padded(hello.subarray(5), 20_000);
            return Buffer.concat([
              record(version, message.subarray(0, 16_000)),
              record(version, message.subarray(16_000)),
            ]);
          },
        ],
      ] as const,
  ),
] as const;

/** One record of the handshake. */
function record(version: number, content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from([22, version >> 8, version & 255, content.length >> 8, content.length & 255]),
    content,
  ]);
}

/** The same message with an extension of padding at its end. */
function padded(message: Buffer, length: number): Buffer {
  const longer = Buffer.concat([message, Buffer.from([0, 21, length >> 8, length & 255]), Buffer.alloc(length)]);
  const grow = (at: number, bytes: number) => longer.writeUIntBE(longer.readUIntBE(at, bytes) + 4 + length, at, bytes);
  grow(1, 3);
  let at = 4 + 2 + 32;
  at += 1 + (longer[at] ?? 0);
  at += 2 + longer.readUInt16BE(at);
  at += 1 + (longer[at] ?? 0);
  grow(at, 2);
  return longer;
}

for (const [title, serve, disguised] of disguises)
  test(`another name, with ${title}: nothing arrives`, async (t) => {
    const server = await serve(t);
    const bytes = disguised(await helloFor(t, "evil.test"));
    const { proxyPort, broker } = await proxiedBroker(t, { verdicts: { "good.test": yes } });
    const tunnel = await throughProxy(t, proxyPort, `good.test:${server.port}`);
    assert.ok(tunnel !== null);
    assert.deepEqual(await namesAskedFor(t, tunnel, bytes, server.asked), []);
    const [line] = broker.uses();
    assert.deepEqual([line?.decision, line?.bytesOut], ["deny", 0]);
    const direct = connectTcp(server.port, "127.0.0.1");
    assert.deepEqual(await namesAskedFor(t, direct, bytes, server.asked), ["evil.test"], "the control");
  });

test("what is not TLS passes, also if it comes byte by byte", async (t) => {
  const server = await testServer(t);
  const { proxyPort } = await proxiedBroker(t, { verdicts: { "good.test": yes } });
  const said = await exchange(proxyPort, `CONNECT good.test:${server.port} HTTP/1.1\r\n\r\nSSH-2.0-x\r\n`);
  assert.match(said, /^HTTP\/1.1 200 [^]*\r\n\r\ngot 11$/);
});
