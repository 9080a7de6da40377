// Connections that the gate opens: what is allowed passes as it was sent, with TLS and without.

import assert from "node:assert/strict";
import { createServer as createPlainServer, type RequestListener } from "node:http";
import { createServer } from "node:https";
import { Agent, request } from "node:http";
import test from "node:test";
import { connect } from "node:tls";
import { listening } from "../broker-fixture.ts";
import { throughProxy } from "../proxy-fixture.ts";
import { hostTls, openedHost } from "./opened-fixture.ts";

for (const isTls of [true, false])
  test(`several requests in one connection of a program, ${isTls ? "with" : "without"} TLS`, async (t) => {
    const answer: RequestListener = (incoming, response) => {
      let got = "";
      incoming.on("data", (chunk: Buffer) => (got += chunk.toString()));
      incoming.on("end", () => response.end(`${incoming.method} ${incoming.url} ${got}`));
    };
    let connections = 0;
    const server = (isTls ? createServer(hostTls, answer) : createPlainServer(answer)).on(
      "connection",
      () => (connections += 1),
    );
    const port = await listening(t, server);
    const { broker, caPem, proxyPort } = await openedHost(t, {}, port);
    const tunnel = await throughProxy(t, proxyPort, `api.test:${port}`);
    assert.ok(tunnel !== null);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const socket = isTls ? connect({ socket: tunnel.resume(), servername: "api.test", ca: caPem }) : tunnel.resume();
    Object.assign(agent, { createConnection: () => socket });
    for (const [method, path, body] of [
      ["GET", "/one", ""],
      ["POST", "/two", "a body"],
      ["GET", "/three", ""],
    ] as const) {
      const said = await new Promise((resolve, reject) => {
        const outgoing = request({ agent, method, path, headers: { host: "api.test" } }, (incoming) => {
          let text = "";
          incoming.on("data", (chunk: Buffer) => (text += chunk.toString()));
          incoming.on("end", () => resolve(text));
        });
        outgoing.on("error", reject);
        outgoing.end(body);
      });
      assert.equal(said, `${method} ${path} ${body}`);
    }
    assert.deepEqual([connections, broker.uses()[0]?.requests], [isTls ? 1 : 3, 3]);
  });

test("a host may take long to answer; one that never does is cut off, and so is a program that asks nothing", async (t) => {
  let answer = (): void => assert.fail("nothing was asked");
  const server = createServer(hostTls, ({ url }, response) => {
    if (url === "/slow") answer = () => response.end("at last");
  });
  const port = await listening(t, server);
  const { send, broker, proxyPort } = await openedHost(t, {}, port, { limits: { idleMs: 500 } });
  const line = () => broker.uses()[0];
  const slow = send({ path: "/slow" });
  const idle = await throughProxy(t, proxyPort, `api.test:${port}`);
  await new Promise((resolve) => idle?.once("close", resolve).resume());
  assert.deepEqual([line()?.refused, line()?.refusal], [1, "nothing was sent for 0.5 s"]);
  answer();
  assert.equal((await slow).body, "at last");
  await assert.rejects(send({ path: "/never" }));
  assert.equal(line()?.refusal, "the host did not answer for 5 s");
});
