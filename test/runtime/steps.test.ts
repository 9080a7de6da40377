// Several steps under one grant: in order, stopped at the first failure, and a refusal half way says what had run.

import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { createRegistry, registerShellTool } from "../../src/index.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { isInLayer } from "../fixtures/layers.ts";

const directories = makeTestDirectories();
const registry = createRegistry();
registerShellTool(registry);
const gate = openGate(directories, { tools: ["Shell"] }, { registry });
after(() => {
  gate.close();
  directories.remove();
});

test("when a later step cannot start, the refusal says that the earlier one ran", async () => {
  // The first command takes the second one's place of work away.
  const command = [
    `python3 -c "import os; os.rmdir('${directories.root}/work'); os.symlink('/tmp', '${directories.root}/work')"`,
    "python3 -c 0",
  ];
  mkdirSync(join(directories.root, "work"));
  const reply = await gate.call({ tool: "Shell", args: { command, work_dir: join(directories.root, "work") } });
  assert.ok(!reply.ok, JSON.stringify(reply));
  assert.match(reply.message, /1 of the call's commands had run/);
  assert.match(reply.hint ?? "", /kept for a day in .*kept-/);
  assert.ok(existsSync(join(directories.root, "work")), "nothing of the call lands");
  assert.ok(isInLayer(directories.state, "work"), "the first command did its work");
});

test("a place of work that an earlier step removed has changed; it is not the box that fails", async () => {
  const work = join(directories.root, "removed");
  const command = [`python3 -c "import os; os.rmdir('${work}')"`, "python3 -c 0"];
  mkdirSync(work);
  const reply = await gate.call({ tool: "Shell", args: { command, work_dir: work } });
  assert.ok(
    isInLayer(directories.state, "removed"),
    "the first command did its work: the layer says that it is deleted",
  );
  assert.ok(!reply.ok && reply.error === "changed", JSON.stringify(reply));
  assert.match(reply.message, /1 of the call's commands had run/);
});
