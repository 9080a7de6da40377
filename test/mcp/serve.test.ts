// MCP beside the page: the same store, another token; and hints that name the page.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { runner } from "../fixtures/cli.ts";
import { kinds, mcpUser, overHttp, overStdio } from "../fixtures/mcp.ts";

test("serve has MCP at /mcp; neither token opens what is the other's; a client of another process is told of the page", async (t) => {
  const person = mcpUser(t, "mode: ask, timeout_s: 1");
  const child = spawn(process.execPath, [runner, "serve", "--port", "0", "--json"], {
    cwd: person.project,
    env: person.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  t.after(async () => {
    child.kill("SIGTERM");
    await gone;
  });
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
  const { url, mcp, token, link, port } = JSON.parse(line) as {
    url: string;
    mcp: string;
    token: string;
    link: string;
    port: number;
  };
  for (const kind of kinds) {
    const client = await overHttp(t, { url: mcp, token, port, process: child }, { kind });
    assert.ok((await client.call("Exec", { argv: ["/bin/true"] })).reply.ok);
  }
  const enter = (given: string) =>
    fetch(`${url}/api/enter`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url },
      body: JSON.stringify({ token: given }),
    });
  assert.equal((await enter(token)).ok, false, "a client's token is no link");
  assert.equal((await fetch(`${url}/api/queue`, { headers: { authorization: `Bearer ${token}` } })).status, 401);
  const entered = await enter(link.slice(link.indexOf("#enter=") + 7));
  assert.ok(entered.ok, "the control");
  const { page } = (await entered.json()) as { page: string };
  assert.equal((await fetch(`${url}/api/queue`, { headers: { authorization: `Bearer ${page}` } })).status, 200);
  const asClient = await fetch(mcp, {
    method: "POST",
    headers: { authorization: `Bearer ${page}`, "content-type": "application/json" },
    body: "{}",
  });
  assert.equal(asClient.status, 401, "the page's token makes no calls");

  const other = await overStdio(t, person, { kind: "2025" });
  const late = await other.call("Bash", { script: "cat /etc/hostname", needs: { read: ["/etc/hostname"] } });
  assert.ok(!late.reply.ok);
  assert.equal(late.reply.error, "approval_timeout");
  assert.match(late.reply.hint ?? "", new RegExp(`${url}/#/q/q-[^]*review q-[^]*the same call`));
});
