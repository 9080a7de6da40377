// Every part of a `sallyport run`, killed at random moments; the draft's holder under two terminals; a disk that gets full.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { newAgentPerson } from "../../fixtures/agent-person.ts";
import { isRoot, until } from "../../fixtures/run.ts";
import { makeSmallDisks, stateOnSmallDisk, withSmallDisks } from "../../fixtures/small-disks.ts";
import { assertWritten, killInTurn, nothingIsLeft, parts, pidOf, startWorking } from "./killed-run.ts";

const ROUNDS = 3;
const DISKS = "SALLYPORT_TEST_RUN_DISKS";
const disks = process.env[DISKS];

if (disks === undefined) {
  test("each part is killed at random moments", { timeout: 600_000 }, async (t) => {
    const person = newAgentPerson(t, { "a.txt": "one\n" });
    const before = person.digest();
    await killInTurn(person, Array.from({ length: ROUNDS }, () => parts).flat(), 500);
    assert.equal(person.digest(), before);
  });

  test("the holder is killed under two terminals: both go on, a third is told why it cannot join", async (t) => {
    const person = newAgentPerson(t, { "a.txt": "one\n" });
    const first = await startWorking(person, "s", "first");
    const second = await startWorking(person, "s", "second");
    process.kill(pidOf(person, first, "holder"), "SIGKILL");
    const third = await person.runBeside(["run", "--session", "s", "--", "ls"]);
    assert.equal(third.code, 126);
    assert.match(third.err, /The process that kept this draft mounted was killed, and calls that it served still run/);
    assert.doesNotMatch(third.err, /\? files/);
    for (const one of [first, second]) {
      const so = one.closed().length;
      await until("it goes on", () => one.closed().length > so);
      one.process.kill("SIGTERM");
      assert.equal(await one.ended, 143);
    }
    await nothingIsLeft(person);
    assertWritten(person, [...first.closed(), ...second.closed()]);
  });

  test("a full disk", { skip: !isRoot && "only root mounts", timeout: 300_000 }, (t) => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-disks-")));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    makeSmallDisks(directory, 0);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const [file = "", ...words] = withSmallDisks(directory, 0, [
      process.execPath,
      "--test-reporter=tap",
      import.meta.filename,
    ]);
    const ran = spawnSync(file, words, { encoding: "utf8", env: { ...env, [DISKS]: directory } });
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
    assert.match(ran.stdout, /^# pass 1$/m);
  });
} else
  test("a full disk ends the program; the session goes on when there is space again", async (t) => {
    const person = newAgentPerson(t, { "a.txt": "one\n" });
    const env = { SALLYPORT_STATE: stateOnSmallDisk(disks, "24m") };
    assert.equal(
      (await person.runBeside(["run", "--session", "s", "--", "bash", "-c", "echo kept > kept"], env)).code,
      0,
    );
    const [name = ""] = readdirSync(join(env.SALLYPORT_STATE, "drafts"));
    const other = join(env.SALLYPORT_STATE, "drafts", name, "other");
    const fill = "head -c 100M /dev/zero > big; echo over";
    const full = await person.runBeside(["run", "--session", "s", "--", "bash", "-c", fill], env);
    assert.match(full.err, /No space left|the disk is nearly full/);
    fillUp(other);
    const refused = await person.runBeside(["run", "--session", "s", "--", "true"], env);
    assert.equal(refused.code, 126);
    assert.match(
      refused.err,
      /The draft could not be mounted: the disk is full\.\nhint: Free some space on the disk of /,
    );
    rmSync(other);
    const more = ["run", "--session", "s", "--", "bash", "-c", "cat kept a.txt; rm big; echo on > on; cat on"];
    const next = await person.runBeside(more, env);
    assert.deepEqual([next.code, next.out], [0, "kept\none\non\n"], next.err);
  });

/** Takes all the space that is left on the disk of a file. */
function fillUp(file: string): void {
  for (let size = 1 << 20; size >= 1; size = Math.floor(size / 16))
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
    }
}
