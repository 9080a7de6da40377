// A client of a gate with a draft: nothing waits for the draft but the first call, which tells how far it is.

import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { mcpUser, overStdio } from "../fixtures/mcp.ts";

test("a draft begins with the first call, not when a client connects or lists tools, and its progress is told", async (t) => {
  const person = mcpUser(t, "mode: ask, timeout_s: 20", "", "draft");
  writeFileSync(join(person.project, "a.txt"), "a\n");
  const client = await overStdio(t, person, { kind: "2025" });
  const tools = await client.listTools();
  assert.ok(tools.some(({ name }) => name === "Bash"));
  assert.deepEqual(readdirSync(join(person.state, "drafts")), [], "only that one can be mounted was tried");
  const told: string[] = [];
  const onprogress = ({ message = "" }: { message?: string | undefined }) => void told.push(message);
  const called = client.call("Bash", { script: "sleep 0.5; cat a.txt" }, { onprogress });
  assert.equal((await client.listTools()).length, tools.length);
  const { reply } = await called;
  assert.equal(reply.ok ? reply.result["stdout"] : reply.message, "a\n");
  assert.ok(told.includes("1 of 1 files of the project copied"), JSON.stringify(told));
  assert.equal(readdirSync(join(person.state, "drafts")).length, 1);
});
