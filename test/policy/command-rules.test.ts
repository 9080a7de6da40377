// A rule is about the command, however it is wrapped: judged through the gate, as an agent's call is.

import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { createGate, createRegistry, registerExecTool } from "../../src/index.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";

const directories = makeTestDirectories();
after(() => directories.remove());
mkdirSync(join(directories.root, "x"));
symlinkSync("/usr/bin/git", join(directories.root, "notgit"));

async function rulesOf(argv: readonly string[], rule: object): Promise<readonly string[]> {
  const registry = createRegistry();
  registerExecTool(registry);
  const agent = {
    tool_grants: ["Exec"],
    fs_grants: [
      { path: "/usr", mode: "r" },
      { path: directories.root, mode: "rw" },
    ],
    net_grants: ["*"],
  };
  const configText = JSON.stringify({ version: 1, agents: { default: agent }, policy: { rules: [rule] } });
  const gate = createGate({ registry, statePath: directories.state, project: directories.root, configText });
  try {
    const planned = await gate.plan({ tool: "Exec", args: { argv, cwd: directories.root } });
    assert.ok(planned.ok, JSON.stringify(planned));
    return planned.value.verdict.findings.flatMap(({ rules }) => rules.map(({ decide }) => decide));
  } finally {
    gate.close();
  }
}

const pushes = [
  ["/usr/bin/git", "push"],
  ["/usr/bin/git", "push", "origin", "main"],
  ["/usr/bin/git", "-C", "x", "push"],
  ["/usr/bin/git", "-c", "a.b=c", "--no-pager", "push", "--tags"],
  ["/usr/bin/env", "A=b", "git", "push"],
  ["/usr/bin/env", "-i", "-u", "X", "A=b", "/usr/bin/git", "push"],
  ["/usr/bin/timeout", "5", "git", "push"],
  ["/usr/bin/timeout", "-s", "KILL", "5", "git", "-C", "x", "push"],
  ["/usr/bin/nice", "-n", "5", "git", "push"],
  ["/usr/bin/env", "A=b", "timeout", "5", "git", "push"],
  ["/bin/sh", "-c", "cd x && git push"],
  ["/bin/bash", "-c", "echo hi; env A=b git -C x push | cat"],
];

for (const argv of pushes) {
  test(`a rule about git push sees: ${argv.join(" ")}`, async () => {
    assert.ok((await rulesOf(argv, { decide: "deny", effect: "run", argv: ["git", "push", "**"] })).includes("deny"));
    assert.ok((await rulesOf(argv, { decide: "ask", effect: "run", argv: ["git", "push", "**"] })).includes("ask"));
  });
}

test("a link of another name that leads to git is git", async () => {
  const argv = [join(directories.root, "notgit"), "push"];
  assert.ok((await rulesOf(argv, { decide: "deny", effect: "run", argv: ["git", "push", "**"] })).includes("deny"));
});

for (const argv of [
  ["/usr/bin/git", "log"],
  ["/usr/bin/git", "log", "push"],
  ["/usr/bin/echo", "git", "push"],
  ["/usr/bin/env", "A=git push", "git", "status"],
  ["/bin/sh", "-c", "echo 'git push'"],
])
  test(`and is not about: ${argv.join(" ")}`, async () =>
    assert.deepEqual(await rulesOf(argv, { decide: "deny", effect: "run", argv: ["git", "push", "**"] }), []));

test("a yes to git log is no yes to git log with other settings", async () => {
  const rule = { decide: "allow", effect: "run", argv: ["git", "log", "**"] };
  assert.deepEqual(await rulesOf(["/usr/bin/git", "log", "-3"], rule), ["allow"]);
  assert.deepEqual(await rulesOf(["/usr/bin/git", "-c", "core.pager=x", "log"], rule), []);
});
