// T110: where the page listens for other devices, nobody gets in but devices that the person has paired. Each attack is also tried
// where it works: at the same routes with nothing before them, on loopback, or with the one thing that was missing.

import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import test, { type TestContext } from "node:test";
import { Hono, type MiddlewareHandler } from "hono";
import type { PairingCode } from "../../src/web/api-devices.ts";
import { queueRoutes } from "../../src/web/queue-routes.ts";
import { typedRules } from "../../src/web/typed-rule.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { onOuterPort, type Outer, outerNames, pairBrowser } from "../fixtures/outer-page.ts";
import { onPort, type OnPort, openPage, type TestPage } from "../fixtures/page.ts";

interface Scene {
  /** The first device: a page that entered by a link. */
  readonly page: TestPage;
  readonly outer: Outer;
  readonly loopback: OnPort;
  /** The same routes with nothing before them: whoever asks counts as a page. */
  readonly bare: Outer;
}

async function newScene(t: TestContext): Promise<Scene> {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const gate = openGate(directories);
  t.after(() => gate.close());
  let ports = { outer: () => 0, loopback: () => 7117 };
  const page = openPage(t, gate, {
    outer: { names: outerNames, port: () => ports.outer() },
    mount: (app) => void app.get("/mcp", (c) => c.text("other")),
  });
  const outer = await onOuterPort(t, (port) => {
    ports = { ...ports, outer: port };
    return page.outerApp;
  });
  const asPage: MiddlewareHandler = (c, next) => {
    c.set("asker", { who: "somebody", device: null });
    return next();
  };
  const bare = await onOuterPort(t, () =>
    new Hono().use(asPage).route("/api", queueRoutes(page.context, typedRules("/"))),
  );
  return { page, outer, bare, loopback: await onPort(t, () => page) };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test("a foreign name that leads here reads nothing, even with a device's token (DNS rebinding)", async (t) => {
  const { page, outer, bare } = await newScene(t);
  const { token } = await pairBrowser(page, outer);
  for (const host of [
    "evil.example",
    `evil.example:${outer.port}`,
    `127.0.0.1:${outer.port}`,
    "localhost",
    "localhost:7117",
  ]) {
    const answer = await outer.raw("GET", "/api/queue", { host, ...bearer(token) });
    assert.equal(answer.status, 403, host);
    assert.equal(
      (await bare.raw("GET", "/api/queue", { host })).status,
      200,
      "the control: without the check it is answered",
    );
  }
  for (const name of outerNames) {
    const host = `${name}:${outer.port}`;
    assert.equal((await outer.raw("GET", "/api/queue", { host, ...bearer(token) })).status, 200, "the control");
  }
});

test("another site's page answers nothing, even with a device's token", async (t) => {
  const { page, outer, bare } = await newScene(t);
  const device = await pairBrowser(page, outer);
  const path = "/api/questions/q-1/answer";
  assert.equal((await device.ask("POST", path, {})).status, 400, "the control: it comes as far as the body");
  for (const origin of [
    "https://evil.example",
    `http://localhost:${outer.port}`,
    "https://localhost",
    `https://gate.example:${outer.port}`,
    "http://127.0.0.1:7117",
    `chrome-extension://${"a".repeat(32)}`,
    "null",
  ]) {
    assert.equal((await device.ask("POST", path, {}, { origin })).status, 403, origin);
    const unguarded = await bare.raw("POST", path, { origin, "content-type": "application/json" }, "{}");
    assert.equal(unguarded.status, 400, "the control: without the check it comes as far as the body");
  }
  const named = { origin: `https://gate.example:${outer.port}`, host: `gate.example:${outer.port}` };
  assert.equal(
    (await device.ask("POST", path, {}, named)).status,
    401,
    "the page by its other name, which is another origin",
  );
  assert.equal((await device.ask("GET", "/api/queue", undefined, { "sec-fetch-site": "cross-site" })).status, 403);
});

test("a link opens nothing there, and stays good for its own machine", async (t) => {
  const { page, outer } = await newScene(t);
  const body = JSON.stringify({ token: page.newLink() });
  const own = { origin: outer.origin, "content-type": "application/json" };
  const { status, body: said } = await outer.raw("POST", "/api/enter", own, body);
  assert.equal(status, 401);
  assert.match(said, /This device is not paired/);
  const inner = { ...own, origin: "http://127.0.0.1:7117", host: "127.0.0.1:7117" };
  const entered = await page.app.request("http://127.0.0.1:7117/api/enter", { method: "POST", headers: inner, body });
  assert.equal(entered.status, 200, "the control");
  const { page: token } = (await entered.json()) as { page: string };
  assert.equal((await outer.raw("GET", "/api/queue", bearer(token))).status, 401, "the token of a page on loopback");
  const asked = await page.app.request("http://127.0.0.1:7117/api/queue", {
    headers: { host: inner.host, ...bearer(token) },
  });
  assert.equal(asked.status, 200, "the control");
});

test("the token of a browser elsewhere opens nothing on loopback, and MCP is not there", async (t) => {
  const { page, outer, loopback } = await newScene(t);
  const { token } = await pairBrowser(page, outer);
  const host = "127.0.0.1:7117";
  assert.equal((await loopback.raw("GET", "/api/queue", { host, ...bearer(token) })).status, 401);
  assert.equal((await outer.raw("GET", "/api/queue", bearer(token))).status, 200, "the control");
  assert.equal((await outer.raw("GET", "/mcp", bearer(token))).status, 404);
  assert.equal((await loopback.raw("GET", "/mcp", { host })).status, 200, "the control");
});

test("a code is guessed five times in all, wherever the guesses are sent, and slowly", async (t) => {
  const { page, outer } = await newScene(t);
  const own = { origin: outer.origin, "content-type": "application/json" };
  const guess = async (code: string) =>
    (await outer.raw("POST", "/api/pair", own, JSON.stringify({ code, name: "Thief", kind: "browser" }))).status;
  const atHome = async (code: string) => {
    const headers = {
      host: "127.0.0.1:7117",
      origin: `chrome-extension://${"a".repeat(32)}`,
      "content-type": "application/json",
    };
    const body = JSON.stringify({ code, name: "Thief", kind: "extension" });
    return (await page.app.request("http://127.0.0.1:7117/api/pair", { method: "POST", headers, body })).status;
  };
  const newCode = async () => (await page.post<PairingCode>("/api/devices/code", {})).code;

  const guessed = await newCode();
  for (let tries = 0; tries < 3; tries += 1) assert.equal(await guess("2222-2222"), 401);
  for (let tries = 0; tries < 2; tries += 1) assert.equal(await atHome("2222-2222"), 401);
  assert.equal(await guess(guessed), 401, "the right one, after five");
  const fresh = await newCode();
  for (let tries = 0; tries < 4; tries += 1) assert.equal(await guess("2222-2222"), 401);
  assert.equal(await guess(fresh), 200, "the control: after four it is right");

  const statuses = await Promise.all(Array.from({ length: 24 }, () => guess("2222-2222")));
  assert.ok(statuses.includes(429), "many at once are not even delayed");
  assert.ok(statuses.every((status) => status === 401 || status === 429));
});

test("a stolen token ends with the device, and so does its open stream", async (t) => {
  const { page, outer } = await newScene(t);
  const device = await pairBrowser(page, outer);
  assert.equal((await device.ask("GET", "/api/queue")).status, 200, "the control");
  const begun = Promise.withResolvers<void>();
  const stream = outer.raw("GET", "/api/events", bearer(device.token), undefined, begun.resolve);
  await begun.promise;
  assert.equal((await page.ask("DELETE", `/api/devices/${device.id}`)).status, 204);
  assert.match((await stream).body, /^event: state/, "it was open, and has ended");
  for (const [method, path] of [
    ["GET", "/api/queue"],
    ["GET", "/api/events"],
    ["POST", "/api/questions/q-1/answer"],
  ] as const)
    assert.equal((await device.ask(method, path, method === "POST" ? {} : undefined)).status, 401, path);
});

test("a request that was begun before its device was revoked, and ends after it, does nothing", async (t) => {
  const { page, outer } = await newScene(t);
  const device = await pairBrowser(page, outer);
  const begin = () => {
    const headers = {
      host: `localhost:${outer.port}`,
      origin: outer.origin,
      ...bearer(device.token),
      "content-type": "application/json",
      "content-length": 2,
    };
    const request = httpsRequest({
      host: "127.0.0.1",
      port: outer.port,
      method: "POST",
      path: "/api/questions/q-1/answer",
      headers,
      agent: false,
      rejectUnauthorized: false,
    });
    const status = new Promise<number>((resolve, reject) => {
      request.once("error", reject);
      request.once("response", (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
    });
    // What was let in has passed the check before the body is read.
    const isBegun = new Promise<void>((resolve) => request.write("{", () => resolve()));
    return { status, isBegun, end: () => request.end("}") };
  };
  const first = begin();
  await first.isBegun;
  first.end();
  assert.equal(await first.status, 400, "the control: it comes as far as the body");
  const late = begin();
  await late.isBegun;
  assert.equal((await device.ask("GET", "/api/queue")).status, 200, "the server has the head of the earlier request");
  assert.equal((await page.ask("DELETE", `/api/devices/${device.id}`)).status, 204);
  late.end();
  assert.equal(await late.status, 401);
});

test("nothing is said without TLS", async (t) => {
  const { outer, loopback } = await newScene(t);
  const plain = (port: number) =>
    new Promise<number>((resolve, reject) => {
      httpRequest(
        { host: "127.0.0.1", port, path: "/", headers: { host: `127.0.0.1:${port}` }, agent: false },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      )
        .on("error", reject)
        .end();
    });
  await assert.rejects(plain(outer.port));
  assert.equal(await plain(loopback.port), 403, "the control: an answer");
});

test("only the empty page is for everybody", async (t) => {
  const { page, outer } = await newScene(t);
  assert.match((await outer.raw("GET", "/")).body, /<title>Sallyport/);
  const routes = page.outerApp.routes.filter(({ method, path }) => method !== "ALL" && path.startsWith("/api/"));
  assert.ok(routes.length > 20);
  const isPairing = (path: string) => path === "/api/pair" || path === "/api/pair/claim";
  for (const { method, path } of routes) {
    const own = { origin: outer.origin, "content-type": "application/json" };
    const { status } = await outer.raw(
      method,
      path.replaceAll(/:\w+/g, "x"),
      own,
      method === "POST" ? "{}" : undefined,
    );
    assert.equal(status, isPairing(path) ? 400 : 401, `${method} ${path}`);
  }
});
