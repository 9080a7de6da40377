// T63: a call sends away, or takes in, more than its limits.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import test from "node:test";
import { until } from "../fixtures/run.ts";
import { listening, ordinaryLimits, testServer, yes } from "../network/broker-fixture.ts";
import { exchange, proxiedBroker, throughProxy } from "../network/proxy-fixture.ts";

const MiB = 1024 * 1024;

test("one byte over the limit cuts every connection of the call, and does not arrive", async (t) => {
  const server = await testServer(t);
  const limits = { ...ordinaryLimits, outBytes: 4 * MiB };
  const { proxyPort, broker } = await proxiedBroker(t, { verdicts: { "good.test": yes }, rest: { limits } });
  const place = `good.test:${server.port}`;
  const [first, second] = [await throughProxy(t, proxyPort, place), await throughProxy(t, proxyPort, place)];
  assert.ok(first !== null && second !== null);
  const cut = Promise.all(
    [first, second].map((socket) => new Promise((resolve) => socket.once("close", resolve).resume())),
  );
  first.write(Buffer.alloc(4 * MiB - 10));
  await until("it is counted", () => broker.uses()[0]?.bytesOut === 4 * MiB - 10);
  assert.equal(broker.limitHit, false);
  second.write("x".repeat(11));
  await cut;
  assert.equal(broker.limitHit, true);
  assert.equal(broker.uses()[0]?.bytesOut, 4 * MiB - 10);
  await until("the server has seen the end", () => server.received[0]?.length === 4 * MiB - 10);
  assert.equal(server.received[1]?.length, 0);
  assert.equal(await throughProxy(t, proxyPort, place), null, "no other connection begins");

  // The control: the server itself takes them all.
  const direct = connect(server.port, "127.0.0.1");
  direct.end(Buffer.alloc(4 * MiB + 1));
  await new Promise((resolve) => direct.once("close", resolve).resume());
  assert.equal(server.received[2]?.length, 4 * MiB + 1);
});

test("the body of a request to the proxy counts, with its head, and is cut as well", async (t) => {
  const server = await testServer(t, (_received, socket) =>
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"),
  );
  const limits = { ...ordinaryLimits, outBytes: MiB };
  const { proxyPort, broker } = await proxiedBroker(t, { verdicts: { "good.test": yes }, rest: { limits } });
  const head = `POST http://good.test:${server.port}/ HTTP/1.1\r\nContent-Length: ${MiB}\r\n\r\n`;
  await exchange(proxyPort, head + "x".repeat(MiB));
  assert.equal(broker.limitHit, true);
  await until("the server has seen the end", () => (server.received[0]?.length ?? 0) > 0);
  assert.ok((server.received[0]?.length ?? 0) <= MiB);
});

test("what comes in is limited in the same way", async (t) => {
  const server = await testServer(t, (_received, socket) => void socket.end(Buffer.alloc(2 * MiB)));
  const limits = { ...ordinaryLimits, inBytes: MiB };
  const { proxyPort, broker } = await proxiedBroker(t, { verdicts: { "good.test": yes }, rest: { limits } });
  const said = await exchange(proxyPort, `CONNECT good.test:${server.port} HTTP/1.1\r\n\r\n`);
  assert.equal(said, "ECONNRESET");
  assert.equal(broker.limitHit, true);
  assert.ok((broker.uses()[0]?.bytesIn ?? 0) <= MiB);
});

test("more connections at once than the limit are reset", async (t) => {
  const server = await testServer(t);
  const limits = { ...ordinaryLimits, connections: 3 };
  const { proxyPort, broker } = await proxiedBroker(t, { verdicts: { "good.test": yes }, rest: { limits } });
  const place = `good.test:${server.port}`;
  const open = await Promise.all([1, 2, 3].map(() => throughProxy(t, proxyPort, place)));
  assert.ok(open.every((socket) => socket !== null));
  assert.equal(await throughProxy(t, proxyPort, place), null);
  assert.equal(broker.limitHit, true);
  open[0]?.end();
  await new Promise((resolve) => open[0]?.once("close", resolve).resume());
  await until("a place is free again", async () => (await throughProxy(t, proxyPort, place)) !== null);
});

test("a connection without a byte in either direction ends, and one that waits for an answer later; both are said", async (t) => {
  let answer = (): void => assert.fail("nothing was asked");
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", () => (answer = () => socket.write("an answer")));
  });
  const port = await listening(t, server);
  const limits = { ...ordinaryLimits, idleMs: 500 };
  const { proxyPort, broker } = await proxiedBroker(t, { verdicts: { "good.test": yes }, rest: { limits } });
  const open = async () => (await throughProxy(t, proxyPort, `good.test:${port}`)) ?? assert.fail("not reached");
  const closed = (socket: Socket) => new Promise((resolve) => socket.once("close", resolve).resume());
  const [idle, waiting] = [await open(), await open()];
  waiting.write("a question");
  await closed(idle);
  const line = () => broker.uses()[0];
  assert.deepEqual([line()?.decision, line()?.refused, line()?.refusal], ["allow", 1, "nothing was sent for 0.5 s"]);
  assert.equal(waiting.closed, false);
  const got = once(waiting.resume(), "data");
  answer();
  assert.equal(String((await got)[0]), "an answer");
  await closed(waiting); // idle again
  assert.deepEqual([line()?.refused, line()?.refusal], [2, "nothing was sent for 0.5 s"]);
  const forgotten = await open();
  forgotten.write("a question");
  await closed(forgotten);
  assert.deepEqual([line()?.refused, line()?.refusal], [3, "the host did not answer for 5 s"]);
});
