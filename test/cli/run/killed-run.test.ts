// `sallyport run` when one of its processes is killed, its terminal is closed or its draft is full: it ends visibly, nothing is left running or
// mounted, and the session goes on with what was written.

import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { newCliUser, noTerminal } from "../../fixtures/cli.ts";
import { openDialog } from "../../fixtures/dialog.ts";
import { newAgentPerson } from "../../fixtures/agent-person.ts";
import { until } from "../../fixtures/run.ts";
import { assertWritten, killInTurn, nothingIsLeft, pidOf, startWorking } from "./killed-run.ts";

test("the gate and bubblewrap are killed, and each next run finds all that was written", async (t) => {
  const person = newAgentPerson(t, { "a.txt": "one\n" });
  const before = person.digest();
  await killInTurn(person, ["gate", "bwrap"], 0);
  assert.equal(person.digest(), before);
});

test("a program goes on when the process that holds its draft is killed; so does the next run", async (t) => {
  const person = newAgentPerson(t, { "a.txt": "one\n" });
  const run = await startWorking(person, "s", "w");
  process.kill(pidOf(person, run, "holder"), "SIGKILL");
  const so = run.closed().length;
  await until("it goes on", () => run.closed().length > so + 5);
  run.process.kill("SIGTERM");
  assert.equal(await run.ended, 143);
  await nothingIsLeft(person);
  assertWritten(person, run.closed());
});

test("a second terminal of the session goes on when the first one is killed", async (t) => {
  const person = newAgentPerson(t, { "a.txt": "one\n" });
  const first = await startWorking(person, "s", "first");
  const second = await startWorking(person, "s", "second");
  process.kill(pidOf(person, first, "gate"), "SIGKILL");
  assert.equal(await first.ended, "SIGKILL");
  const so = second.closed().length;
  await until("the second goes on", () => second.closed().length > so + 5);
  second.process.kill("SIGTERM");
  assert.equal(await second.ended, 143);
  await nothingIsLeft(person);
  assertWritten(person, [...first.closed(), ...second.closed()]);
});

test("a session that runs is discarded with its program's end, by a second yes; one whose gate was killed as any other", async (t) => {
  const person = newAgentPerson(t, { "a.txt": "one\n" });
  const discard = (...more: string[]) => person.runProcess(["changes", "discard", "s", "--yes", ...more]);
  const run = await startWorking(person, "s", "w");
  const refused = discard();
  assert.equal(refused.code, 1, refused.out);
  assert.match(refused.err, /a program of the session runs[^]*changes discard --end/);
  const so = run.closed().length;
  await until("it goes on", () => run.closed().length > so + 5);
  await until(
    "the box is listed",
    () =>
      person.run(["ports", "--json"]).code === 0 &&
      existsSync(join(person.state, "boxes")) &&
      readdirSync(join(person.state, "boxes")).length > 0,
  );
  const ended = discard("--end");
  assert.equal(ended.code, 0, ended.err);
  assert.equal(await run.ended, 137);
  await nothingIsLeft(person);
  assert.deepEqual(JSON.parse(person.run(["changes", "list", "--json"]).out), { sessions: [], more: 0 });
  const restored = person.runProcess(["changes", "restore", "s"]);
  assert.equal(restored.code, 0, restored.err);
  assertWritten(person, run.closed());

  const killed = await startWorking(person, "s", "k");
  process.kill(pidOf(person, killed, "gate"), "SIGKILL");
  await killed.ended;
  await nothingIsLeft(person);
  const after = discard();
  assert.equal(after.code, 0, after.err);
  assert.deepEqual(JSON.parse(person.run(["changes", "list", "--json"]).out), { sessions: [], more: 0 });
});

test("a terminal that goes away ends the program, and nothing of the work is lost", { skip: noTerminal }, async (t) => {
  const person = newAgentPerson(t, { "a.txt": "one\n" });
  const script = "echo work > work.txt; echo writ''ten; setsid sleep 1000";
  const dialog = openDialog(t, person, ["run", "--session", "closed", "--", "bash", "-c", script]);
  await dialog.until("written");
  dialog.close();
  assert.notEqual(await dialog.ended, 0);
  await nothingIsLeft(person);
  assert.equal(person.runProcess(["run", "--session", "closed", "--", "cat", "work.txt"]).out, "work\n");
  assert.ok(!existsSync(join(person.project, "work.txt")));
});

test("a draft that is full ends the program with the reason, and the next run can delete", (t) => {
  const person = newCliUser(t);
  writeFileSync(
    person.configFile,
    `version: 1\nagents: { default: { tool_grants: [], fs_grants: [{ path: /usr, mode: r }, { path: "${person.project}", mode: r }], limits: { draft_mb: 4 } } }\n`,
  );
  const fill =
    "echo kept > kept; for i in {1..60}; do head -c 1M /dev/urandom > x$i; sync x$i; sleep 0.05; done; echo over";
  const full = person.runProcess(["run", "--session", "s", "--", "bash", "-c", fill]);
  assert.equal(full.code, 137, full.err);
  assert.equal(full.out, "");
  assert.match(full.err, /it wrote more to the disk than its limit/);
  assert.match(full.err, /hint: .*limits\.draft_mb.*Delete what is not needed/);
  const next = person.runProcess(["run", "--session", "s", "--", "bash", "-c", "cat kept; rm x*; ls"]);
  assert.deepEqual([next.code, next.out], [0, "kept\nkept\n"], next.err);
});
