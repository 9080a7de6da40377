// T01: without a grant nothing happens, whoever would say yes.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";
import type { Action } from "../../src/action/action.ts";
import type { Approver } from "../../src/index.ts";
import { noCapability } from "../../src/policy/capability.ts";
import { judge } from "../../src/policy/evaluate.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { exec, refused } from "../fixtures/run.ts";

test("an agent uses no tool that it was not granted, and nobody is asked", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  let asked = 0;
  const yes: Approver = {
    name: "always yes",
    ask: ({ action }) => (
      asked++,
      Promise.resolve({ decision: "allow", digest: action.digest, who: "somebody", reason: null })
    ),
  };
  const touch = ["/usr/bin/touch", `${directories.root}/made`];
  for (const tools of [[], ["exec"], ["Exe"], ["git_*"], ["Execute*"]]) {
    const gate = openGate(directories, { tools }, { approvers: [yes] });
    assert.equal(refused(await exec(gate, touch)).error, "permission_denied", JSON.stringify(tools));
    gate.close();
  }
  assert.equal(asked, 0);
  assert.ok(!existsSync(`${directories.root}/made`));

  const control = openGate(directories, { tools: ["Exec"] });
  await exec(control, touch);
  control.close();
  assert.ok(existsSync(`${directories.root}/made`), "control: with the grant it is made");
});

test("an action that says nothing of its effects, or an agent without grants, is denied", () => {
  const action = (effects: Action["effects"]) => ({ effects }) as Action;
  const effect = { kind: "run", program: "/bin/true", argv: [], at: "start" } as const;
  assert.equal(judge(action([]), noCapability).decision, "deny");
  assert.equal(judge(action([effect]), undefined).decision, "deny");
  assert.equal(judge(action([{ kind: "unheard-of" } as never]), noCapability).decision, "deny");
});
