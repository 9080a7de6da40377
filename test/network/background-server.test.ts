// A server in the background and its client, within one call: the box's own localhost, whatever is granted.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import type { Reply } from "../../src/index.ts";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { openScriptGate } from "../fixtures/script-gate.ts";

const directories = makeTestDirectories();
test.after(() => directories.remove());

/** On the machine, at the same port: the box must not reach it. */
const machine = createServer((_, response) => response.end("the machine's"));
await new Promise<void>((resolve) => machine.listen(0, "127.0.0.1", resolve));
test.after(() => machine.close());
const { port } = machine.address() as { port: number };

const script = (at: string): string => `cat > server.js <<'END'
require("node:http").createServer((q, r) => r.end("inside " + q.url)).listen(${port}, ${at}, () => console.log("up"));
END
${process.execPath} server.js > log 2>&1 & until test -s log; do sleep 0.05; done; cat log
curl -sS --max-time 20 http://localhost:${port}/one; curl -sS --max-time 20 http://127.0.0.1:${port}/two`;

const everywhere = "undefined";
const cases: readonly { readonly network: readonly string[]; readonly at: string }[] = [
  { network: [], at: everywhere },
  { network: ["web.test:443"], at: everywhere },
  { network: [`web.test:${port}`], at: '"127.0.0.1"' },
];
const paths = [{ path: process.execPath, mode: "r" as const }];
const memoryPaths = [{ path: "/usr", mode: "r" as const }, ...paths];

function output(reply: Reply): string {
  assert.ok(reply.ok, JSON.stringify(reply));
  return `${String(reply.result["stdout"])}${String(reply.result["stderr"])}`;
}

test("in memory", async (t) => {
  for (const { network, at } of cases) {
    const gate = openScriptGate(
      directories,
      { network, paths: memoryPaths },
      { session: `memory-${network.length}-${at}` },
    );
    t.after(() => gate.close());
    assert.equal(output(await gate.bash(script(at))), "up\ninside /oneinside /two", network.join());
  }
});

test("in a draft", async (t) => {
  for (const { network, at } of cases) {
    const gate = openDraft(t, makeProject(t, { "a.txt": "a\n" }), { network, paths });
    assert.equal(await gate.bash(script(at)), "up\ninside /oneinside /two", network.join());
  }
});

test("a server at every address cannot have a port of a host that is granted: documented", async (t) => {
  const gate = openDraft(t, makeProject(t, { "a.txt": "a\n" }), { network: [`web.test:${port}`], paths });
  assert.match(output(await gate.reply("Bash", { script: script(everywhere) })), /EADDRINUSE/);
});

test("the control: outside the box, that port is the machine's", async () => {
  const response = await fetch(`http://127.0.0.1:${port}/`);
  assert.equal(await response.text(), "the machine's");
});
