// T17: nothing starts that is not on record.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { starters, startOnce, waitHere } from "../fixtures/one-start.ts";
import { bash, exec, mark, PERL, processesWith, refused, startedProcesses, until } from "../fixtures/run.ts";

test("when the record cannot be written, nothing starts", async (t) => {
  const directories = makeTestDirectories();
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  await bash(gate, `touch ${directories.root}/first`);
  assert.ok(existsSync(`${directories.root}/first`), "control: while it can, programs run");
  gate.journal.close();
  assert.equal(refused(await exec(gate, ["/usr/bin/touch", `${directories.root}/second`])).error, "internal");
  assert.ok(!existsSync(`${directories.root}/second`));
});

test("when only the end cannot be recorded, the reply says that it was done", async (t) => {
  const directories = makeTestDirectories();
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  const word = mark();
  const running = exec(gate, [PERL, "-e", `kill "STOP", $$ # ${word}`]);
  const own = () =>
    processesWith(word).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1").startsWith(PERL));
  await until("the program runs", () => own().length === 1);
  gate.journal.close();
  for (const pid of own()) process.kill(pid, "SIGKILL");
  const { error, message } = refused(await running);
  assert.equal(error, "internal");
  assert.match(message, /^This was done, and then the gate itself failed: .*cannot be written/);
});

for (const [where, find] of Object.entries(starters))
  test(`${where}: the program starts when its start is on record, and not at all when that fails`, async (t) => {
    const directories = makeTestDirectories();
    t.after(() => directories.remove());
    const made = `${directories.root}/made`;
    const start = (dispatched: () => void) => startOnce(directories, find(), ["/usr/bin/touch", made], dispatched);
    const full = () => {
      waitHere(300); // all the time that a box needs
      throw new Error("the disk is full");
    };
    await assert.rejects(start(full), /the disk is full/);
    assert.ok(!existsSync(made));
    assert.deepEqual(startedProcesses(), [], "the box is gone");

    let wasMade = true;
    const outcome = await start(() => {
      waitHere(300);
      wasMade = existsSync(made);
    });
    assert.ok(!wasMade, "nothing runs while the record is being written");
    assert.ok(outcome.ok && existsSync(made), "control: then it does");
  });

for (const [where, find] of Object.entries(starters))
  test(`${where}: a record that is kept elsewhere is waited for, and nothing starts when it says no`, async (t) => {
    const directories = makeTestDirectories();
    t.after(() => directories.remove());
    const made = `${directories.root}/made`;
    const start = (dispatched: () => Promise<void>) =>
      startOnce(directories, find(), ["/usr/bin/touch", made], dispatched);
    await assert.rejects(
      start(async () => {
        await sleep(300);
        throw new Error("the database is away");
      }),
      /the database is away/,
    );
    assert.ok(!existsSync(made));
    assert.deepEqual(startedProcesses(), [], "the box is gone");

    let wasMade = true;
    const outcome = await start(async () => {
      await sleep(300);
      wasMade = existsSync(made);
    });
    assert.ok(!wasMade, "nothing runs before the answer is there");
    assert.ok(outcome.ok && existsSync(made), "control: then it does");
  });

const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
const slow = `
  import { writeSync } from "node:fs";
  import { startOnce, starters, waitHere } from ${url("../fixtures/one-start.ts")};
  const [place, where, argv, waitMs] = JSON.parse(process.argv[1]);
  await startOnce(place, starters[where](), argv, () => (writeSync(1, "writing"), waitHere(waitMs)));
`;

for (const where of Object.keys(starters))
  test(`${where}: a gate that is killed while it writes the record leaves nothing that starts later`, async (t) => {
    const directories = makeTestDirectories();
    t.after(() => directories.remove());
    const made = `${directories.root}/${mark()}`;
    const gateThatWaits = (waitMs: number) =>
      spawn(
        process.execPath,
        ["--input-type=module", "-e", slow, JSON.stringify([directories, where, ["/usr/bin/touch", made], waitMs])],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
    const killed = gateThatWaits(60_000);
    await new Promise((resolve) => killed.stdout.once("data", resolve));
    await until("the box is built", () => processesWith(made).some((pid) => pid !== killed.pid));
    killed.kill("SIGKILL");
    await until("nothing is left", () => processesWith(made).length === 0);
    assert.ok(!existsSync(made));

    const control = gateThatWaits(100);
    await new Promise((resolve) => control.once("exit", resolve));
    assert.ok(existsSync(made), "control: one that goes on starts it");
  });

test("a program finds its own start on record, made before it began", async (t) => {
  const directories = makeTestDirectories();
  const gate = openGate(directories);
  t.after(() => (gate.close(), directories.remove()));
  let events: string[] = [];
  await exec(
    gate,
    ["/bin/echo", "running"],
    {},
    { onOutput: () => void (events = [...gate.journal.list({})].map(({ event }) => event)) },
  );
  assert.deepEqual(events.sort(), ["tool.call.dispatched", "tool.call.received"]);
});
