// Fifty clients of every kind at one server, all at once: each gets its own replies and sees its own workspace alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExecutionResult } from "../../src/index.ts";
import { type Kind, kinds, mcpUser, overHttp, startHttp, type TestClient } from "../fixtures/mcp.ts";

const CLIENTS = 50;

async function printed(client: TestClient, said: string): Promise<string> {
  const { reply, text } = await client.call("Exec", { argv: ["/bin/echo", said] }, { timeout: 150_000 });
  assert.ok(reply.ok, text);
  return (reply.result as ExecutionResult).stdout;
}

test(`${CLIENTS} clients at once over HTTP: no reply is lost, none is another's, and no workspace is shared`, async (t) => {
  const server = await startHttp(t, mcpUser(t));
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, (_, index) =>
      overHttp(t, server, { kind: kinds[index % kinds.length] as Kind, name: `client-${index}` }),
    ),
  );
  const mine = { path: "/workspace/mine" };
  await Promise.all(
    clients.map(async (client, index) => {
      const said = (call: number) => `client ${index} call ${call}`;
      // Of one client at once, too.
      const [wrote, one, two] = await Promise.all([
        client.call("write_file", { ...mine, content: said(0) }, { timeout: 150_000 }),
        printed(client, said(1)),
        printed(client, said(2)),
      ]);
      assert.ok(wrote.reply.ok, wrote.text);
      assert.deepEqual([one, two], [`${said(1)}\n`, `${said(2)}\n`]);
    }),
  );
  // After all of them have written.
  const read = await Promise.all(clients.map((client) => client.call("read_file", mine, { timeout: 150_000 })));
  for (const [index, { reply, text }] of read.entries()) {
    assert.ok(reply.ok, text);
    assert.equal((reply.result as { content: string }).content, `client ${index} call 0`);
  }
});
