// Situations in which nothing may start at all: a processor without a filter, a configuration that says nothing.

import { strict as assert } from "node:assert";
import { grantByVerdict } from "../../src/approval/grant.ts";
import { createGate, type Gate, GateError, probe } from "../../src/index.ts";
import { judge } from "../../src/policy/evaluate.ts";
import { openSandbox } from "../../src/sandbox/sandbox.ts";
import { seccompProgram } from "../../src/sandbox/seccomp.ts";
import { createToolRegistry, openGate, usualGrants } from "./bench.ts";
import type { World } from "./world.ts";

export const closed: Readonly<Record<string, (world: World) => Promise<void>>> = {
  "sbx-unsupported-arch": unknownProcessor,
  "sbx-sandbox-config-empty": emptyConfiguration,
};

async function unknownProcessor(world: World): Promise<void> {
  assert.throws(
    () => seccompProgram({ architecture: "riscv64" as "x64", unix: true }),
    "a filter for an unknown processor",
  );
  const problem = {
    message: "there is no system call filter for the processor riscv64",
    mend: "run the gate on x64 or arm64",
  };
  const gate = openGate(world, usualGrants(world), "sbx-unsupported-arch");
  const sandbox = openSandbox({
    stateDirectory: world.state,
    require: "kernel",
    probe: { ...probe(), architecture: "riscv64", problem },
  });
  try {
    const planned = await gate.plan({ tool: "Exec", args: { argv: ["/bin/true"] } });
    assert.ok(planned.ok && planned.value.verdict.decision === "allow");
    const { action, verdict } = planned.value;
    const [step] = action.steps;
    assert.ok(step !== undefined);
    const confined = sandbox.confine(grantByVerdict(action, verdict), step);
    assert.ok(!confined.ok && confined.failure.error === "sandbox_unavailable");
    assert.match(confined.failure.hint ?? "", /x64 or arm64/);
    assert.equal(sandbox.starter.name, "none");
  } finally {
    sandbox.close();
    gate.close();
  }
}

/** Missing means closed: at loading, or at every call. */
async function emptyConfiguration(world: World): Promise<void> {
  for (const config of [
    "{}",
    "version: 1",
    "version: 1\nagents: {}",
    "version: 1\nagents: { default: {} }",
    "version: 1\nagents: { default: { tool_grants: [Exec] } }",
  ]) {
    const gate = openOrNull(world, config);
    if (gate === null) continue;
    try {
      const reply = await gate.call({ tool: "Exec", args: { argv: ["/bin/true"] } });
      assert.ok(
        !reply.ok && ["permission_denied", "fs_denied"].includes(reply.error),
        `${config}: ${JSON.stringify(reply)}`,
      );
    } finally {
      gate.close();
    }
  }
  const gate = openGate(world, usualGrants(world), "sbx-sandbox-config-empty");
  try {
    const planned = await gate.plan({ tool: "Exec", args: { argv: ["/bin/true"] } });
    assert.ok(planned.ok);
    assert.equal(judge(planned.value.action, undefined).decision, "deny");
    assert.equal(judge({ ...planned.value.action, effects: [] }, gate.capability).decision, "deny");
  } finally {
    gate.close();
  }
}

function openOrNull(world: World, configText: string): Gate | null {
  try {
    return createGate({ registry: createToolRegistry(), statePath: world.state, project: world.root, configText });
  } catch (error) {
    assert.ok(error instanceof GateError);
    return null;
  }
}
