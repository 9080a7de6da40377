// T66: a program gets a credential that the gate sends for it, uses it for more than was granted, or pushes.

import assert from "node:assert/strict";
import { createServer } from "node:https";
import test, { type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { hostGrants, listening } from "../network/broker-fixture.ts";
import { hostTls, openedHost } from "../network/open/opened-fixture.ts";
import { proxiedBroker, throughProxy } from "../network/proxy-fixture.ts";

const secret = "s3cret-Token_0123456789abcdef";

/** A host that says back what it got, in the headers and in pieces of the body. */
async function echoHost(t: TestContext) {
  const seen: string[] = [];
  const server = createServer(hostTls, (incoming, response) => {
    seen.push(
      `${incoming.method} ${incoming.url} ${incoming.headers["x-http-method-override"]?.toString() ?? incoming.headers.authorization ?? "-"}`,
    );
    const text = `you sent ${incoming.headers.authorization} as ${Buffer.from(incoming.headers.authorization ?? "").toString("base64")}.`;
    response.setHeader("X-Echo", incoming.headers.authorization ?? "");
    if (incoming.url === "/zipped") return response.setHeader("Content-Encoding", "gzip").end(gzipSync(text));
    response.setHeader("Content-Length", Buffer.byteLength(text));
    for (const character of text) response.write(character);
    response.end();
  });
  return { port: await listening(t, server), seen };
}

const credential = { env: "TOKEN" };

test("the gate puts the credential in, and covers it in what comes back, however it is cut or written", async (t) => {
  const host = await echoHost(t);
  const { send, broker } = await openedHost(t, { credential }, host.port, { secret });
  const answer = await send({ headers: { authorization: "Bearer of-the-agent" } });
  assert.equal(host.seen[0], `GET / Bearer ${secret}`, "the control: the host gets it, in place of the agent's own");
  assert.equal(answer.status, 200);
  assert.match(answer.body, /^you sent [*]+ as [*]*/);
  for (const text of [answer.body, JSON.stringify(answer.headers)]) {
    assert.doesNotMatch(text, new RegExp(secret, "i"));
    assert.ok(!text.includes(Buffer.from(`Bearer ${secret}`).toString("base64").slice(10, 30)));
  }
  assert.ok((broker.uses()[0]?.bytesOut ?? 0) > 0);
});

test("an answer that is compressed all the same is not passed on", async (t) => {
  const host = await echoHost(t);
  const { send } = await openedHost(t, { credential }, host.port, { secret });
  assert.equal((await send({ path: "/zipped" })).status, 502);
  assert.equal(
    (await (await openedHost(t, {}, host.port, { secret })).send({ path: "/zipped" })).status,
    200,
    "the control",
  );
});

test("with a credential, only reading is allowed unless methods are written; other names of a method do not help", async (t) => {
  const host = await echoHost(t);
  const reading = await openedHost(t, { credential }, host.port, { secret });
  assert.equal((await reading.send({ method: "POST", path: "/gists", body: "x" })).status, 403);
  assert.equal((await reading.send({ method: "DELETE" })).status, 403);
  assert.deepEqual(host.seen, []);
  assert.match(reading.broker.uses()[0]?.why ?? "", /DELETE is not among GET, HEAD/);
  await reading.send({ headers: { "x-http-method-override": "DELETE" } });
  assert.deepEqual(host.seen, [`GET / Bearer ${secret}`]);
  const writing = await openedHost(t, { credential, methods: ["GET", "POST"] }, host.port, { secret });
  assert.equal((await writing.send({ method: "POST", path: "/gists", body: "x" })).status, 200, "the control");
});

test("nothing is pushed, and a fetch is a read", async (t) => {
  const host = await echoHost(t);
  const { send } = await openedHost(t, {}, host.port, { secret });
  assert.equal((await send({ method: "POST", path: "/r.git/git-receive-pack", body: "x" })).status, 403);
  assert.equal((await send({ path: "/r.git/info/refs?service=git-receive-pack" })).status, 403);
  assert.deepEqual(host.seen, []);
  const fetching = await openedHost(t, { credential }, host.port, { secret });
  const path = "/gists/git-upload-pack";
  for (const type of ["application/json", "text/plain"])
    assert.equal(
      (await fetching.send({ method: "POST", path, headers: { "content-type": type }, body: "{}" })).status,
      403,
    );
  assert.deepEqual(host.seen, []);
  const headers = { "content-type": "application/x-git-upload-pack-request" };
  assert.equal(
    (await fetching.send({ method: "POST", path: "/r.git/git-upload-pack", headers, body: "x" })).status,
    200,
  );
  const writing = await openedHost(t, { credential, methods: ["GET", "POST"] }, host.port, { secret });
  const json = { "content-type": "application/json" };
  assert.equal((await writing.send({ method: "POST", path, headers: json, body: "{}" })).status, 200, "the control");
  assert.equal(host.seen.length, 2);
});

test("another host in the request is refused; so is a credential without TLS", async (t) => {
  const host = await echoHost(t);
  const { send } = await openedHost(t, { credential }, host.port, { secret });
  assert.equal((await send({ headers: { host: "other.test" } })).status, 403);
  assert.equal((await send({ isTls: false })).status, 403);
  assert.deepEqual(host.seen, []);
});

test("a host whose certificate is not its own gets nothing", async (t) => {
  const host = await echoHost(t);
  const { send, broker } = await openedHost(t, { credential }, host.port, { secret, hostAuthorities: [] });
  assert.equal((await send({})).status, 502);
  assert.deepEqual(host.seen, []);
  assert.match(broker.uses()[0]?.why ?? "", /^TLS to api.test failed/);
});

test("where the gate cannot open connections, a host that needs it is not reached", async (t) => {
  const host = await echoHost(t);
  const [grant] = hostGrants({ host: "api.test", port: host.port, open: true });
  const { proxyPort, broker } = await proxiedBroker(t, {
    verdicts: { "api.test": { decision: "allow", mayBePrivate: true, grant: grant ?? null } },
  });
  assert.equal(await throughProxy(t, proxyPort, `api.test:${host.port}`), null);
  assert.equal(broker.uses()[0]?.decision, "deny");
});
