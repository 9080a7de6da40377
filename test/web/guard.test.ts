// What a request must be, and what every answer carries. Each refusal stands beside the request that passes.

import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { enter, type Headers, openPage, origin, send, type TestPage } from "../fixtures/page.ts";
import type { PageContext } from "../../src/web/page-context.ts";

function newPage(t: TestContext, more: Partial<PageContext> = {}): TestPage {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const gate = openGate(directories);
  t.after(() => gate.close());
  return openPage(t, gate, more);
}

const hosts: readonly (readonly [host: string | null, isOurs: boolean])[] = [
  ["127.0.0.1:7117", true],
  ["localhost:7117", true],
  ["[::1]:7117", true],
  ["127.0.0.1", false],
  ["127.0.0.1:7118", false],
  ["localhost:80", false],
  ["evil.example:7117", false],
  ["127.0.0.1:7117.evil.example", false],
  ["127.0.0.1.evil.example:7117", false],
  ["0.0.0.0:7117", false],
  ["", false],
  [null, false],
];

test("only a name of this machine, with the port, is answered", async (t) => {
  const page = newPage(t);
  for (const [host, isOurs] of hosts)
    for (const path of ["/", "/api/queue"]) {
      const response = await page.ask("GET", path, undefined, { host });
      assert.equal(response.status, isOurs ? 200 : 403, `${host} ${path}`);
    }
});

const origins: readonly (readonly [method: string, headers: Headers, passes: boolean])[] = [
  ["POST", {}, true],
  ["POST", { host: "localhost:7117", origin: "http://localhost:7117" }, true],
  ["POST", { origin: null }, false],
  ["POST", { origin: "null" }, false],
  ["POST", { origin: "http://localhost:7117" }, false],
  ["POST", { origin: "https://127.0.0.1:7117" }, false],
  ["POST", { origin: "http://127.0.0.1:3000" }, false],
  ["POST", { origin: "http://evil.example" }, false],
  ["POST", { "sec-fetch-site": "cross-site" }, false],
  ["POST", { "sec-fetch-site": "same-site" }, false],
  ["POST", { "sec-fetch-site": null }, true],
  ["GET", {}, true],
  ["GET", { origin: "http://evil.example" }, false],
  ["GET", { "sec-fetch-site": "cross-site" }, false],
  ["GET", { "sec-fetch-site": "same-site" }, false],
  ["GET", { "sec-fetch-site": "none" }, true],
];

for (const [method, headers, passes] of origins)
  test(`${method} with ${JSON.stringify(headers)} ${passes ? "passes" : "is refused"}`, async (t) => {
    const page = newPage(t);
    const token = page.newLink();
    const response =
      method === "POST"
        ? await send(page, "POST", "/api/enter", { token }, headers)
        : await page.ask("GET", "/api/queue", undefined, headers);
    assert.equal(response.status, passes ? 200 : 403);
    if (method === "POST" && !passes)
      assert.equal((await send(page, "POST", "/api/enter", { token })).status, 200, "the link is not used up by it");
  });

test("DELETE needs an origin as POST does", async (t) => {
  const page = newPage(t);
  assert.equal(
    (await page.refused(403, "DELETE", "/api/remembered/project/r-1", undefined, { origin: null })).error,
    "forbidden",
  );
  assert.equal((await page.refused(404, "DELETE", "/api/remembered/project/r-1")).error, "not_found");
});

test("a link to the page may be followed on another site; it shows the empty page alone", async (t) => {
  const page = newPage(t);
  const followed = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  assert.equal((await send(page, "GET", "/", undefined, followed)).status, 200);
  assert.equal((await page.ask("GET", "/api/queue", undefined, followed)).status, 403);
  assert.equal((await send(page, "GET", "/", undefined, { ...followed, "sec-fetch-dest": "iframe" })).status, 403);
});

test("POST is JSON, and short", async (t) => {
  const page = newPage(t);
  const token = page.newLink();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", null]) {
    const response = await send(page, "POST", "/api/enter", { token }, { "content-type": type });
    assert.equal(response.status, 415, String(type));
  }
  const long = JSON.stringify({ token: "x".repeat(64 * 1024) });
  assert.equal((await send(page, "POST", "/api/enter", long)).status, 413);
  assert.equal((await send(page, "POST", "/api/enter", "{")).status, 400);
  assert.equal((await send(page, "POST", "/api/enter", { token, more: 1 })).status, 400);
  const typed = { "content-type": "application/json; charset=utf-8" };
  assert.equal((await send(page, "POST", "/api/enter", { token }, typed)).status, 200, "the control");
});

test("every answer carries the policy and the rest, whatever it says", async (t) => {
  const page = newPage(t, { machine: async () => assert.fail("broken") });
  const token = await enter(page);
  const authorization = `Bearer ${token}`;
  const answers: readonly (readonly [Response, status: number])[] = [
    [await send(page, "GET", "/"), 200],
    [await send(page, "GET", "/nothing.js"), 404],
    [await send(page, "GET", "/", undefined, { host: "evil.example" }), 403],
    [await send(page, "GET", "/api/queue"), 401],
    [await send(page, "GET", "/api/queue", undefined, { authorization }), 200],
    [await send(page, "GET", "/api/nothing", undefined, { authorization }), 404],
    [await send(page, "PUT", "/api/queue", "{}", { authorization }), 404],
    [await send(page, "GET", "/api/machine", undefined, { authorization }), 500],
    [await send(page, "POST", "/api/enter", "x".repeat(70_000)), 413],
  ];
  for (const [{ headers, status }, expected] of answers) {
    assert.equal(status, expected);
    assert.equal(
      headers.get("content-security-policy"),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    assert.deepEqual(
      [
        "x-content-type-options",
        "referrer-policy",
        "cross-origin-opener-policy",
        "cross-origin-resource-policy",
        "x-frame-options",
        "cache-control",
      ].map((name) => headers.get(name)),
      ["nosniff", "no-referrer", "same-origin", "same-origin", "DENY", "no-store"],
    );
    assert.equal(headers.get("access-control-allow-origin"), null);
    assert.equal(headers.get("set-cookie"), null);
  }
});

test("a fault of ours says nothing of itself to the page, and is told where the server runs", async (t) => {
  const page = newPage(t, { machine: async () => assert.fail("secret place /x/y.ts:12") });
  const response = await page.ask("GET", "/api/machine");
  const text = await response.text();
  assert.equal(response.status, 500);
  assert.deepEqual(Object.keys(JSON.parse(text) as object), ["error", "message"]);
  assert.doesNotMatch(text, /secret|\.ts|at /);
  assert.match(String(page.faults[0]), /secret place/);
});

test("the page's files: their types, how long they are kept, and nothing outside", async (t) => {
  const page = newPage(t);
  const files = {
    "assets/main-Ab3_-xY9.js": "1;",
    "assets/style-00000000.css": "a{}",
    "icon.svg": "<svg/>",
    "assets/plain.js": "2;",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(page.pageDirectory, name), text);
  const secret = join(page.pageDirectory, "../secret.txt");
  writeFileSync(secret, "secret");
  writeFileSync(join(page.pageDirectory, ".hidden.txt"), "secret");
  writeFileSync(join(page.pageDirectory, "own.txt"), "own");
  symlinkSync(secret, join(page.pageDirectory, "link.txt"));
  symlinkSync(join(page.pageDirectory, "own.txt"), join(page.pageDirectory, "own-link.txt"));
  mkdirSync(join(page.pageDirectory, "folder.js"));
  const immutable = "public, max-age=31536000, immutable";
  for (const [path, type, kept] of [
    ["/", "text/html; charset=utf-8", "no-store"],
    ["/index.html", "text/html; charset=utf-8", "no-store"],
    ["/assets/main-Ab3_-xY9.js", "text/javascript; charset=utf-8", immutable],
    ["/assets/style-00000000.css", "text/css; charset=utf-8", immutable],
    ["/assets/plain.js", "text/javascript; charset=utf-8", "no-store"],
    ["/icon.svg", "image/svg+xml", "no-store"],
    ["/own-link.txt", "text/plain; charset=utf-8", "no-store"],
  ] as const) {
    const { status, headers } = await send(page, "GET", path);
    assert.deepEqual([status, headers.get("content-type"), headers.get("cache-control")], [200, type, kept], path);
  }
  for (const path of [
    "/link.txt",
    "/.hidden.txt",
    "/../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/assets/..%2f..%2fsecret.txt",
    "/assets//..%5c..%5csecret.txt",
    "/folder.js",
    "/assets",
    "/own.txt%00.js",
    "//etc/passwd",
  ]) {
    const response = await send(page, "GET", path);
    assert.equal(response.status, 404, path);
    assert.doesNotMatch(await response.text(), /secret/);
  }
});

test("a page that is not built says so", async (t) => {
  const page = newPage(t, { pageDirectory: "/nonexistent" });
  const response = await send(page, "GET", "/");
  assert.equal(response.status, 503);
  assert.match(await response.text(), /npm run build/);
});

test("routes that are mounted stand behind the checks of Host and Origin, not behind the page's token", async (t) => {
  const page = newPage(t, { mount: (app) => void app.all("/mcp", (c) => c.text("other")) });
  assert.equal(await (await send(page, "POST", "/mcp", "{}", { origin: null })).text(), "other");
  assert.equal((await send(page, "POST", "/mcp", "{}", { origin: "http://evil.example" })).status, 403);
  assert.equal((await send(page, "POST", "/mcp", "{}", { host: "evil.example" })).status, 403);
  assert.equal(origin, "http://127.0.0.1:7117");
});
