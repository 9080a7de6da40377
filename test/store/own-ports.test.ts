// The list of ports on which this program listens: complete while it listens, and without those of killed processes.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { announcePort, ownPorts } from "../../src/store/own-ports.ts";

test("a port is listed while somebody listens on it", (t) => {
  const state = mkdtempSync(join(tmpdir(), "sallyport-ports-"));
  t.after(() => rmSync(state, { recursive: true, force: true }));
  assert.deepEqual([...ownPorts(state)], []);
  const withdraw = announcePort(state, 4321);
  announcePort(state, 4322);
  assert.deepEqual(ownPorts(state), new Set([4321, 4322]));
  withdraw();
  assert.deepEqual([...ownPorts(state)], [4322]);
});

test("a port of a process that was killed is not listed, and is swept", (t) => {
  const state = mkdtempSync(join(tmpdir(), "sallyport-ports-"));
  t.after(() => rmSync(state, { recursive: true, force: true }));
  announcePort(state, 4321);
  const [own = ""] = readdirSync(join(state, "ports"));
  const [, started = "", ...rest] = own.slice(own.indexOf("-") + 1).split(".");
  writeFileSync(join(state, "ports", `4323-${[process.pid, Number(started) + 1, ...rest].join(".")}`), "");
  assert.deepEqual([...ownPorts(state)], [4321]);
  assert.deepEqual(readdirSync(join(state, "ports")), [own]);
});
