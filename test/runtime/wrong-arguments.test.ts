// A call that names a tool or arguments that there are not: the reply names the field, the reason and what was probably meant.

import assert from "node:assert/strict";
import test, { after } from "node:test";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { refused } from "../fixtures/run.ts";
import { openScriptGate } from "../fixtures/script-gate.ts";

const directories = makeTestDirectories();
const { gate, close } = openScriptGate(directories);
after(() => {
  close();
  directories.remove();
});

test("a tool with another name: the nearest one is named, and all that there are", async () => {
  const { error, message, hint } = refused(await gate.call({ tool: "Bsh", args: {} }));
  assert.deepEqual([error, message], ["tool_not_found", 'There is no tool "Bsh".']);
  assert.match(hint ?? "", /^Did you mean Bash\? This agent has: .*\bPython\b/);
  const far = refused(await gate.call({ tool: "launch_rocket", args: {} }));
  assert.match(far.hint ?? "", /^This agent has: /, "nothing is near");
});

const wrong: readonly [string, unknown, string][] = [
  ["Bash", {}, "script: missing, give a string."],
  ["Bash", { script: 5 }, "script: must be a string, not a number."],
  ["Bash", { script: null }, "script: must be a string, not null."],
  ["Bash", { script: "true", timeout_s: "9" }, "timeout_s: must be a number, not a string."],
  ["Bash", { script: "true", needs: { read: [1] } }, "needs.read[0]: must be a string, not a number."],
  ["Bash", { script: "true", needs: "network" }, "needs: must be an object, not a string."],
  ["Bash", { script: "true", timout_s: 9 }, '"timout_s": no such argument (did you mean timeout_s?).'],
  ["Bash", { script: "true", zzz: 9 }, '"zzz": no such argument.'],
  ["Bash", { script: "true", uid: 0 }, '"uid": no such argument.'],
  ["Bash", { script: "true", uid: 0, sdtin: "x" }, '"uid", "sdtin": no such argument.'],
  ["Bash", ["true"], "the arguments: must be an object, not a list."],
  ["Python", { cod: "1" }, 'code: missing, give a string; "cod": no such argument (did you mean code?).'],
  ["git_stage", { files: "a", message: "m" }, "files: must be a list, not a string."],
];

for (const [tool, args, said] of wrong)
  test(`${tool} ${JSON.stringify(args)}`, async () => {
    const { error, message, hint } = refused(await gate.call({ tool, args }));
    assert.deepEqual([error, message], ["invalid_args", said]);
    assert.match(hint ?? "", new RegExp(`what ${tool} takes`));
  });
