// T61: a connection that is allowed for one host asks, in TLS, for another one of the same server.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
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

test("what is not TLS passes, also if it comes byte by byte", async (t) => {
  const server = await testServer(t);
  const { proxyPort } = await proxiedBroker(t, { verdicts: { "good.test": yes } });
  const said = await exchange(proxyPort, `CONNECT good.test:${server.port} HTTP/1.1\r\n\r\nSSH-2.0-x\r\n`);
  assert.match(said, /^HTTP\/1.1 200 [^]*\r\n\r\ngot 11$/);
});
