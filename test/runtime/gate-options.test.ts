// What a program that opens a gate can get wrong: an option that does not exist, and a call after the end.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createGate, createRegistry, GateError, type GateOptions, registerExecTool } from "../../src/index.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";

test("an unknown option is refused, with the one that was meant", () => {
  const registry = createRegistry();
  registerExecTool(registry);
  const open = (more: object) => () => createGate({ registry, ...more } as GateOptions);
  const says = (text: string) => (error: unknown) => error instanceof GateError && error.message.includes(text);
  assert.throws(open({ projct: "/tmp" }), says("projct: createGate has no such option. Did you mean project?"));
  assert.throws(open({ unheardOf: 1 }), says("There are registry, "));
});

test("a call or a plan after close() is refused with the reason, and close() can be called twice", async () => {
  const directories = makeTestDirectories();
  try {
    const gate = openGate(directories);
    const request = { tool: "Exec", args: { argv: ["/usr/bin/true"] } };
    assert.equal((await gate.call(request)).ok, true, "the control");
    gate.close();
    gate.close();
    await gate.closed;
    const reply = await gate.call(request);
    assert.deepEqual([reply.ok, !reply.ok && reply.error], [false, "tool_failed"]);
    assert.match(reply.ok ? "" : `${reply.message} ${reply.hint}`, /^The gate is closed\..*createGate\(\)/);
    assert.equal((await gate.plan(request)).ok, false);
  } finally {
    directories.remove();
  }
});
