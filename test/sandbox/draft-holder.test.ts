// One mount of a draft for all its calls: native/keeper hold and join, and DraftHolder.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { holdArguments, joinArguments, roomOf } from "../../src/sandbox/keeper-program.ts";
import { probe } from "../../src/sandbox/probe.ts";
import { isAlive, keeper, TestDraft } from "../fixtures/keeper-draft.ts";
import { until } from "../fixtures/run.ts";

const skip = !probe().overlay && "no overlay can be mounted on this machine";

function hold(draft: TestDraft) {
  const { status, stderr } = spawnSync(keeper, holdArguments(draft.project, draft.directory), {
    encoding: "utf8",
    timeout: 20_000,
  });
  return { status, stderr };
}

test("calls share one mount, which nobody else sees", { skip }, async (t) => {
  const draft = new TestDraft(t);
  writeFileSync(join(draft.project, "a"), "of the project\n");
  await draft.mount();
  assert.equal(await draft.run("cat a; echo mine > a; echo new > b"), "of the project\n");
  assert.equal(await draft.run("cat a b; ls -A | grep git"), "mine\nnew\n.git\n");
  assert.equal(readFileSync(join(draft.project, "a"), "utf8"), "of the project\n");
  assert.deepEqual(readdirSync(draft.project), ["a"]);
  assert.deepEqual(readdirSync(roomOf(draft.directory)), []);
  assert.equal(readFileSync(join(draft.directory, "upper/b"), "utf8"), "new\n");
});

test("a call ends as its program did", { skip }, async (t) => {
  const draft = new TestDraft(t);
  await draft.mount();
  assert.equal((await draft.tryRun("exit 7")).status, 7);
  assert.equal((await draft.tryRun("kill -9 $$")).status, 137);
  assert.doesNotMatch(await draft.run("ls -l /proc/self/fd"), /\/(?:users|boxes|holder|ns)\b|mnt:/);
});

test("two gates that start at once have one holder, and a second one ends at once", { skip }, async (t) => {
  const draft = new TestDraft(t);
  const [a, b] = [draft.holder(), draft.holder()];
  const mounted = await Promise.all([a.mounted(), b.mounted()]);
  assert.deepEqual(mounted[0], mounted[1]);
  assert.ok(mounted[0].ok);
  const pid = draft.holderPid();
  assert.deepEqual(hold(draft), { status: 75, stderr: "" });
  assert.equal(draft.holderPid(), pid, "the loser leaves the file alone");
  a.close();
  assert.equal(await draft.run("echo fine"), "fine\n");
  assert.ok(isAlive(pid));
  b.close();
  await until("the holder ends with its last user", () => !isAlive(pid));
  assert.equal(readFileSync(join(draft.directory, "holder"), "utf8"), "");
});

test("a call keeps the holder after its gate, and bytes in the pipe do not end it", { skip }, async (t) => {
  const draft = new TestDraft(t);
  const gate = await draft.mount();
  const pid = draft.holderPid();
  const users = openSync(join(draft.directory, "users"), constants.O_WRONLY | constants.O_NONBLOCK);
  writeSync(users, "x".repeat(1000));
  closeSync(users);
  const call = draft.start("echo ready; exec sleep 60");
  await new Promise((resolve) => call.stdout?.once("data", resolve));
  gate.close();
  assert.equal(await draft.run("echo > made; echo still"), "still\n");
  assert.equal(draft.holderPid(), pid);
  assert.ok(isAlive(pid));
  call.kill("SIGKILL");
  await until("the holder ends with the call", () => !isAlive(pid));
});

test("what programs wrote outlives a killed holder; none begins while its calls run", { skip }, async (t) => {
  const draft = new TestDraft(t);
  const gate = await draft.mount();
  await draft.run("mkdir -p d/e && echo one > d/e/f && sync d/e/f");
  const call = draft.start("echo ready; exec sleep 60");
  await new Promise((resolve) => call.stdout?.once("data", resolve));
  const first = draft.holderPid();
  process.kill(first, "SIGKILL");
  let second: ReturnType<typeof hold> = { status: null, stderr: "" };
  await until("its lock is gone", () => (second = hold(draft)).status !== 75);
  assert.deepEqual(second, { status: 76, stderr: "" }, "the layer is still mounted in the call");
  const refused = await draft.tryRun("echo started");
  assert.deepEqual([refused.status, refused.stdout, refused.stderr], [125, "", "keeper: no holder: errno 6\n"]);

  const ended = new Promise((resolve) => call.once("close", resolve));
  call.kill("SIGKILL");
  await ended;
  const mounted = await gate.mounted();
  assert.ok(mounted.ok, JSON.stringify(mounted));
  assert.notEqual(draft.holderPid(), first);
  assert.equal(await draft.run("cat d/e/f; echo two >> d/e/f; cat d/e/f"), "one\none\ntwo\n");
});

test("a call does not start where no overlay is mounted", { skip }, async (t) => {
  const draft = new TestDraft(t);
  const pretended = openSync(join(draft.directory, "users"), constants.O_RDONLY | constants.O_NONBLOCK);
  t.after(() => closeSync(pretended));
  const tryJoin = () =>
    spawnSync(
      keeper,
      joinArguments(draft.directory, {
        mountPoint: "/tmp",
        layers: [],
        bubblewrap: "/bin/echo",
        arguments: ["started"],
      }),
      { encoding: "utf8", timeout: 20_000 },
    );
  writeFileSync(join(draft.directory, "holder"), "");
  assert.deepEqual([tryJoin().status, tryJoin().stderr], [125, "keeper: no holder: errno 0\n"]);
  writeFileSync(join(draft.directory, "holder"), String(process.pid));
  assert.deepEqual([tryJoin().status, tryJoin().stderr], [125, "keeper: merged: errno 2\n"]);
  mkdirSync(draft.merged);
  const { status, stdout, stderr } = tryJoin();
  assert.deepEqual([status, stdout, stderr], [125, "", "keeper: merged is no overlay: errno 0\n"]);
});

test("a holder that cannot mount says so, and leaves the draft free", { skip }, async (t) => {
  const draft = new TestDraft(t);
  const { status, stderr } = spawnSync(keeper, holdArguments(join(draft.project, "none"), draft.directory), {
    encoding: "utf8",
    timeout: 20_000,
  });
  assert.deepEqual([status, stderr], [125, "keeper: lower: errno 2\n"]);
  await draft.mount();
  assert.equal(await draft.run("echo fine"), "fine\n");
  assert.ok(!existsSync(draft.merged));
});
