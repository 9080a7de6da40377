// S12: an argument `__proto__` was dropped without a word over MCP, and so was an agent of that name. Each is refused now,
// at any depth and on every surface; what a program is given as environment has it refused by name, as ever.

import assert from "node:assert/strict";
import { request } from "node:http";
import { test, type TestContext } from "node:test";
import { createRegistry, registerBashTool, registerBuiltinTools } from "../../src/index.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { type HttpServer, mcpUser, startHttp } from "../fixtures/mcp.ts";

/** As JSON text: an object literal would set a prototype instead. */
const cases: readonly [tool: string, args: string][] = [
  ["list_files", '{"__proto__":{"path":"x"}}'],
  ["read_file", '{"path":"a","__proto__":"x"}'],
  ["Bash", '{"script":"true","needs":{"__proto__":{"network":true}}}'],
  ["Bash", '{"script":"true","expect":{"files":[],"__proto__":1}}'],
  ["Bash", '{"script":"true","env":{"__proto__":"x"}}'],
  ["git_push", '{"commitId":"c","target":{"type":"local","path":".","__proto__":{"branch":"b"}}}'],
  ["git_pull", '{"source":{"type":"local","path":".","__proto__":{}},"paths":["a"]}'],
];

test("control: a plain assignment takes it for a prototype, and a list of names does not show it", () => {
  const taken = Object.assign({}, JSON.parse('{"__proto__":{"path":"x"}}')) as { path?: string };
  assert.equal(taken.path, "x");
  assert.deepEqual(Object.keys(taken), []);
});

test("in the library, and with `call`, an argument __proto__ is invalid_args at any depth", async (t) => {
  const directories = makeTestDirectories();
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerBashTool(registry);
  const gate = openGate(directories, { tools: ["*"] }, { registry });
  t.after(() => (gate.close(), directories.remove()));
  for (const [tool, args] of cases) {
    const reply = await gate.call({ tool, args: JSON.parse(args) as unknown });
    assert.ok(!reply.ok, args);
    assert.equal(reply.error, "invalid_args", args);
    assert.match(reply.message, /__proto__/);
  }
  const [[tool, args] = ["", ""]] = cases;
  const { out, err } = mcpUser(t).run(["call", tool, args]);
  assert.match(out + err, /"error":"invalid_args","message":"\\"__proto__\\"/);
});

test("over MCP, 2025 and 2026, it is invalid_args too", async (t) => {
  const server = await startHttp(t, mcpUser(t));
  for (const isModern of [false, true]) {
    const call = await caller(t, server, isModern);
    assert.match(await call("list_files", "{}"), /"ok":true/, "the control");
    for (const [tool, args] of cases) {
      const answer = await call(tool, args);
      assert.match(answer, /"error":"invalid_args"/, `${isModern} ${args} ${answer}`);
      assert.match(answer, /__proto__/);
    }
  }
});

/** By hand: a client's library might drop it as well. */
async function caller(t: TestContext, server: HttpServer, isModern: boolean) {
  const version = isModern ? "2026-07-28" : "2025-06-18";
  const about = { name: "bare", version: "1" };
  let session: Record<string, string> = {};
  const send = (message: string, more: Record<string, string> = {}) => post(server, message, { ...more, ...session });
  if (!isModern) {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: about };
    const { headers } = await send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
    session = { "mcp-session-id": String(headers["mcp-session-id"]), "mcp-protocol-version": version };
    await send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  } else session = { "mcp-protocol-version": version };
  let id = 1;
  t.diagnostic(version);
  return async (tool: string, args: string): Promise<string> => {
    id += 1;
    const meta = isModern
      ? `,"_meta":${JSON.stringify({
          "io.modelcontextprotocol/protocolVersion": version,
          "io.modelcontextprotocol/clientInfo": about,
          "io.modelcontextprotocol/clientCapabilities": {},
        })}`
      : "";
    const message = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${tool}","arguments":${args}${meta}}}`;
    const sent = await send(message, isModern ? { "mcp-method": "tools/call", "mcp-name": tool } : {});
    return sent.body;
  };
}

interface Sent {
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

function post({ port, token }: HttpServer, body: string, more: Record<string, string>): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
      ...more,
    };
    const sent = request({ host: "127.0.0.1", port, path: "/mcp", method: "POST", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ body: text, headers: response.headers }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
