// The listener of the gate itself in a box: programs of that box reach it, at one address, as long as the box lives.

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import test from "node:test";
import { limits } from "../../src/shared/limits.ts";
import { noBinary } from "../native/built.ts";
import { inBox } from "./box.ts";
import { testBroker } from "./broker-fixture.ts";

const skip = noBinary;
const port = limits.insidePort;
const ask = `talk("127.0.0.1", ${port}, "words")`;

/** Answers with its name. `ends`: whether it ends its side when the program does. */
function served(name: string, ends = true) {
  const connections: Socket[] = [];
  const serve = (box: Socket): void => {
    connections.push(box);
    box.on("data", (chunk: Buffer) => box.write(`${name} got ${chunk.toString()}`));
    if (ends) box.on("end", () => box.end());
  };
  return { connections, inside: { port, serve } };
}

test("it is reached at its one address, and nothing about it is judged", { skip }, async (t) => {
  const { inside } = served("one");
  const { broker, judged } = testBroker(t, { rest: { inside } });
  const said = await inBox(
    broker,
    `return [await ${ask}, await talk("127.0.0.2", ${port}), await talk("127.0.0.1", ${port + 1})];`,
  );
  assert.deepEqual(said, ["one got words", "ECONNREFUSED", "ECONNREFUSED"]);
  assert.deepEqual(judged, []);
  assert.deepEqual(broker.uses(), []);
});

test("each box has its own; a box without one has none", { skip }, async (t) => {
  const [one, two] = [served("one"), served("two")];
  const brokers = [{ inside: one.inside }, { inside: two.inside }, {}].map((rest) => testBroker(t, { rest }).broker);
  const said = await Promise.all(brokers.map((broker) => inBox(broker, `return ${ask};`)));
  assert.deepEqual(said, ["one got words", "two got words", "ECONNREFUSED"]);
});

test("when the box has ended, its connections are cut, and none is left open", { skip }, async (t) => {
  const { connections, inside } = served("one", false);
  const { broker } = testBroker(t, { rest: { inside } });
  const held = await inBox(
    broker,
    `return new Promise((resolve) => { const s = net.connect(${port}, "127.0.0.1", () => s.write("held")); s.once("data", (d) => resolve(String(d))); });`,
  );
  assert.equal(held, "one got held");
  assert.deepEqual(
    connections.map(({ destroyed }) => destroyed),
    [false],
    "control: nobody else ends it",
  );
  await broker.endBox();
  assert.ok(connections.every(({ destroyed }) => destroyed));
});

test("its connections count among those of the box", { skip }, async (t) => {
  const { inside } = served("one");
  const { broker } = testBroker(t, {
    rest: { inside, limits: { connections: 2, outBytes: 1, inBytes: 1, idleMs: 60_000 } },
  });
  const said = await inBox<string[]>(
    broker,
    `const open = () => new Promise((resolve) => { const s = net.connect(${port}, "127.0.0.1", () => s.write("x")); s.once("data", () => resolve("open")); s.once("error", (e) => resolve(e.code)); });
     return [await open(), await open(), await open()];`,
  );
  assert.deepEqual(said, ["open", "open", "ECONNRESET"]);
  assert.ok(broker.limitHit);
});
