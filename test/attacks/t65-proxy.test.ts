// T65: the proxy port takes a spelling, or a message, for something else than the host that it leads to.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import test from "node:test";
import { ordinaryLimits, listening, no, publicOnly, testServer, yes } from "../network/broker-fixture.ts";
import { exchange, proxiedBroker, socks5 } from "../network/proxy-fixture.ts";

const spellings = [
  ["127.0.0.1", "127.1", "0x7f.1", "0x7f000001", "2130706433", "0177.0.0.1", "017700000001", "127.0.0.1.", "0.0.0.0"],
  ["localhost", "LOCALHOST.", "app.localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]"],
  ["user@127.0.0.1", "good.test@127.0.0.1", "127.0.0.1%00.good.test", "127.0.0.1#good.test", "①②⑦.0.0.1", "[::1%25lo]"],
].flat();

/** Each of them as it is, whatever a client library would make of it. */
const messages = (host: string, port: number): (string | Buffer)[] => [
  `CONNECT ${host}:${port} HTTP/1.1\r\nHost: good.test\r\n\r\nhello`,
  `GET http://${host}:${port}/ HTTP/1.1\r\nHost: good.test\r\nConnection: close\r\n\r\n`,
  Buffer.concat([socks5(host, port), Buffer.from("hello")]),
  Buffer.concat([Buffer.from([4, 1, port >> 8, port & 255, 0, 0, 0, 1, 0]), Buffer.from(`${host}\0hello`, "latin1")]),
];

for (const host of spellings)
  test(`${host} leads nowhere, although every host that is public may be reached`, async (t) => {
    const server = await testServer(t);
    const { proxyPort, broker, judged } = await proxiedBroker(t, { judge: () => Promise.resolve(publicOnly) });
    for (const message of messages(host, server.port)) {
      const said = await exchange(proxyPort, message);
      assert.doesNotMatch(said, /^HTTP\/1.1 [23]|got \d/);
    }
    assert.deepEqual(server.received, []);
    assert.ok(
      judged.every((place) => /^(?:localhost|0\.0\.0\.0):\d+$/.test(place)),
      judged.join(),
    );
    assert.ok(broker.uses().every(({ decision }) => decision === "deny"));
  });

test("the control: where this machine is granted, its own spellings lead to it, in all four ways", async (t) => {
  for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"]) {
    const server = createTcpServer((socket) => {
      socket.on("error", () => undefined).once("data", () => socket.end("HTTP/1.0 200 OK\r\n\r\ngot it"));
    });
    const port = await listening(t, server);
    const { proxyPort } = await proxiedBroker(t, { verdicts: { localhost: yes } });
    for (const message of messages(host, port)) assert.match(await exchange(proxyPort, message), /got it/);
  }
});

test("SOCKS: addresses as bytes, a NUL in a name, other commands, no method in common, nonsense", async (t) => {
  const server = await testServer(t);
  const { proxyPort, judged } = await proxiedBroker(t, { verdicts: { localhost: publicOnly, "good.test": yes } });
  const ask = async (message: Buffer) => Buffer.from(await exchange(proxyPort, message), "latin1");
  const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1];
  const loopback6 = [...Array<number>(15).fill(0), 1];
  for (const address of [[127, 0, 0, 1], mapped, loopback6])
    assert.equal((await ask(socks5(address, server.port)))[3], 2);
  assert.deepEqual(new Set(judged), new Set([`localhost:${server.port}`]));
  assert.equal((await ask(socks5("good.test\0.evil.test", server.port)))[3], 2);
  assert.equal((await ask(socks5("good.test", server.port, 2)))[3], 7, "BIND");
  assert.equal((await ask(socks5("good.test", server.port, 3)))[3], 7, "UDP");
  assert.deepEqual(server.received, []);
  assert.equal((await ask(Buffer.from([5, 1, 2])))[1], 0xff, "a password is wanted by nobody");
  for (const nonsense of ["05", "0500", "050100", "05010005010009", "04", "0401", "05010004"])
    await exchange(proxyPort, Buffer.from(nonsense, "hex"));
  assert.match(
    (await ask(Buffer.concat([socks5("good.test", server.port), Buffer.from("hello")]))).toString("latin1"),
    /got 5$/,
  );
});

test("each request on a connection is judged by its own host", async (t) => {
  const web = createServer((request, response) => response.end(`for ${request.headers.host} ${request.url}`));
  const port = await listening(t, web);
  const { proxyPort, judged } = await proxiedBroker(t, { verdicts: { "good.test": yes, "evil.test": no } });
  const get = (host: string, path: string, more = "") =>
    `GET http://${host}:${port}${path} HTTP/1.1\r\nHost: good.test\r\n${more}\r\n`;
  const said = await exchange(proxyPort, get("good.test", "/a?b") + get("evil.test", "/c", "Connection: close\r\n"));
  assert.match(said, new RegExp(`for good.test:${port} /a\\?b`));
  assert.match(said, /HTTP\/1.1 403 /);
  assert.doesNotMatch(said, /\/c/);
  assert.deepEqual(judged, [`good.test:${port}`, `evil.test:${port}`]);
});

test("a message with two ends is refused; headers of the connection stay behind", async (t) => {
  const seen: { url: string | undefined; headers: string[]; body: string }[] = [];
  const web = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      seen.push({ url: request.url, headers: request.rawHeaders, body });
      response.setHeader("Keep-Alive", "timeout=99");
      response.end("ok");
    });
  });
  const port = await listening(t, web);
  const { proxyPort } = await proxiedBroker(t, { verdicts: { "good.test": yes } });
  const post = (head: string, body: string) =>
    exchange(proxyPort, `POST http://good.test:${port}/ HTTP/1.1\r\n${head}\r\n\r\n${body}`);

  const hidden = "GET http://good.test/hidden HTTP/1.1\r\n\r\n";
  await post(`Content-Length: 4\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${hidden}`);
  await post(`Content-Length: 4\r\nContent-Length: 5`, "abcde");
  await post(`Transfer-Encoding: xchunked`, `0\r\n\r\n`);
  await post(`Transfer-Encoding : chunked`, `0\r\n\r\n`);
  await post(`Content-Length: +4`, "abcd");
  assert.equal(seen.length, 0);

  const headers =
    "Connection: close, X-Private, Content-Length\r\nX-Private: 1\r\nProxy-Authorization: Basic eA==\r\nX-Kept: 2";
  const said = await post(`${headers}\r\nTransfer-Encoding: chunked`, "3\r\nabc\r\n0\r\n\r\n");
  assert.match(said, /^HTTP\/1.1 200 [^]*ok/);
  assert.doesNotMatch(said, /timeout=99/);
  await post(`${headers}\r\nContent-Length: 3`, "abc");
  assert.deepEqual(
    seen.map(({ body }) => body),
    ["abc", "abc"],
  );
  for (const { headers: sent } of seen) {
    const names = sent.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    assert.deepEqual(new Set(names.filter((name) => /^(x-|proxy)/.test(name))), new Set(["x-kept"]));
    assert.deepEqual(
      names.filter((name) => name === "host" || /^(content-length|transfer-encoding)$/.test(name)).length,
      2,
    );
  }
  await exchange(
    proxyPort,
    `GET http://good.test:${port}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  );
  assert.equal(seen.at(-1)?.body, "abc", "a body where none is usual keeps its frame");
});

test("other forms of a request are refused", async (t) => {
  const { proxyPort, judged } = await proxiedBroker(t, {
    judge: () => Promise.resolve(yes),
    rest: { limits: ordinaryLimits },
  });
  for (const target of [
    "/",
    "*",
    "https://good.test/",
    "ftp://good.test/",
    "http:good.test/",
    "http://",
    "http:///x",
    "http://good.test:0/",
    "http://good.test:99999/",
  ])
    assert.match(
      await exchange(proxyPort, `GET ${target} HTTP/1.1\r\nHost: http:\r\n\r\n`),
      /^(?:HTTP\/1.1 400 |$)/,
      target,
    );
  for (const target of ["good.test", "good.test:", "good.test:x", "good.test:443/x", ":443", "http://good.test:443"])
    assert.match(await exchange(proxyPort, `CONNECT ${target} HTTP/1.1\r\n\r\n`), /^(?:HTTP\/1.1 40\d |$)/, target);
  assert.deepEqual(judged, []);
});
