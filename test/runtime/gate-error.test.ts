// What a program that holds the library gets for what is wrong: a GateError when it opens a gate, a reply when it calls.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { createGate, createRegistry, GateError, type GateOptions } from "../../src/index.ts";
import { configText, makeTestDirectories, openGate } from "../fixtures/gate.ts";

const directories = makeTestDirectories();
after(() => directories.remove());
const file = join(directories.outside, "file");
writeFileSync(file, "");
const inDirectory = (path: string) => JSON.stringify({ version: 1, workspace: { kind: "directory", path } });

const wrong: readonly [title: string, options: Partial<GateOptions>, says: RegExp][] = [
  [
    "no such workspace",
    { configText: inDirectory("/nowhere/at/all") },
    /^1:\d+: workspace\.path: there is no \/nowhere/,
  ],
  [
    "a file as workspace",
    { configText: inDirectory(file) },
    /^1:\d+: workspace\.path: .*file is not a directory\. Name/,
  ],
  ["a file as project", { project: file }, /^--project: .*file is not a directory\. Name a directory that exists\.$/],
  ["no such agent", { agent: "nope" }, /^there is no agent "nope"/],
  ["a state that cannot be made", { statePath: "/dev/null/x" }, /^The state directory \/dev\/null\/x cannot be made/],
];

for (const [title, options, says] of wrong)
  test(`${title}: a GateError, and nothing is written`, () => {
    const statePath = join(directories.base, "fresh");
    assert.throws(
      () => openGate(directories, {}, { statePath, ...options }),
      (error) => error instanceof GateError && says.test(error.message),
    );
    assert.equal(existsSync(statePath), false);
  });

test("without a registry no gate opens, and the error says what to pass", () => {
  const statePath = join(directories.base, "fresh");
  const rest = { configText: configText(directories), statePath, project: directories.project };
  for (const options of [rest, { ...rest, registry: null }, { ...rest, registry: ["Exec"] }, undefined])
    assert.throws(
      () => createGate(options as unknown as GateOptions),
      (error) => error instanceof GateError && /^registry: .*createRegistry\(\)/.test(error.message),
    );
  assert.equal(existsSync(statePath), false);
  createGate({ ...rest, registry: createRegistry() }).close();
});

test("a workspace that is gone since the configuration was read is a GateError, too", () => {
  const path = join(directories.outside, "work");
  mkdirSync(path);
  const first = openGate(directories, {}, { configText: inDirectory(path) });
  rmSync(path, { recursive: true });
  try {
    assert.throws(
      () => openGate(directories, {}, { config: first.config }),
      (error) => error instanceof GateError && /work cannot be opened: ENOENT/.test(error.message),
    );
  } finally {
    first.close();
  }
});

test("whatever is passed to call, a reply comes back", async () => {
  const gate = openGate(directories);
  try {
    for (const request of [undefined, null, "Exec", {}]) {
      const reply = await gate.call(request as never, null as never);
      assert.equal(reply.ok ? "" : reply.error, "tool_not_found");
      const planned = await gate.plan(request as never);
      assert.equal(planned.ok ? "" : planned.failure.error, "tool_not_found");
    }
    const asked = await gate.call({ tool: "Exec", args: { argv: ["/bin/true"] } }, { approvers: 3 } as never);
    assert.equal(asked.ok ? "" : asked.error, "internal");
    assert.ok((await gate.call({ tool: "Exec", args: { argv: ["/bin/true"] } }, null as never)).ok);
  } finally {
    gate.close();
  }
});
