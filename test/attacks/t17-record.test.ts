// T17: nothing starts that is not on record.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";
import { makePlace, openGate } from "../fixtures/gate.ts";
import { bash, exec, refused } from "../fixtures/run.ts";

test("when the record cannot be written, nothing starts", async (t) => {
  const place = makePlace();
  const gate = openGate(place);
  t.after(() => (gate.close(), place.remove()));
  await bash(gate, `touch ${place.root}/first`);
  assert.ok(existsSync(`${place.root}/first`), "control: while it can, programs run");
  gate.journal.close();
  assert.equal(refused(await exec(gate, ["/usr/bin/touch", `${place.root}/second`])).error, "internal");
  assert.ok(!existsSync(`${place.root}/second`));
});

test("a program finds its own start on record, made before it began", async (t) => {
  const place = makePlace();
  const gate = openGate(place);
  t.after(() => (gate.close(), place.remove()));
  let events: string[] = [];
  await exec(
    gate,
    ["/bin/echo", "running"],
    {},
    { onOutput: () => void (events = [...gate.journal.list({})].map(({ event }) => event)) },
  );
  assert.deepEqual(events.sort(), ["tool.call.dispatched", "tool.call.received"]);
});
