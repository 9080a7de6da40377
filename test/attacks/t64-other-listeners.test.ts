// T64: a box reaches the gate's own ports, or what another box may reach.

import assert from "node:assert/strict";
import test from "node:test";
import { noBinary } from "../native/built.ts";
import { inBox } from "../network/box.ts";
import { testBroker, testServer, yes } from "../network/broker-fixture.ts";
import { proxiedBroker, throughProxy } from "../network/proxy-fixture.ts";

test("a port of the gate is reached by no name and no address, whatever is granted", async (t) => {
  const server = await testServer(t);
  const isOwnPort = (_address: string, port: number) => port === server.port;
  for (const rest of [{ isOwnPort }, {}]) {
    const verdicts = { "good.test": yes, localhost: yes };
    const { proxyPort } = await proxiedBroker(t, { verdicts, rest });
    for (const host of ["good.test", "localhost", "127.0.0.1", "[::ffff:127.0.0.1]"]) {
      const wasReached = (await throughProxy(t, proxyPort, `${host}:${server.port}`)) !== null;
      assert.equal(wasReached, !("isOwnPort" in rest), `${host}, with the control`);
    }
    if ("isOwnPort" in rest) assert.deepEqual(server.received, []);
  }
});

test("a box reaches what its own call may reach, at the same time as another one", { skip: noBinary }, async (t) => {
  const server = await testServer(t);
  const grants = [`good.test:${server.port}`];
  const granted = testBroker(t, { verdicts: { "good.test": yes }, grants });
  const other = testBroker(t, { grants, rest: { proxyPort: 3128 } });
  const script = `const [at] = await lookUp("good.test"); return [at, await talk(at, ${server.port}, "hello"), await talk("127.0.0.1", 3128)];`;
  const [mine, others] = await Promise.all([inBox(granted.broker, script), inBox(other.broker, script)]);
  assert.deepEqual(mine, ["198.18.0.1", "got 5", "ECONNREFUSED"]);
  assert.deepEqual(others, ["198.18.0.1", "ECONNRESET", ""]);
  assert.equal(server.received.length, 1);
});
