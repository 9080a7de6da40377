// Nothing about approvals is in a tool's own files: whether a call is asked about is decided around it, for every tool alike.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import test from "node:test";
import { createRegistry, registerExecTool, registerShellTool } from "../../src/index.ts";
import { scripted } from "../fixtures/approver.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { importsOf } from "./source-scan.ts";

const src = join(import.meta.dirname, "../../src");

function approvalImports(path: string, source: string): string[] {
  return importsOf(source)
    .map(({ from }) => (from.startsWith(".") ? normalize(join(dirname(path), from)) : from))
    .filter((target) => target.startsWith("approval/"))
    .map((target) => `${path} imports ${target}`);
}

test("no tool imports approval/", () => {
  const files = globSync("tools/**/*.ts", { cwd: src });
  assert.ok(files.length > 5);
  assert.deepEqual(
    files.flatMap((path) => approvalImports(path, readFileSync(join(src, path), "utf8"))),
    [],
  );
  assert.deepEqual(approvalImports("tools/a.ts", 'import type { A } from "../approval/approver.ts";'), [
    "tools/a.ts imports approval/approver.ts",
  ]);
});

for (const [tool, args] of [
  ["Exec", (path: string) => ({ argv: ["/bin/pwd"], cwd: path })],
  ["Shell", (path: string) => ({ command: "pwd", work_dir: path })],
] as const) {
  test(`${tool} outside its grants: asked about where someone can answer, else refused`, async (t) => {
    const directories = makeTestDirectories();
    t.after(() => directories.remove());
    const registry = createRegistry();
    registerExecTool(registry);
    registerShellTool(registry);
    const approver = scripted();
    const open = (approvers: readonly (typeof approver)[], rules: readonly object[] = []) => {
      const agent = { tool_grants: ["Exec", "Shell"], fs_grants: [{ path: "/usr", mode: "r" }] };
      const configText = JSON.stringify({ version: 1, agents: { default: agent }, policy: { rules } });
      const gate = openGate(directories, {}, { registry, approvers, configText });
      t.after(() => gate.close());
      return gate;
    };
    const request = { tool, args: args(directories.outside) };
    assert.ok((await open([approver]).call(request)).ok);
    assert.equal(approver.asked.length, 1);
    const nobody = await open([]).call(request);
    assert.ok(!nobody.ok && nobody.error === "fs_denied");
    const rules = [{ decide: "ask", effect: "run", argv: ["pwd", "**"] }];
    const program = { tool, args: args("/tmp") };
    assert.ok((await open([approver], rules).call(program)).ok);
    assert.equal(approver.asked.length, 2);
    const refused = await open([], rules).call(program);
    assert.ok(!refused.ok && refused.error === "permission_denied", JSON.stringify(refused));
  });
}
