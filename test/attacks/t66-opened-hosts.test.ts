// T66: a program gets a credential that the gate sends for it, uses it for more than was granted, or pushes.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request } from "node:https";
import { type IncomingMessage, request as plainRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { connect } from "node:tls";
import { gzipSync } from "node:zlib";
import { createAuthority } from "../../src/network/open/authority.ts";
import { createOpenLayer } from "../../src/network/open/open-layer.ts";
import type { WrittenHostGrant } from "../../src/policy/host-grant.ts";
import { hostGrants, listening } from "../network/broker-fixture.ts";
import { proxiedBroker, throughProxy } from "../network/proxy-fixture.ts";

const directory = mkdtempSync(join(tmpdir(), "sallyport-t66-"));
test.after(() => rmSync(directory, { recursive: true, force: true }));
const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
const names = ["-subj", "/CN=api.test", "-addext", "subjectAltName=DNS:api.test", "-days", "2"];
const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
execFileSync("openssl", ["req", "-x509", "-nodes", ...names, ...curve, "-keyout", key, "-out", cert], {
  stdio: "ignore",
});

const secret = "s3cret-Token_0123456789abcdef";
const authority = createAuthority();

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A host that says back what it got, in the headers and in pieces of the body. */
async function echoHost(t: TestContext) {
  const seen: string[] = [];
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (incoming, response) => {
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

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly isTls?: boolean;
}

async function opened(
  t: TestContext,
  written: Partial<WrittenHostGrant>,
  port: number,
  hostAuthorities = [readFileSync(cert, "utf8")],
) {
  const [grant] = hostGrants({ host: "api.test", port, open: true, ...written });
  assert.ok(grant !== undefined);
  const openLayer = createOpenLayer({ authority, secretOf: () => Promise.resolve(secret), hostAuthorities });
  const { proxyPort, broker } = await proxiedBroker(t, {
    verdicts: { "api.test": { decision: "allow", mayBePrivate: true, grant } },
    rest: { openLayer },
  });
  const send = async ({ method = "GET", path = "/", headers = {}, body, isTls = true }: Sent): Promise<Answer> => {
    const tunnel = await throughProxy(t, proxyPort, `api.test:${port}`);
    assert.ok(tunnel !== null);
    tunnel.resume();
    const createConnection = () =>
      isTls ? connect({ socket: tunnel, servername: "api.test", ca: authority.caPem() }) : tunnel;
    const ask = isTls ? request : plainRequest;
    return new Promise((resolve, reject) => {
      const outgoing = ask(
        { createConnection, method, path, headers: { host: "api.test", ...headers } },
        (incoming) => {
          let text = "";
          incoming.on("data", (chunk: Buffer) => (text += chunk.toString()));
          incoming.on("end", () =>
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text }),
          );
        },
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  };
  return { send, broker };
}

const credential = { env: "TOKEN" };

test("the gate puts the credential in, and covers it in what comes back, however it is cut or written", async (t) => {
  const host = await echoHost(t);
  const { send, broker } = await opened(t, { credential }, host.port);
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
  const { send } = await opened(t, { credential }, host.port);
  assert.equal((await send({ path: "/zipped" })).status, 502);
  assert.equal((await (await opened(t, {}, host.port)).send({ path: "/zipped" })).status, 200, "the control");
});

test("with a credential, only reading is allowed unless methods are written; other names of a method do not help", async (t) => {
  const host = await echoHost(t);
  const reading = await opened(t, { credential }, host.port);
  assert.equal((await reading.send({ method: "POST", path: "/gists", body: "x" })).status, 403);
  assert.equal((await reading.send({ method: "DELETE" })).status, 403);
  assert.deepEqual(host.seen, []);
  assert.match(reading.broker.uses()[0]?.why ?? "", /DELETE is not among GET, HEAD/);
  await reading.send({ headers: { "x-http-method-override": "DELETE" } });
  assert.deepEqual(host.seen, [`GET / Bearer ${secret}`]);
  const writing = await opened(t, { credential, methods: ["GET", "POST"] }, host.port);
  assert.equal((await writing.send({ method: "POST", path: "/gists", body: "x" })).status, 200, "the control");
});

test("nothing is pushed, and a fetch is a read", async (t) => {
  const host = await echoHost(t);
  const { send } = await opened(t, {}, host.port);
  assert.equal((await send({ method: "POST", path: "/r.git/git-receive-pack", body: "x" })).status, 403);
  assert.equal((await send({ path: "/r.git/info/refs?service=git-receive-pack" })).status, 403);
  assert.equal((await send({ method: "POST", path: "/r.git/git-upload-pack", body: "x" })).status, 200);
  assert.equal(host.seen.length, 1);
});

test("another host in the request is refused; so is a credential without TLS", async (t) => {
  const host = await echoHost(t);
  const { send } = await opened(t, { credential }, host.port);
  assert.equal((await send({ headers: { host: "other.test" } })).status, 403);
  assert.equal((await send({ isTls: false })).status, 403);
  assert.deepEqual(host.seen, []);
});

test("a host whose certificate is not its own gets nothing", async (t) => {
  const host = await echoHost(t);
  const { send, broker } = await opened(t, { credential }, host.port, []);
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
