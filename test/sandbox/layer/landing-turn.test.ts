// Landings take turns, also those of gates that share nothing but the directory. The kernel keeps the locks.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { configText, makeTestDirectories, openGate, type TestDirectories } from "../../fixtures/gate.ts";
import { isInLayer } from "../../fixtures/layers.ts";
import { bare, bash, exec, processesWith, until } from "../../fixtures/run.ts";

/** Gates with state directories of their own, and one root. */
function setUp(t: TestContext, count: number) {
  const all = Array.from({ length: count }, () => makeTestDirectories());
  const { root, outside } = all[0] as TestDirectories;
  const paths = (own = root) => [{ path: "/usr", mode: "r" }, { path: own, mode: "rw" }, { path: outside, mode: "r" }] as const; // prettier-ignore
  t.after(() => all.forEach((one) => one.remove()));
  return {
    root,
    outside,
    paths,
    states: all.map(({ state }) => state),
    directories: all.map((one) => ({ ...one, root })),
  };
}

/** Another process has the directory locked until it is killed. */
async function locked(t: TestContext, directory: string, how: "-x" | "-s"): Promise<ChildProcess> {
  const other = spawn("/usr/bin/flock", [how, directory, "-c", "echo locked; exec sleep 1000"], { stdio: ["ignore", "pipe", "inherit"], detached: true }); // prettier-ignore
  t.after(() => isAlive(other) && process.kill(-(other.pid as number), "SIGKILL"));
  await once(other.stdout as NonNullable<typeof other.stdout>, "data");
  return other;
}

const isAlive = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

/** Those of the gate with this state directory. Its native programs are there. */
const waitingFor = (state: string) => processesWith("\0lock\0").filter((pid) => processesWith(state).includes(pid));

test("a landing waits while another has its directory, and goes on when that one is killed", async (t) => {
  const { root, states, directories } = setUp(t, 1);
  const gate = openGate(directories[0] as TestDirectories);
  t.after(() => gate.close());
  const other = await locked(t, root, "-x");
  const call = bash(gate, `echo x > ${root}/f`);
  await until("it waits for its turn", () => waitingFor(states[0] as string).length === 1);
  assert.equal(existsSync(`${root}/f`), false);
  process.kill(-(other.pid as number), "SIGKILL");
  assert.equal((await call).exit_code, 0);
  assert.equal(readFileSync(`${root}/f`, "utf8"), "x\n");
});

test("a call that is cancelled while its landing waits lands nothing, unless it keeps what it wrote", async (t) => {
  const { root, states, directories } = setUp(t, 1);
  const [state = ""] = states;
  const gate = openGate(directories[0] as TestDirectories);
  t.after(() => gate.close());
  for (const keeps of [false, true]) {
    const other = await locked(t, root, "-x");
    const abort = new AbortController();
    const call = bash(gate, `echo x > ${root}/f`, { keep_partial: keeps }, { signal: abort.signal });
    await until("it waits for its turn", () => waitingFor(state).length === 1);
    abort.abort();
    process.kill(-(other.pid as number), "SIGKILL");
    const { exit_code, not_kept } = await call;
    assert.deepEqual([exit_code, existsSync(`${root}/f`)], [0, keeps]);
    if (!keeps) assert.match(not_kept?.[0]?.reason ?? "", /the caller cancelled.*kept for a day in .*kept-/);
  }
});

test("a landing waits also where one directory contains the other; a call that writes nothing waits for nobody", async (t) => {
  const { root, paths, states, directories } = setUp(t, 1);
  mkdirSync(`${root}/sub`);
  const gate = openGate(directories[0] as TestDirectories, { paths: paths(`${root}/sub`) });
  t.after(() => gate.close());
  const other = await locked(t, root, "-x");
  assert.equal((await bash(gate, "true")).exit_code, 0);
  const call = bash(gate, `echo x > ${root}/sub/f`);
  await until("it waits for its turn", () => waitingFor(states[0] as string).length === 1);
  process.kill(-(other.pid as number), "SIGKILL");
  assert.equal((await call).exit_code, 0);
  await locked(t, root, "-s");
  assert.equal((await bash(gate, `echo y > ${root}/sub/f`)).exit_code, 0, "landings beside each other need not wait");
});

test("two gates that land the same files at once: one lands all, the other is a conflict and lands nothing", async (t) => {
  const { root, outside, paths, states, directories } = setUp(t, 2);
  const gates = directories.map((one) => openGate(one, { paths: paths() }));
  t.after(() => gates.forEach((gate) => gate.close()));
  for (let round = 1; round <= 2; round += 1) {
    const calls = gates.map(
      (gate, index) =>
      exec(gate, ["/bin/bash", "-c", `cd ${root}; for i in $(seq 450); do echo ${round}-${index} > f$i; done; touch begun-${round}-${index}; until [ -e ${outside}/go-${round} ]; do sleep 0.01; done`]), // prettier-ignore
    );
    for (const [index, state] of states.entries())
      await until("it runs", () => isInLayer(state, `begun-${round}-${index}`));
    writeFileSync(`${outside}/go-${round}`, "");
    const replies = await Promise.all(calls);
    const winner = replies.findIndex(({ ok }) => ok);
    assert.deepEqual(replies.map((reply) => (reply.ok ? "ok" : reply.error)).sort(), ["conflict", "ok"]);
    const found = new Set(Array.from({ length: 450 }, (_, at) => readFileSync(`${root}/f${at + 1}`, "utf8")));
    assert.deepEqual([...found], [`${round}-${winner}\n`], "nothing is mixed");
    assert.equal(existsSync(`${root}/begun-${round}-${1 - winner}`), false);
  }
});

test("a gate that is killed while it has or awaits its turn leaves no lock", async (t) => {
  const { root, states, directories } = setUp(t, 2);
  const [first, second] = directories as [TestDirectories, TestDirectories];
  const other = await locked(t, root, "-x");
  const options = { statePath: first.state, project: first.project, configText: configText(first), args: { argv: ["/bin/bash", "-c", `echo killed > ${root}/f`] } }; // prettier-ignore
  const child = spawn(process.execPath, [join(import.meta.dirname, "../../fixtures/gate-process.ts"), JSON.stringify(options)], { stdio: "ignore" }); // prettier-ignore
  t.after(() => child.kill("SIGKILL"));
  await until("it waits for its turn", () => waitingFor(states[0] as string).length === 1);
  child.kill("SIGKILL");
  await until("nothing of it waits", () => waitingFor(states[0] as string).length === 0);
  process.kill(-(other.pid as number), "SIGKILL");
  assert.equal(bare(["/usr/bin/flock", "-w", "30", "-x", root, "-c", "echo free"]).stdout, "free\n");
  const gate = openGate(second);
  t.after(() => gate.close());
  await bash(gate, `echo next > ${root}/f`);
  assert.equal(readFileSync(`${root}/f`, "utf8"), "next\n");
});
