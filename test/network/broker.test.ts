// The broker of a box, from a program in a namespace of its own to a server on this machine.

import assert from "node:assert/strict";
import { readdirSync, readlinkSync } from "node:fs";
import test from "node:test";
import type { ConnectionVerdict } from "../../src/network/connection-judge.ts";
import { until } from "../fixtures/run.ts";
import { noBinary } from "../native/built.ts";
import { inBox } from "./box.ts";
import { testBroker, testServer, yes } from "./broker-fixture.ts";

const skip = noBinary;

test("a name leads to its host, and the line says what went through, to the byte", { skip }, async (t) => {
  const server = await testServer(t);
  const { broker } = testBroker(t, { verdicts: { "db.test": yes }, grants: [`db.test:${server.port}`] });
  const said = await inBox(
    broker,
    `const [at] = await lookUp("DB.test"); return talk(at, ${server.port}, "x".repeat(1000));`,
  );
  assert.equal(said, "got 1000");
  assert.equal(server.received[0]?.toString(), "x".repeat(1000));
  const line = {
    decision: "allow",
    question: null,
    why: null,
    connections: 1,
    requests: 0,
    bytesOut: 1000,
    bytesIn: 8,
    bytesKept: 0,
    refused: 0,
    refusal: null,
  };
  assert.deepEqual(broker.uses(), [{ host: "db.test", port: server.port, ...line, addresses: ["127.0.0.1"] }]);
  assert.deepEqual(broker.unreachedNames(), []);
});

test("what is not allowed is reset at once, nothing arrives, and the line says why", { skip }, async (t) => {
  const server = await testServer(t);
  const { broker } = testBroker(t, {
    verdicts: { "later.test": { decision: "ask", question: "q-12ab", why: "nobody has answered" } },
    grants: [`later.test:${server.port}`, `never.test:${server.port}`],
  });
  const said = await inBox(
    broker,
    `const all = [];
     for (const name of ["later.test", "never.test"]) all.push(await talk((await lookUp(name))[0], ${server.port}, "secret"));
     return all;`,
  );
  assert.deepEqual(said, ["ECONNRESET", "ECONNRESET"]);
  assert.deepEqual(server.received, []);
  assert.deepEqual(
    broker.uses().map(({ host, decision, question, why, connections }) => [host, decision, question, why, connections]),
    [
      ["later.test", "ask", "q-12ab", "nobody has answered", 0],
      ["never.test", "deny", null, "not granted", 0],
    ],
  );
});

test("fifty connections that wait for the same verdict are judged once", { skip }, async (t) => {
  const server = await testServer(t);
  let answer = (_verdict: ConnectionVerdict): void => undefined;
  const { broker, judged } = testBroker(t, {
    judge: () => new Promise((resolve) => (answer = resolve)),
    grants: [`db.test:${server.port}`],
  });
  const said = inBox<string[]>(
    broker,
    `const [at] = await lookUp("db.test");
     return Promise.all(Array.from({ length: 50 }, () => talk(at, ${server.port}, "hello")));`,
  );
  await until("a connection waits", () => judged.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.deepEqual(judged, [`db.test:${server.port}`]);
  assert.deepEqual(server.received, [], "nothing has been sent meanwhile");
  answer(yes);
  assert.deepEqual(await said, Array<string>(50).fill("got 5"));
  assert.deepEqual(judged, [`db.test:${server.port}`]);
  assert.equal(broker.uses()[0]?.connections, 50);
});

test(
  "an address is judged as the address; ports without a listener are refused by the kernel, unasked",
  { skip },
  async (t) => {
    const { broker, judged } = testBroker(t);
    const said = await inBox(
      broker,
      `const all = [];
     await lookUp("nobody.test");
     for (const [host, port] of [["203.0.113.9", 443], ["2001:db8::1", 80], ["127.0.0.1", 22], ["::ffff:10.0.0.1", 443], ["203.0.113.9", 8080]])
       all.push(await talk(host, port, "x"));
     return all;`,
    );
    assert.deepEqual(said, ["ECONNRESET", "ECONNRESET", "ECONNRESET", "ECONNRESET", "ECONNREFUSED"]);
    assert.deepEqual(judged, ["203.0.113.9:443", "2001:db8::1:80", "localhost:22", "10.0.0.1:443"]);
    assert.deepEqual(broker.unreachedNames(), ["nobody.test"]);
  },
);

test("after it is closed, no connection and no listener is left", { skip }, async (t) => {
  const server = await testServer(t, () => undefined); // never answers
  const sockets = () =>
    readdirSync("/proc/self/fd").filter((fd) => linkOf(`/proc/self/fd/${fd}`).startsWith("socket:")).length;
  const before = sockets();
  const { broker, judged } = testBroker(t, {
    judge: (host) => (host === "held.test" ? new Promise(() => undefined) : Promise.resolve(yes)),
    grants: [`open.test:${server.port}`, `held.test:${server.port}`],
    rest: { proxyPort: 3128 },
  });
  const said = inBox(
    broker,
    `const [open, held] = [(await lookUp("open.test"))[0], (await lookUp("held.test"))[0]];
     const stay = (host, port) => new Promise((resolve) => net.connect(port, host).on("error", (error) => resolve(error.code)).write("\\x05"));
     return Promise.all([stay(open, ${server.port}), stay(held, ${server.port}), stay("127.0.0.1", 3128)]);`,
  );
  await until("connections have come", () => judged.length === 2 && server.received.length === 1);
  broker.close();
  assert.deepEqual(await said, ["ECONNRESET", "ECONNRESET", "ECONNRESET"]);
  await until("all are closed", () => sockets() <= before);
});

/** The directory itself is closed again by the time its descriptor is looked at. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
