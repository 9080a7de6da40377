// Whether a process that left its mark on a file may still use it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { markOfThisProcess, mayBeAlive, mayBeAtWork } from "../../src/process/process-mark.ts";

const own = markOfThisProcess();
const [pid = "", started = "", namespace = "", boot = ""] = own.split(".");
const ended = String(spawnSync("/bin/true").pid);

test("a running process may be alive, also by the id alone that earlier versions wrote", () => {
  assert.equal(mayBeAlive(own), true);
  assert.equal(mayBeAlive(pid), true);
});

test("one that has ended is not, nor another that has its id now, nor one of before the machine's start", () => {
  assert.equal(mayBeAlive(ended), false);
  assert.equal(mayBeAlive([ended, started, namespace, boot].join(".")), false);
  assert.equal(mayBeAlive([pid, `${started}1`, namespace, boot].join(".")), false);
  assert.equal(mayBeAlive([pid, started, namespace, "00000000"].join(".")), false);
});

test("of a process in another pid namespace nobody knows", () =>
  assert.equal(mayBeAlive([ended, started, `${namespace}1`, boot].join(".")), true));

test("work that ends by itself is not under way for ever in another pid namespace; in this one the process decides", () => {
  const elsewhere = [ended, started, `${namespace}1`, boot].join(".");
  const begun = (agoMs: number) => ({ sinceMs: Date.now() - agoMs, mostMs: 60_000 });
  assert.equal(mayBeAtWork(elsewhere, begun(0)), true);
  assert.equal(mayBeAtWork(elsewhere, begun(120_000)), false);
  assert.equal(mayBeAtWork(own, begun(120_000)), true);
  assert.deepEqual([mayBeAtWork(pid, begun(0)), mayBeAtWork(pid, begun(120_000))], [true, false]);
  assert.equal(mayBeAtWork([ended, started, namespace, boot].join("."), begun(0)), false);
});
