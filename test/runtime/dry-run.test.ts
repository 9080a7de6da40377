// A dry run is the first half of a call: it sees what the call would see, and leaves no trace.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createRegistry, registerBashTool, registerBuiltinTools } from "../../src/index.ts";
import { git, makeRepository } from "../fixtures/git.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";

function open(directories: ReturnType<typeof makeTestDirectories>) {
  const registry = createRegistry();
  registerBuiltinTools(registry);
  registerBashTool(registry);
  return openGate(
    directories,
    { tools: ["*"], paths: ["/usr", "/bin", directories.project].map((path) => ({ path, mode: "r" as const })) },
    { registry, session: "dry" },
  );
}

/** All that is stored, byte for byte; not what SQLite shares between processes. */
function stored(state: string): Map<string, string> {
  const files = readdirSync(state, { withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map(({ name }) => name).filter((name) => !name.endsWith("-shm"));
  return new Map(names.map((name) => [name, readFileSync(join(state, name), "base64")]));
}

test("it sees the files that another gate saved in the session, as the call does, and writes nothing", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const [writer, planner] = [open(directories), open(directories)];
  t.after(() => [writer, planner].forEach((gate) => gate.close()));
  const request = { tool: "Bash", args: { script: "sh run.sh" } };
  const digests = [];
  for (const content of ["echo one\n", "echo two\n"]) {
    assert.ok((await writer.call({ tool: "write_file", args: { path: "run.sh", content } })).ok);
    const before = stored(directories.state);
    const planned = await planner.plan(request);
    assert.ok(planned.ok, JSON.stringify(planned));
    assert.deepEqual(stored(directories.state), before);
    assert.deepEqual(
      planned.value.action.contents.map(({ path }) => path),
      ["/workspace/run.sh"],
    );
    digests.push(planned.value.action.digest);
    const called = await writer.plan(request);
    assert.ok(called.ok);
    assert.equal(called.value.action.digest, planned.value.action.digest);
  }
  assert.equal(new Set(digests).size, 2);
  const result = await planner.call(request);
  assert.ok(result.ok, JSON.stringify(result));
  assert.equal(result.result["stdout"], "two\n");
  assert.equal([...planner.journal.list({ event: "tool.call.dispatched" })][0]?.digest, digests[1]);
});

test("of a push, too, it writes nothing: git reads the target in a box, and nobody is asked", async (t) => {
  const directories = makeTestDirectories();
  t.after(() => directories.remove());
  const repository = makeRepository(join(directories.project, "repository"));
  const gate = open(directories);
  t.after(() => gate.close());
  assert.ok((await gate.call({ tool: "write_file", args: { path: "report.md", content: "# Report\n" } })).ok);
  const staged = await gate.call({ tool: "git_stage", args: { files: ["report.md"], message: "Add it" } });
  assert.ok(staged.ok, JSON.stringify(staged));
  const before = stored(directories.state);
  const head = git(repository, ["rev-parse", "HEAD"]);
  const target = { type: "local", path: repository };
  const planned = await gate.plan({ tool: "git_push", args: { commitId: staged.result["id"], target } });
  assert.ok(planned.ok, JSON.stringify(planned));
  assert.equal(planned.value.verdict.decision, "ask");
  assert.equal(planned.value.action.push?.files[0]?.path, "report.md");
  assert.deepEqual(stored(directories.state), before);
  assert.equal(git(repository, ["rev-parse", "HEAD"]), head);
  const elsewhere = { type: "remote", url: "https://example.invalid/x.git" };
  const asked = await gate.plan({ tool: "git_push", args: { commitId: staged.result["id"], target: elsewhere } });
  assert.ok(!asked.ok);
  assert.equal(asked.failure.message, "A plan asks nobody, and no other machine.");
  assert.deepEqual(stored(directories.state), before);
});
