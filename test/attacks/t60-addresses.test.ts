// T60: a name that is allowed leads to an address of this machine or its network.

import assert from "node:assert/strict";
import { connect } from "node:net";
import test from "node:test";
import { proxiedBroker, exchange, throughProxy } from "../network/proxy-fixture.ts";
import { publicOnly, testServer, yes } from "../network/broker-fixture.ts";

const inside = [
  ["127.0.0.1"],
  ["::1"],
  ["::ffff:127.0.0.1"],
  ["0.0.0.0"],
  ["169.254.169.254"],
  ["10.0.0.1"],
  ["100.100.100.200"],
  ["fd00:ec2::254"],
  ["64:ff9b::7f00:1"],
  ["2002:7f00:1::"],
  ["198.18.0.1"],
  ["not an address"],
  ["203.0.113.80", "127.0.0.1"],
  ["127.0.0.1", "203.0.113.80"],
  ["2606:4700::1", "::1"],
];

for (const addresses of inside)
  test(`a name that leads to ${addresses.join(" and ")} is refused, and nothing arrives`, async (t) => {
    const server = await testServer(t);
    const { proxyPort, broker } = await proxiedBroker(t, {
      verdicts: { "evil.test": publicOnly },
      addresses: { "evil.test": addresses },
    });
    assert.equal(await throughProxy(t, proxyPort, `evil.test:${server.port}`), null);
    assert.match(await exchange(proxyPort, `GET http://evil.test:${server.port}/ HTTP/1.1\r\n\r\n`), /^HTTP\/1.1 403 /);
    assert.equal(server.received.length, 0);
    const [line] = broker.uses();
    assert.equal(line?.decision, "deny");
    assert.match(line?.why ?? "", /which is not a public address$/);
    assert.deepEqual(line?.addresses, []);
  });

test("the control: where the grant says that it may be private, the same name gets through", async (t) => {
  const server = await testServer(t);
  const { proxyPort } = await proxiedBroker(t, {
    verdicts: { "evil.test": yes },
    addresses: { "evil.test": ["127.0.0.1", "203.0.113.80"] },
  });
  const socket = await throughProxy(t, proxyPort, `evil.test:${server.port}`);
  socket?.end("hello");
  assert.equal(
    await new Promise((resolve) => socket?.once("data", (chunk: Buffer) => resolve(chunk.toString())).resume()),
    "got 5",
  );
});

test("a name that is public when it is checked and private when it is used: it is resolved once", async (t) => {
  const server = await testServer(t);
  let asked = 0;
  const next = () => ((asked += 1) % 2 === 1 ? "203.0.113.80" : "127.0.0.1");
  assert.equal(next(), "203.0.113.80", "somebody has checked it");
  const lookup = () => Promise.resolve([next()]);
  const { proxyPort } = await proxiedBroker(t, { verdicts: { "evil.test": publicOnly }, rest: { lookup } });
  assert.equal(await throughProxy(t, proxyPort, `evil.test:${server.port}`), null);
  assert.equal(asked, 2, "once for the connection");
  assert.equal(server.received.length, 0);

  // The control: whoever checks a name and then connects to the name is led inside.
  asked = 0;
  assert.equal(next(), "203.0.113.80");
  const socket = connect({
    host: "evil.test",
    port: server.port,
    lookup: (_host, _options, done) => done(null, [{ address: next(), family: 4 }]),
  });
  socket.end("inside");
  await new Promise((resolve) => socket.once("close", resolve).resume());
  assert.equal(server.received[0]?.toString(), "inside");
});
