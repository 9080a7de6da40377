// T79: a program that may reach a host of many owners sends something to another one of them.

import assert from "node:assert/strict";
import { createServer as createPlainServer } from "node:http";
import { createServer, request } from "node:https";
import test, { type TestContext } from "node:test";
import { connect } from "node:tls";
import { until } from "../fixtures/run.ts";
import { listening, yes } from "../network/broker-fixture.ts";
import { hostTls, openedHost } from "../network/open/opened-fixture.ts";
import { proxiedBroker, throughProxy } from "../network/proxy-fixture.ts";

/** A server of many sites: which one it is, the `Host` inside TLS says. */
async function sharedServer(t: TestContext) {
  const got: string[] = [];
  const server = createServer(hostTls, ({ headers, url }, response) => {
    got.push(`${headers.host ?? ""} ${url ?? ""}`);
    response.end("got it");
  });
  return { port: await listening(t, server), got };
}

const path = "/take?secret=1";
const headers = { host: "evil.test" };

test("the control, and what is not promised: inside TLS that stays closed, another site is reached", async (t) => {
  const server = await sharedServer(t);
  const { proxyPort } = await proxiedBroker(t, { verdicts: { "api.test": yes } });
  const tunnel = await throughProxy(t, proxyPort, `api.test:${server.port}`);
  assert.ok(tunnel !== null);
  const socket = connect({ socket: tunnel.resume(), servername: "api.test", ca: hostTls.cert });
  const status = await new Promise((resolve, reject) =>
    request({ createConnection: () => socket, path, headers }, (answer) => resolve(answer.resume().statusCode))
      .on("error", reject)
      .end(),
  );
  assert.equal(status, 200);
  assert.deepEqual(server.got, ["evil.test /take?secret=1"]);
});

/** The same without TLS: two requests in one connection, for the judged host and for another one. */
const twoRequests = ["api.test", "evil.test"].map((host) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`).join("");

async function plainServer(t: TestContext) {
  const got: string[] = [];
  const server = createPlainServer(({ headers }, response) => {
    got.push(headers.host ?? "");
    response.end("got it");
  });
  return { port: await listening(t, server), got };
}

test("what is not promised either: without TLS, where the gate does not open the connection", async (t) => {
  const server = await plainServer(t);
  const { proxyPort } = await proxiedBroker(t, { verdicts: { "api.test": yes } });
  const tunnel = await throughProxy(t, proxyPort, `api.test:${server.port}`);
  tunnel?.resume().write(twoRequests);
  await until("both are there", () => server.got.length === 2);
  assert.deepEqual(server.got, ["api.test", "evil.test"]);
});

test("where the gate opens a connection without TLS, each request in it names the judged host, or goes nowhere", async (t) => {
  const server = await plainServer(t);
  const { proxyPort } = await openedHost(t, {}, server.port);
  const tunnel = await throughProxy(t, proxyPort, `api.test:${server.port}`);
  assert.ok(tunnel !== null);
  let said = "";
  tunnel.on("data", (chunk: Buffer) => (said += chunk.toString())).resume();
  tunnel.write(twoRequests);
  await until("both are answered", () => said.match(/HTTP\/1\.1 \d+/g)?.length === 2);
  assert.deepEqual(said.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 200", "HTTP/1.1 403"]);
  assert.deepEqual(server.got, ["api.test"]);
});

test("where the gate opens the connection, a request names the host that was judged, or goes nowhere", async (t) => {
  const server = await sharedServer(t);
  const { send } = await openedHost(t, {}, server.port);
  for (const host of ["evil.test", "evil.test:443", "api.test.evil.test", ""])
    assert.equal((await send({ path, headers: { host } })).status, 403, host);
  assert.deepEqual(server.got, []);
  assert.equal((await send({ path })).status, 200, "the control");
});
