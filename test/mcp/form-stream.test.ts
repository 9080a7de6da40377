// A client over HTTP that opens no stream beside its calls: a form comes on the stream of the call that asks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mcpUser, startHttp } from "../fixtures/mcp.ts";

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly result?: { readonly isError?: boolean };
}

/** The messages of an event stream, as they come. */
async function* messagesOf(response: Response): AsyncGenerator<Message> {
  let rest = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice("data: ".length)) as Message;
  }
}

test("a 2025 client without a stream of its own is shown the form, and its answer goes on with the call", async (t) => {
  const { url, token } = await startHttp(t, mcpUser(t, "mode: ask, timeout_s: 20, trust_client: true"));
  const headers = new Headers({
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  });
  const post = async (message: object): Promise<Response> => {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    assert.ok(response.ok, `${response.status}`);
    return response;
  };
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: { elicitation: {} },
    clientInfo: { name: "plain", version: "1" },
  };
  const begun = await post({ id: 1, method: "initialize", params });
  await begun.text();
  headers.set("mcp-session-id", begun.headers.get("mcp-session-id") ?? "");
  await post({ method: "notifications/initialized" });

  const asking = { script: "cat /etc/hostname", needs: { read: ["/etc/hostname"] } };
  const called = await post({ id: 2, method: "tools/call", params: { name: "Bash", arguments: asking } });
  const seen: string[] = [];
  for await (const { id, method, result } of messagesOf(called)) {
    seen.push(method ?? `result ${id}`);
    if (method === "elicitation/create")
      await post({ id, result: { action: "accept", content: { decision: "once" } } });
    if (id === 2) assert.ok(result?.isError !== true, JSON.stringify(result));
  }
  assert.deepEqual(seen, ["elicitation/create", "result 2"]);
});
