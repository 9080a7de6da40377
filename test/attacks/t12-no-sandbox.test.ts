// T12: where no box can be built, nothing runs.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";
import { grantByVerdict } from "../../src/approval/grant.ts";
import { type Probe, probe } from "../../src/sandbox/probe.ts";
import { openSandbox } from "../../src/sandbox/sandbox.ts";
import { makeTestDirectories, openGate, type TestDirectories } from "../fixtures/gate.ts";
import { bare } from "../fixtures/run.ts";

const yes = { decision: "allow", findings: [] } as const;

/** Runs `touch` in a sandbox of that probe; the slug of the refusal, or "ran". */
async function tryToRun(
  directories: TestDirectories,
  found: Probe,
  require: "kernel" | "limits" = "kernel",
): Promise<{ said: string; hint: string; filesystem: string | undefined }> {
  const gate = openGate(directories);
  const planned = await gate.plan({ tool: "Exec", args: { argv: ["/usr/bin/touch", `${directories.root}/made`] } });
  gate.close();
  assert.ok(planned.ok);
  const { action } = planned.value;
  const sandbox = openSandbox({ stateDirectory: directories.state, require, probe: found });
  const layers = sandbox.openLayers(action.view);
  assert.ok(layers.ok);
  try {
    const shown = { layers: layers.value };
    const confined = sandbox.confine(
      grantByVerdict(action, yes),
      action.steps[0] as (typeof action.steps)[number],
      shown,
    );
    if (!confined.ok) return { said: confined.failure.error, hint: confined.failure.hint ?? "", filesystem: undefined };
    const outcome = await sandbox.starter.start(confined.value.launch, {}, () => undefined);
    confined.value.release();
    if (!outcome.ok) return { said: outcome.failure.error, hint: outcome.failure.message, filesystem: undefined };
    await layers.value?.land(1_000_000);
    return { said: "ran", hint: "", filesystem: outcome.value.enforced.filesystem };
  } finally {
    layers.value?.close();
    sandbox.close();
  }
}

const here = probe();
const machines: Readonly<Record<string, () => Probe>> = {
  "without bubblewrap": () => probe({ bubblewrap: [] }),
  "with a bubblewrap that is too old": () => ({
    ...here,
    bubblewrap: { path: "/usr/bin/bwrap", version: "0.4.1", bindsDescriptors: false },
    problem: { message: "bubblewrap 0.4.1 is too old", mend: "sudo apt-get install -y bubblewrap" },
  }),
  "without mkfifo": () => ({ ...here, mkfifo: null }),
  "whose bubblewrap fails": () => ({
    ...here,
    bubblewrap: { path: "/bin/false", version: "0.8.0", bindsDescriptors: false },
  }),
  "whose bubblewrap does nothing and says that all is well": () => ({
    ...here,
    bubblewrap: { path: "/bin/true", version: "0.8.0", bindsDescriptors: false },
  }),
};

for (const [which, found] of Object.entries(machines)) {
  test(`nothing runs on a machine ${which}`, async (t) => {
    const directories = makeTestDirectories();
    t.after(() => directories.remove());
    const { said, hint } = await tryToRun(directories, found());
    assert.equal(said, "sandbox_unavailable");
    assert.notEqual(hint, "");
    assert.ok(!existsSync(`${directories.root}/made`));
    assert.equal((await tryToRun(directories, here)).said, "ran", "control: on this machine it does");
    assert.ok(existsSync(`${directories.root}/made`));
  });
}

test("only `require: limits` runs without a box, and says in the result that nothing was held", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  assert.deepEqual(await tryToRun(directories, probe({ bubblewrap: [] }), "limits"), {
    said: "ran",
    hint: "",
    filesystem: "no",
  });
  assert.deepEqual(
    await tryToRun(directories, here, "limits"),
    { said: "ran", hint: "", filesystem: "kernel" },
    "control: where a box can be built, it is",
  );
});

test("an old version is found to be old", () => {
  assert.equal(bare(["/usr/bin/bwrap", "--version"]).status, 0);
  assert.equal(here.problem, null, "control: the one of this machine is not");
});
