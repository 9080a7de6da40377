// Claude Code's own sandbox, switched on by the project: it could not start in the box.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { newAgentTask, openAgentWorld } from "../../fixtures/agent-task.ts";

const world = await openAgentWorld();
const claude = world.clients.find(({ program }) => program === "claude");
assert.ok(claude !== undefined);

/** What its shell said to the model. */
async function shellSays(
  t: TestContext,
  own: readonly string[],
): Promise<{ code: number | null; said: string; told: string }> {
  const work = newAgentTask(t, claude as NonNullable<typeof claude>, world);
  mkdirSync(join(work.person.project, ".claude"));
  writeFileSync(
    join(work.person.project, ".claude/settings.json"),
    JSON.stringify({ sandbox: { enabled: true, failIfUnavailable: true } }),
  );
  const from = world.model.requests.length;
  world.model.script = (move) => (move === 0 ? claude!.shell("echo its-$((40 + 2))-shell") : "done");
  const { code, out, err } = await work.person.runBeside(["run", "--", "claude", ...own, "-p", "work"], work.env);
  return {
    said: world.model.requests
      .slice(from)
      .map(({ body }) => body)
      .join("\n"),
    told: out + err,
    code,
  };
}

test("a project that demands Claude Code's own sandbox: its shell works in the box, without it", async (t) => {
  const { code, said, told } = await shellSays(t, []);
  assert.equal(code, 0, told);
  assert.match(said, /tool_result","content":"its-42-shell"/);
  assert.doesNotMatch(told, /sandboxing/);
});

test("control: with settings of the person in the place of those of the profile, it does not start", async (t) => {
  const { code, said, told } = await shellSays(t, ["--settings", "{}"]);
  assert.notEqual(code, 0, told);
  assert.match(told, /sandbox/);
  assert.doesNotMatch(said, /its-42-shell/);
});
