// MCP over HTTP: who may speak to it at all, and whose session a request belongs to.

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Server } from "@modelcontextprotocol/server";
import { createMcpRoutes } from "../../src/mcp/http.ts";
import { type HttpServer, kinds, mcpUser, overHttp, protocols, startHttp } from "../fixtures/mcp.ts";
import { isFull } from "../fixtures/runs.ts";

const hasLoopback6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));
const noLoopback6 = hasLoopback6 ? false : "this machine has no ::1";

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bare", version: "1" } },
};

interface Sent {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** By hand: `fetch` sets Host and Origin itself. */
function send(
  port: number,
  headers: Record<string, string>,
  body: string | null = JSON.stringify(initialize),
  method = "POST",
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path: "/mcp",
        method,
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }));
      },
    );
    sent.on("error", reject);
    sent.end(body ?? undefined);
  });
}

// SECURITY(T32): each is refused for one thing alone, and the control passes.
test("a wrong Host, a foreign Origin, no token, a wrong token: each is refused before anything is read", async (t) => {
  const person = mcpUser(t);
  const { port, token } = await startHttp(t, person);
  const authorization = `Bearer ${token}`;
  const own = `127.0.0.1:${port}`;
  assert.equal((await send(port, { host: own, authorization })).status, 200, "the control");
  assert.equal((await send(port, { host: own, authorization, origin: `http://${own}` })).status, 200, "its own page");
  assert.equal((await send(port, { host: `localhost:${port}`, authorization })).status, 200);
  assert.equal(
    (await send(port, { host: `evil.example:${port}`, authorization })).status,
    403,
    "a name that was bound to 127.0.0.1",
  );
  assert.equal((await send(port, { host: own, authorization, origin: "https://evil.example" })).status, 403);
  assert.equal((await send(port, { host: own, authorization, origin: "null" })).status, 403);
  const without = await send(port, { host: own });
  assert.equal(without.status, 401);
  assert.equal(without.headers["www-authenticate"], "Bearer");
  assert.equal((await send(port, { host: own, authorization: `Bearer ${token.slice(0, -1)}x` })).status, 401);
  assert.equal((await send(port, { host: own, authorization: token })).status, 401);
});

test("the token is made once, and is its owner's alone", async (t) => {
  const person = mcpUser(t);
  const one = await startHttp(t, person);
  const other = await startHttp(t, person);
  assert.equal(one.token, other.token);
  const path = join(person.state, "client-token-default");
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(readFileSync(path, "utf8").trim(), one.token);
});

test("what is too large, is not JSON, or names a session that is gone is refused in words", async (t) => {
  const person = mcpUser(t);
  const { port, token } = await startHttp(t, person);
  const headers = { host: `127.0.0.1:${port}`, authorization: `Bearer ${token}` };
  assert.equal((await send(port, headers, "x".repeat(13 * 1024 * 1024))).status, 413);
  assert.ok((await send(port, headers, "{")).status >= 400);
  assert.equal((await send(port, { ...headers, "content-type": "text/plain" })).status, 415);
  const gone = await send(port, { ...headers, "mcp-session-id": "not-there" });
  assert.equal(gone.status, 404);
  assert.match(gone.body, /Begin a new one/);
  assert.equal((await send(port, headers)).status, 200, "and it still answers");
});

test("a session ends when its client says so; its id is worth nothing then", async (t) => {
  const person = mcpUser(t);
  const { port, token } = await startHttp(t, person);
  const headers = { host: `127.0.0.1:${port}`, authorization: `Bearer ${token}` };
  const begun = await send(port, headers);
  const id = String(begun.headers["mcp-session-id"]);
  assert.match(id, /^[\da-f-]{36}$/);
  assert.equal((await send(port, { ...headers, "mcp-session-id": id }, null, "DELETE")).status, 200);
  assert.equal(
    (
      await send(
        port,
        { ...headers, "mcp-session-id": id },
        JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" }),
      )
    ).status,
    404,
  );
});

for (const kind of isFull ? kinds : protocols)
  test(`${kind}: two clients have two workspaces`, async (t) => {
    const server = await startHttp(t, mcpUser(t));
    const one = await overHttp(t, server, { kind, name: "one" });
    const other = await overHttp(t, server, { kind, name: "other" });
    await one.call("write_file", { path: "/workspace/mine", content: "1" });
    const seen = await other.call("read_file", { path: "/workspace/mine" });
    assert.ok(!seen.reply.ok && seen.reply.error === "not_found");
    assert.ok((await one.call("read_file", { path: "/workspace/mine" })).reply.ok);
  });

test("a client without a connection names its session in the address", async (t) => {
  const server = await startHttp(t, mcpUser(t));
  const at = (session: string) => ({ ...server, url: `${server.url}?session=${session}` });
  const one = await overHttp(t, at("work"), { kind: "2026", name: "one" });
  const same = await overHttp(t, at("work"), { kind: "2026", name: "two" });
  const other = await overHttp(t, at("play"), { kind: "2026", name: "one" });
  await one.call("write_file", { path: "/workspace/mine", content: "1" });
  assert.ok((await same.call("read_file", { path: "/workspace/mine" })).reply.ok);
  assert.ok(!(await other.call("read_file", { path: "/workspace/mine" })).reply.ok);
  const odd = await overHttp(t, at("..%2F..%2Fetc"), { kind: "2026" });
  await assert.rejects(odd.call("read_file", { path: "/workspace/mine" }), /session/);
});

test("it listens on this machine alone unless told, and says when a port is taken", async (t) => {
  const person = mcpUser(t);
  const { port } = await startHttp(t, person);
  const taken = person.run(["mcp", "--http", String(port)]);
  assert.equal(taken.code, 2);
  assert.match(taken.err, /is taken/);
  assert.equal(person.run(["mcp", "--http", "x"]).code, 2);
  assert.equal(person.run(["mcp", "--host", "0.0.0.0"]).code, 2, "--host without --http");
  await assert.rejects(
    new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.2", port, path: "/mcp" }, resolve);
      sent.on("error", reject);
      sent.end();
    }),
    /ECONNREFUSED/,
  );
});

// SECURITY(T32): a narrow agent's client is not let in as a wider one, nor into its sessions.
test("each agent has its own token and its own names for sessions", async (t) => {
  const person = mcpUser(t);
  const wide = await startHttp(t, person);
  const narrow = await startHttp(t, person, ["--agent", "reader"]);
  assert.notEqual(wide.token, narrow.token);
  const at = (server: HttpServer) => ({ ...server, url: `${server.url}?session=work` });
  const owner = await overHttp(t, at(wide), { kind: "2026" });
  await owner.call("write_file", { path: "/workspace/secret", content: "1" });
  assert.ok((await owner.call("read_file", { path: "/workspace/secret" })).reply.ok, "the control");
  const reader = await overHttp(t, at(narrow), { kind: "2026" });
  const seen = await reader.call("read_file", { path: "/workspace/secret" });
  assert.ok(!seen.reply.ok && seen.reply.error === "not_found");
  await assert.rejects(overHttp(t, { ...at(wide), token: narrow.token }, { kind: "2026" }));
});

// SECURITY(T33): `localhost` can mean ::1, and a program in a box with the network could stand there.
test("both addresses of loopback are ours while it runs", { skip: noLoopback6 }, async (t) => {
  const { port } = await startHttp(t, mcpUser(t));
  const taken = (at: number) =>
    new Promise<string>((resolve) => {
      const other = createServer();
      other.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
      other.listen({ host: "::1", port: at }, () => other.close(() => resolve("free")));
    });
  assert.equal(await taken(port), "EADDRINUSE");
  assert.equal(await taken(0), "free", "the control");
});

test("a client that has gone makes room for another, one whose call runs does not", async (t) => {
  const connected: { closed: boolean; busy: boolean }[] = [];
  const routes = createMcpRoutes({
    token: "t".repeat(32),
    hosts: ["localhost"],
    connect() {
      const one = { closed: false, busy: connected.length === 0 };
      connected.push(one);
      const server = new Server({ name: "test", version: "1" }, { capabilities: {} });
      return { server, isBusy: () => one.busy, close: () => void (one.closed = true) };
    },
  });
  t.after(() => routes.close());
  const begin = async () =>
    await routes.app.request("http://localhost/mcp", {
      method: "POST",
      headers: {
        host: "localhost",
        authorization: `Bearer ${"t".repeat(32)}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(initialize),
    });
  for (let count = 0; count < 256; count += 1) assert.equal((await begin()).status, 200);
  assert.ok(connected.every(({ closed }) => !closed));
  assert.equal((await begin()).status, 200);
  assert.deepEqual(
    connected.slice(0, 3).map(({ closed }) => closed),
    [false, true, false],
    "the one that was silent longest, and idle",
  );
  await routes.close();
  assert.equal((await begin()).status, 503, "a server that ends takes nobody in");
  assert.equal(connected.length, 257);
});

test("--allow-host takes a name in any case, and says what is none", async (t) => {
  const person = mcpUser(t);
  const { port, token } = await startHttp(t, person, ["--allow-host", "Gate.Example"]);
  const authorization = `Bearer ${token}`;
  assert.equal((await send(port, { host: `gate.example:${port}`, authorization })).status, 200);
  assert.equal((await send(port, { host: `other.example:${port}`, authorization })).status, 403);
  assert.equal(person.run(["mcp", "--http", "0", "--allow-host", "gate.example:80"]).code, 2);
});
