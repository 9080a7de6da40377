// The name in the first bytes of TLS, as real clients send them.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import test, { type TestContext } from "node:test";
import { connect, type ConnectionOptions } from "node:tls";
import { readClientHello } from "../../src/network/client-hello.ts";
import fc from "../fixtures/fast-check.ts";
import { runs } from "../fixtures/runs.ts";
import { listening } from "./broker-fixture.ts";

/** The first bytes of whoever connects. */
async function firstBytes(t: TestContext, begin: (port: number) => void): Promise<Buffer> {
  const server = createServer();
  const bytes = new Promise<Buffer>((resolve) => {
    server.once("connection", (socket) => {
      socket.on("error", () => undefined);
      let all = Buffer.alloc(0);
      socket.on("data", (chunk: Buffer) => {
        all = Buffer.concat([all, chunk]);
        if (readClientHello(all).kind !== "incomplete") resolve(all);
      });
    });
  });
  begin(await listening(t, server));
  return bytes;
}

function helloOfNode(t: TestContext, options: ConnectionOptions): Promise<Buffer> {
  return firstBytes(t, (port) => {
    const client = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
    client.on("error", () => undefined);
    t.after(() => client.destroy());
  });
}

function helloOfOpenssl(t: TestContext, ...args: string[]): Promise<Buffer> {
  return firstBytes(t, (port) => {
    const child = spawn("openssl", ["s_client", "-connect", `127.0.0.1:${port}`, ...args], { stdio: "ignore" });
    t.after(() => child.kill());
  });
}

/** The same message in records of these lengths. */
function inRecords(hello: Buffer, lengths: readonly number[]): Buffer {
  const message = hello.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0, turn = 0; at < message.length; turn += 1) {
    const part = message.subarray(at, at + (lengths[turn % lengths.length] as number));
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
    at += part.length;
  }
  return Buffer.concat(records);
}

const named = { kind: "tls", name: "www.example.org" };

test("node and openssl, in every version of TLS", async (t) => {
  assert.deepEqual(readClientHello(await helloOfNode(t, { servername: "www.example.org" })), named);
  assert.deepEqual(
    readClientHello(await helloOfNode(t, { servername: "www.example.org", maxVersion: "TLSv1.2" })),
    named,
  );
  assert.deepEqual(readClientHello(await helloOfOpenssl(t, "-servername", "www.example.org")), named);
  assert.deepEqual(readClientHello(await helloOfOpenssl(t, "-servername", "www.example.org", "-tls1_2")), named);
});

test("a client that names nobody", async (t) => {
  assert.deepEqual(readClientHello(await helloOfOpenssl(t, "-noservername")), { kind: "tls", name: null });
  assert.deepEqual(readClientHello(Buffer.from("802e0103010015", "hex")), { kind: "tls", name: null }, "SSL 2");
});

test("wherever it is cut, the beginning is incomplete, and the whole is read; over several records too", async (t) => {
  const hello = await helloOfNode(t, { servername: "www.example.org" });
  for (let length = 0; length < hello.length; length += 1)
    assert.equal(readClientHello(hello.subarray(0, length)).kind, "incomplete");
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 9 }),
      fc.nat(),
      (lengths, cut) => {
        const split = inRecords(hello, lengths);
        assert.deepEqual(readClientHello(split), named);
        assert.equal(readClientHello(split.subarray(0, cut % split.length)).kind, "incomplete");
      },
    ),
    { numRuns: runs(500) },
  );
});

test("other protocols pass as such", () => {
  for (const bytes of ["SSH-2.0-x\r\n", "GET / HTTP/1.1\r\n", "\0\0\0\x08\x04\xd2\x16\x2f"])
    assert.deepEqual(readClientHello(Buffer.from(bytes, "latin1")), { kind: "other" });
});

test("messages of databases pass, also where their length looks like a type of record", () => {
  for (let low = 20; low <= 24; low += 1)
    for (let high = 0; high < 8; high += 1) {
      // MySQL: three bytes of length, the second message, what the client can do (as its own client says it), the longest packet.
      const mysql = Buffer.concat([
        Buffer.from([low, high, 0, 1]),
        Buffer.from("85a2bf0100000001ff", "hex"),
        Buffer.alloc(300),
      ]);
      if (low !== 22 || high !== 3)
        assert.deepEqual(readClientHello(mysql), { kind: "other" }, mysql.toString("hex", 0, 12));
      // MongoDB: the length, the number of the message, to which it answers, its kind.
      const mongo = Buffer.from([low, high, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xdd, 7, 0, 0, ...Buffer.alloc(300)]);
      if (low < 22 || high !== 3)
        assert.deepEqual(readClientHello(mongo), { kind: "other" }, mongo.toString("hex", 0, 12));
    }
});

test("the version of a record says nothing", async (t) => {
  const hello = await helloOfNode(t, { servername: "www.example.org" });
  for (const version of [0x0000, 0x0200, 0x0300, 0x0401, 0x0fff, 0xffff]) {
    const changed = Buffer.from(hello);
    changed.writeUInt16BE(version, 1);
    assert.deepEqual(readClientHello(changed), named, version.toString(16));
    for (let length = 0; length < hello.length; length += 1)
      assert.equal(readClientHello(changed.subarray(0, length)).kind, "incomplete");
  }
});

test("a record before the ClientHello is unclear; an empty one of the handshake adds nothing", async (t) => {
  const hello = await helloOfNode(t, { servername: "www.example.org" });
  const after = (record: string) => readClientHello(Buffer.concat([Buffer.from(record, "hex"), hello]));
  for (const record of ["1503010002015a", "1504010002015a", "150fff0002015a", "15030100020228", "15030100040100015a"])
    assert.deepEqual(after(record), { kind: "unclear" }, record);
  for (const record of ["1403010000", "140301000101", "1503010000", "1703030000", "170303000141", "18030100020100"])
    assert.deepEqual(after(record), { kind: "unclear" }, record);
  assert.deepEqual(after("16030100001603010000"), named);
  assert.deepEqual(after("16030100020000"), { kind: "unclear" }, "another message of the handshake");
});

test("whatever comes after the first byte of a ClientHello, it is no other protocol, in records of any version", async (t) => {
  const hello = await helloOfNode(t, { servername: "www.example.org" });
  for (const version of [0x0301, 0x0400, 0x0fff]) {
    const [first, rest] = [record(version, hello.subarray(5, 45)), record(version, hello.subarray(45))];
    assert.deepEqual(readClientHello(Buffer.concat([first, rest])), named, "the control");
    const warning = Buffer.from("15040000020164", "hex");
    assert.deepEqual(readClientHello(Buffer.concat([first, warning, rest])), { kind: "unclear" });
    const tooLong = record(version, Buffer.alloc(18 * 1024 + 1));
    assert.deepEqual(readClientHello(Buffer.concat([first, tooLong])), { kind: "unclear" });
    const message = withExtension(hello, longPadding).subarray(5);
    const long = Buffer.concat([
      record(version, message.subarray(0, 16_000)),
      record(version, message.subarray(16_000)),
    ]);
    assert.deepEqual(readClientHello(long), { kind: "unclear" }, "a long one");
    assert.deepEqual(readClientHello(long.subarray(0, 100)), { kind: "unclear" }, "the beginning of a long one");
  }
});

const longPadding = Buffer.concat([Buffer.from([0, 21, 20_000 >> 8, 20_000 & 255]), Buffer.alloc(20_000)]);

/** One record of the handshake. */
function record(version: number, content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from([22, version >> 8, version & 255, content.length >> 8, content.length & 255]),
    content,
  ]);
}

test("two names, or two lists of names, are unclear", async (t) => {
  const hello = await helloOfOpenssl(t, "-servername", "www.example.org", "-tls1_2");
  const at = hello.indexOf("www.example.org");
  const second = Buffer.concat([hello.subarray(at - 9, at), Buffer.from("www.example.com")]);
  const twice = withExtension(hello, second);
  assert.deepEqual(readClientHello(twice), { kind: "unclear" });
  assert.deepEqual(readClientHello(withExtension(hello, Buffer.from([0xaa, 0xaa, 0, 0]))), named, "the control");
});

/** One more extension at the end, all lengths adjusted. */
function withExtension(hello: Buffer, extension: Buffer): Buffer {
  const longer = Buffer.concat([hello, extension]);
  const grow = (at: number, bytes: number) =>
    longer.writeUIntBE(longer.readUIntBE(at, bytes) + extension.length, at, bytes);
  grow(3, 2);
  grow(6, 3);
  let at = 9 + 2 + 32;
  at += 1 + (longer[at] ?? 0);
  at += 2 + longer.readUInt16BE(at);
  at += 1 + (longer[at] ?? 0);
  grow(at, 2);
  return longer;
}

test("a beginning without end is unclear after 16 KB", () => {
  const endless = Buffer.concat(Array<Buffer>(3000).fill(Buffer.from("160301000301003f", "hex")));
  assert.equal(readClientHello(endless).kind, "unclear");
  assert.equal(
    readClientHello(Buffer.concat([Buffer.from("1603014000010040f0", "hex"), Buffer.alloc(16_000)])).kind,
    "unclear",
  );
});

test("whatever is changed in it, it is read as something, and never as a name that is not in it", async (t) => {
  const hello = await helloOfNode(t, { servername: "www.example.org" });
  const edits = fc.array(fc.tuple(fc.nat(hello.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(edits, fc.nat(hello.length), (all, cut) => {
      const changed = Buffer.from(hello.subarray(0, cut));
      for (const [at, value] of all) if (at < changed.length) changed[at] = value;
      const read = readClientHello(changed);
      if (read.kind === "tls" && read.name !== null) assert.ok(changed.includes(read.name, "latin1"));
    }),
    { numRuns: runs(10_000) },
  );
});
