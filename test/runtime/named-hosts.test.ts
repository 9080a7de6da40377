// What a package manager usually reaches is a guess, and a call that names its hosts knows better.

import assert from "node:assert/strict";
import { test } from "node:test";
import { scripted } from "../fixtures/approver.ts";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";

test("a call that names its hosts is not asked about the usual registry before it runs", async (t) => {
  const person = scripted(() => ({ decision: "deny" }));
  const gate = openDraft(t, makeProject(t, { "a.txt": "" }), {}, { approvers: [person] });
  const asked = async (script: string, network?: readonly string[]) => {
    const before = person.asked.length;
    person.says = ({ action }) => ({ decision: action.operation?.name === "connect" ? "deny" : "allow" });
    await gate.call({ tool: "Bash", args: { script, ...(network === undefined ? {} : { needs: { network } }) } });
    return person.asked
      .slice(before)
      .flatMap(({ verdict }) => verdict.findings.filter(({ decision }) => decision === "ask"))
      .map(({ effect }) => (effect.kind === "network" ? effect.host : effect.kind));
  };
  const registry = "registry.npmjs.org:443";
  assert.deepEqual(await asked("true || npm view pad"), [registry], "the control");
  assert.deepEqual(await asked("true || npm view pad", ["localhost:9"]), ["localhost:9"]);
  assert.deepEqual(
    await asked("true || curl https://web.test/", ["localhost:9"]),
    ["localhost:9", "web.test:443"],
    "the script names it",
  );
  assert.deepEqual(await asked("npm pack --dry-run; npm init -y"), []);
});
