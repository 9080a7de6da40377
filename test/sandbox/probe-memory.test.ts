// What is remembered about the machine between processes: only success, only for the same machine, until a box fails.

import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import test, { type TestContext } from "node:test";
import { createProbeMemory } from "../../src/sandbox/probe-memory.ts";
import { probe } from "../../src/sandbox/probe.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { bash } from "../fixtures/run.ts";

const skip = probe().overlay ? false : "no overlay can be mounted on this machine";

function newDirectory(t: TestContext): string {
  // Not in /tmp: the trial puts something else there, and a bubblewrap of ours would be gone.
  const directory = mkdtempSync("/var/tmp/sallyport-probe-");
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test("what was tried once is known to the next process, and is the same", { skip }, (t) => {
  const memory = createProbeMemory(newDirectory(t));
  const first = probe({ memory });
  const known = memory.recall(first.bubblewrap?.path ?? "");
  assert.deepEqual(known, {
    version: first.bubblewrap?.version,
    bindsDescriptors: first.bubblewrap?.bindsDescriptors,
    overlay: true,
  });
  assert.deepEqual(probe({ memory }), first);
});

test("another bubblewrap, a changed one, or a spoilt file: nothing is known", { skip }, (t) => {
  const directory = newDirectory(t);
  const memory = createProbeMemory(directory);
  const path = probe().bubblewrap?.path ?? "";
  const own = `${directory}/bwrap`;
  copyFileSync(path, own);
  probe({ memory, bubblewrap: [own] });
  assert.notEqual(memory.recall(own), null, "control: it is known");
  assert.equal(memory.recall(path), null);
  utimesSync(own, 1, 1);
  assert.equal(memory.recall(own), null);
  const file = `${directory}/probe.json`;
  const text = readFileSync(file, "utf8");
  for (const spoilt of ["", "null", "{}", text.slice(0, -2), text.replace('"overlay":true', '"overlay":1')]) {
    writeFileSync(file, spoilt);
    assert.equal(memory.recall(own), null, spoilt);
  }
});

test("that no box can be built is not remembered", (t) => {
  const directory = newDirectory(t);
  probe({ memory: createProbeMemory(directory), bubblewrap: [] });
  assert.equal(existsSync(`${directory}/probe.json`), false);
});

test("a box that fails is refused, and the next gate tries everything again", { skip }, async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const file = `${directories.state}/probe.json`;
  const gate = openGate(directories);
  t.after(() => gate.close());
  assert.equal((await bash(gate, "echo it runs")).stdout, "it runs\n");
  assert.ok(existsSync(file));
  // Whatever the reason is; here the box's first process is no program any more.
  for (const init of globSync(`${directories.state}/box/init-*`)) {
    rmSync(init);
    writeFileSync(init, "", { mode: 0o444 });
  }
  const reply = await gate.call({ tool: "Exec", args: { argv: ["/bin/true"] } });
  assert.equal(reply.ok ? "" : reply.error, "sandbox_unavailable");
  assert.equal(existsSync(file), false);
});
