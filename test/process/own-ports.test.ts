// The list of ports on which gates listen: complete while they listen, also those of other processes, and without those of killed ones.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import test from "node:test";
import { announcePort, ownPorts } from "../../src/process/own-ports.ts";

test("a port is listed while somebody listens on it, also if two say so", () => {
  const withdraw = announcePort(64_321);
  const second = announcePort(64_321);
  announcePort(64_322)();
  assert.ok(ownPorts().has(64_321));
  assert.ok(!ownPorts().has(64_322) && !ownPorts().has(6432));
  withdraw();
  assert.ok(ownPorts().has(64_321));
  second();
  assert.ok(!ownPorts().has(64_321));
});

test("a port of another process is listed until it is killed", async (t) => {
  const file = JSON.stringify(join(import.meta.dirname, "../../src/process/own-ports.ts"));
  const code = `import(${file}).then(({ announcePort }) => { announcePort(64323); console.log("announced"); setInterval(() => 0, 1e9); })`;
  const child = spawn(process.execPath, ["--eval", code], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  assert.ok(ownPorts().has(64_323));
  child.kill("SIGKILL");
  await once(child, "close");
  assert.ok(!ownPorts().has(64_323));
});

test("an announced port keeps no process running", async () => {
  const file = JSON.stringify(join(import.meta.dirname, "../../src/process/own-ports.ts"));
  const code = `import(${file}).then(({ announcePort }) => void announcePort(64324))`;
  assert.deepEqual(await once(spawn(process.execPath, ["--eval", code]), "exit"), [0, null]);
});
