// T02: nothing starts without a grant that approval/grant.ts made for exactly this action.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import test from "node:test";
import type { Action } from "../../src/action/action.ts";
import { directoryInBox } from "../../src/sandbox/box-workspace.ts";
import { sealAction } from "../../src/action/digest.ts";
import { Grant, grantByAnswer, grantByVerdict } from "../../src/approval/grant.ts";
import { openForker, startBox } from "../../src/process/start.ts";
import { Launch } from "../../src/process/launch.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";

const yes = { decision: "allow", findings: [] } as const;
const hash = (text: string) => createHash("sha256").update(text).digest("hex");

async function setUp(t: { after(work: () => void): void }) {
  const directories = makeTestDirectories();
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  const made = `${directories.root}/made`;
  const planned = await gate.plan({ tool: "Exec", args: { argv: ["/usr/bin/touch", made] } });
  assert.ok(planned.ok);
  const { action } = planned.value;
  const layers = gate.sandbox.openLayers(action.view);
  assert.ok(layers.ok && layers.value !== null);
  t.after(() => layers.value?.close());
  return { gate, made, action, layers: layers.value };
}

test("a grant cannot be forged", async (t) => {
  const { gate, made, action, layers } = await setUp(t);
  const step = action.steps[0] as Action["steps"][number];
  const real = grantByVerdict(action, yes);
  class Sub extends Grant {
    override get action(): Action {
      return action;
    }
  }
  const forgeries: Record<string, () => unknown> = {
    "a constructor with another key": () => new Grant(Symbol("grant maker") as never, action, "me"),
    "a constructor without a key": () => new Grant(undefined as never, action, "me"),
    "a subclass": () => new Sub(Symbol("grant maker") as never, action, "me"),
    "the right prototype": () => Object.create(Grant.prototype, { action: { value: action } }),
    "the right shape": () => ({ action, decidedBy: "rule" }),
    "a copy of a real one": () => ({ ...real, action: real.action }),
    "a proxy of a real one": () => new Proxy(real, {}),
    "a clone of a real one": () => structuredClone({ decidedBy: real.decidedBy, action }),
    nothing: () => null,
  };
  for (const [how, forge] of Object.entries(forgeries)) {
    assert.throws(() => gate.sandbox.confine(forge() as Grant, step, { layers }), TypeError, how);
  }
  assert.throws(() => Object.assign(Grant, { isGrant: () => true }), TypeError, "the check cannot be replaced");
  assert.throws(
    () => Object.defineProperty(Grant.prototype, "action", { get: () => ({}) }),
    TypeError,
    "nor what a real one is for",
  );
  assert.ok(!existsSync(made));

  const confined = gate.sandbox.confine(real, step, { layers });
  assert.ok(confined.ok);
  await gate.sandbox.starter.start(confined.value.launch, {}, () => undefined);
  confined.value.release();
  assert.ok((await layers.land(1_000_000))?.ok);
  assert.ok(existsSync(made), "control: with a real one it runs");
});

test("a no, a question and an answer to something else grant nothing", async (t) => {
  const { action } = await setUp(t);
  const other = sealAction({ ...action, agent: "other" }, hash);
  const answer = {
    question: "q1",
    decision: "allow",
    digest: action.digest,
    scope: "once",
    who: "a person",
    reason: null,
    note: null,
  } as const;
  for (const decision of ["ask", "deny"] as const)
    assert.throws(() => grantByVerdict(action, { decision, findings: [] }), TypeError);
  assert.throws(() => grantByAnswer(action, { ...answer, decision: "deny" }), TypeError);
  assert.throws(() => grantByAnswer(other, answer), TypeError);
  assert.equal(grantByAnswer(action, answer).action, action, "control: an answer to this one does");
});

test("a launch is of a granted step, cannot be changed, and starts once", async (t) => {
  const { gate, action, layers } = await setUp(t);
  const step = action.steps[0] as Action["steps"][number];
  const grant = grantByVerdict(action, yes);
  assert.throws(
    () => gate.sandbox.confine(grant, { ...step }, { layers }),
    TypeError,
    "an equal step is not the granted one",
  );
  assert.throws(() => Object.assign(step, { argv: ["/bin/sh"] }), TypeError, "a granted step is frozen");
  const other = directoryInBox({ kind: "directory", path: "/etc" }, "/etc");
  const shown = { layers, workspace: other };
  assert.throws(() => gate.sandbox.confine(grant, step, shown), TypeError, "a workspace that was not granted");
  assert.throws(() => gate.sandbox.confine(grant, step), TypeError, "what may be changed has no layer");
  const confined = gate.sandbox.confine(grant, step, { layers });
  assert.ok(confined.ok);
  const { launch } = confined.value;
  assert.throws(() => Object.assign(launch, { step: { ...step, argv: ["/bin/sh"] } }), TypeError);
  assert.ok((await gate.sandbox.starter.start(launch, {}, () => undefined)).ok, "control: the first time it runs");
  await assert.rejects(async () => gate.sandbox.starter.start(launch, {}, () => undefined), TypeError);
  confined.value.release();
  const command = { file: "/bin/true", args: [], descriptors: [], cwd: "/" };
  for (const forged of [{ step, use: () => undefined }, Object.create(Launch.prototype)]) {
    assert.throws(
      () => startBox(forged as Launch, command, openForker("/bin/false")),
      TypeError,
      "and only a real launch starts anything",
    );
  }
});
