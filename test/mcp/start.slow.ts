// How late the built command answers its client first, against the least that the MCP library makes of a server. Both
// take turns in one run, and only the ratio counts; `npm run bench -- mcp` says it more exactly.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { type Candidate, ratioOf, sample } from "../../bench/measure.ts";
import { openStdio } from "../../bench/mcp-stdio.ts";
import { mcpUser } from "../fixtures/mcp.ts";

const root = join(import.meta.dirname, "../..");

test("sallyport mcp answers initialize at most twice as late as a bare server", async (t) => {
  const person = mcpUser(t);
  const open: (() => Promise<void>)[] = [];
  const closeLast = async () => await open.pop()?.();
  t.after(closeLast);
  const candidate = (name: string, words: readonly string[]): Candidate => ({
    name,
    prepare: closeLast,
    run: async () => void open.push((await openStdio(words, { cwd: person.project, environment: person.env })).close),
  });
  const rows = await sample(
    [
      candidate("bare", [join(root, "bench/bare-mcp-server.js")]),
      candidate("ours", [join(root, "bin/sallyport.js"), "mcp"]),
    ],
    { rounds: 25, warmUpRounds: 2, budgetMs: 60_000 },
  );
  const ratio = ratioOf(rows, "ours", "bare");
  assert.ok(ratio <= 2, `${ratio.toFixed(2)} × as late`);
});
