// What is copied is what was sent, whoever reads slowly, ends first or breaks off.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { createServer, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { until } from "../fixtures/run.ts";
import { listening, yes } from "./broker-fixture.ts";
import { proxiedBroker, throughProxy } from "./proxy-fixture.ts";

const hash = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

async function connected(t: TestContext, serve: (socket: Socket) => void) {
  const port = await listening(
    t,
    createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", () => undefined);
      serve(socket);
    }),
  );
  const { proxyPort, broker } = await proxiedBroker(t, { verdicts: { "good.test": yes } });
  const socket = await throughProxy(t, proxyPort, `good.test:${port}`);
  assert.ok(socket !== null);
  socket.allowHalfOpen = true;
  return { socket, broker };
}

/** Reads to the end, and now and then waits. What the socket still has to send is sent. */
async function readSlowly(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer);
    if (chunks.length % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return Buffer.concat(chunks);
}

test("20 MB in each direction at once, with slow readers, arrive as they were sent", async (t) => {
  const [out, back] = [randomBytes(20 << 20), randomBytes((20 << 20) + 12_345)];
  let arrived: Promise<Buffer> = Promise.resolve(Buffer.alloc(0));
  const { socket, broker } = await connected(t, (server) => {
    server.end(back);
    arrived = readSlowly(server);
  });
  socket.end(out);
  assert.equal(hash(await readSlowly(socket)), hash(back));
  assert.equal(hash(await arrived), hash(out));
  const [line] = broker.uses();
  assert.deepEqual([line?.bytesOut, line?.bytesIn], [out.length, back.length]);
});

test("a host that does not read holds the program back, and no memory grows", async (t) => {
  let held: Socket | null = null;
  const { socket, broker } = await connected(t, (server) => (held = server.pause()));
  const piece = Buffer.alloc(1 << 20);
  let taken = 0;
  const push = (): void => {
    while (taken < 60 && socket.write(piece)) taken += 1;
    if (taken < 60) socket.once("drain", push);
  };
  push();
  let before = -1;
  await until("nothing moves any more", () => {
    const now = broker.uses()[0]?.bytesOut ?? 0;
    const isStill = now > 0 && now === before;
    before = now;
    return isStill;
  });
  assert.ok(before < 32 << 20, `${before} bytes are on their way`);
  (held as Socket | null)?.resume();
  await until("the rest has gone", () => (broker.uses()[0]?.bytesOut ?? 0) > before);
});

test("an end in one direction leaves the other one open", async (t) => {
  const { socket } = await connected(t, (server) => {
    server.on("end", () => setTimeout(() => server.end("after the end"), 20)).resume();
  });
  socket.end("question");
  assert.equal((await readSlowly(socket)).toString(), "after the end");
});

test("a host that breaks off breaks off for the program, and the other way round", async (t) => {
  const one = await connected(t, (server) => void server.once("data", () => server.resetAndDestroy()));
  const code = new Promise((resolve) =>
    one.socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code)),
  );
  one.socket.write("x");
  assert.equal(await code, "ECONNRESET");

  let ended = "";
  const two = await connected(t, (server) => {
    server.on("error", (error: NodeJS.ErrnoException) => (ended = error.code ?? "")).resume();
  });
  two.socket.resetAndDestroy();
  await until("the host has seen it", () => ended === "ECONNRESET");
});
