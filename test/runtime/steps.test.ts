// Several steps under one grant: in order, stopped at the first failure, and a refusal half way says what had run.

import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { createRegistry, registerShellTool } from "../../src/index.ts";
import { makePlace, openGate } from "../fixtures/gate.ts";

const place = makePlace();
const registry = createRegistry();
registerShellTool(registry);
const gate = openGate(place, { tools: ["Shell"] }, { registry });
after(() => {
  gate.close();
  place.remove();
});

test("when a later step cannot start, the refusal says that the earlier one ran", async () => {
  // The first command takes the second one's place of work away.
  const command = [
    `python3 -c "import os; os.rename('${place.root}/work', '${place.root}/gone'); os.symlink('${place.root}/gone', '${place.root}/work')"`,
    "python3 -c 0",
  ];
  mkdirSync(join(place.root, "work"));
  const reply = await gate.call({ tool: "Shell", args: { command, work_dir: join(place.root, "work") } });
  assert.ok(existsSync(join(place.root, "gone")), "the first command did its work");
  assert.ok(!reply.ok, JSON.stringify(reply));
  assert.match(reply.message, /1 of the call's commands had run/);
});

test("a place of work that an earlier step removed has changed; it is not the box that fails", async () => {
  const work = join(place.root, "removed");
  const command = [`python3 -c "import os; os.rmdir('${work}')"`, "python3 -c 0"];
  mkdirSync(work);
  const reply = await gate.call({ tool: "Shell", args: { command, work_dir: work } });
  assert.ok(!existsSync(work), "the first command did its work");
  assert.ok(!reply.ok && reply.error === "changed", JSON.stringify(reply));
  assert.match(reply.message, /1 of the call's commands had run/);
});
