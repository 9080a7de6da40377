// T06: no shell reads a call's words.

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import test from "node:test";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { bare, exec, ran } from "../fixtures/run.ts";

test("what a shell would act on is passed on as it is", async (t) => {
  const directories = makeTestDirectories();
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  const hole = `${directories.root}/hole`;
  const words = [
    `; touch ${hole}`,
    `$(touch ${hole})`,
    `\`touch ${hole}\``,
    `| touch ${hole}`,
    `&& touch ${hole}`,
    `\ntouch ${hole}\n`,
    `> ${hole}`,
    `x' ; touch ${hole} ; '`,
    `x" ; touch ${hole} ; "`,
    "${IFS}touch",
    "<(true)",
    "{a,b}",
    "*",
    "~",
    "!!",
    "$HOME",
    "-n",
    "--",
  ];
  const { stdout } = ran(await exec(gate, ["/usr/bin/printf", "[%s]", ...words], { cwd: directories.root }));
  assert.equal(stdout, words.map((word) => `[${word}]`).join(""));
  assert.deepEqual(readdirSync(directories.root), []);

  bare(["/bin/sh", "-c", `/usr/bin/printf '[%s]' ${words[0]}`]);
  assert.ok(existsSync(hole), "control: a shell acts on the first of them");
});

test("the values of other arguments are not read by a shell either", async (t) => {
  const directories = makeTestDirectories();
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  const hole = `${directories.root}/hole`;
  const result = ran(
    await exec(gate, ["/bin/cat"], {
      stdin: `$(touch ${hole})`,
      env: { X: `$(touch ${hole})`, Y: `\`touch ${hole}\`` },
      cwd: directories.root,
    }),
  );
  assert.equal(result.stdout, `$(touch ${hole})`);
  assert.ok(!existsSync(hole));
  bare(["/bin/sh"], { input: `$(touch ${hole})` });
  assert.ok(existsSync(hole), "control");
});
