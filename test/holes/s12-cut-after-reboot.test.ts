// S12: the note of the last `tool.call.finished` counted for one boot only: after a restart of the machine its entry could
// be cut unseen.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { newCliUser, type CliUser, runner } from "../fixtures/cli.ts";

/** Runs the command as on a machine that was started anew. */
function afterReboot(person: CliUser, args: readonly string[]): string {
  const boot = join(person.root, "boot_id");
  writeFileSync(boot, "22222222-2222-2222-2222-222222222222\n");
  const there = "/proc/sys/kernel/random/boot_id";
  const box = ["--dev-bind", "/", "/", "--ro-bind", boot, there, "--", process.execPath, runner, ...args];
  const done = spawnSync("bwrap", box, { env: person.env, cwd: person.project, encoding: "utf8" });
  return done.stdout;
}

function callAndCut(person: CliUser, beyond: number): void {
  const { out } = person.run(["call", "Exec", '{"argv":["/bin/true"]}']);
  assert.match(out, /"ok":true/);
  const database = new DatabaseSync(join(person.state, "journal.sqlite"));
  assert.equal(database.prepare("SELECT max(seq) AS n FROM entries").get()?.["n"], 3, "received, dispatched, finished");
  database.prepare("DELETE FROM entries WHERE seq > ?").run(beyond);
  database.close();
}

test("after a restart of the machine, a log without its last entry is found", (t) => {
  for (const [seq, firstBad] of [
    [2, 3],
    [3, null],
  ] as const) {
    const person = newCliUser(t, []);
    callAndCut(person, seq);
    const verified = JSON.parse(afterReboot(person, ["audit", "verify", "--json"])) as { first_bad: number | null };
    assert.equal(verified.first_bad, firstBad);
  }
});

test("control: by the chain alone, a log without its last entry is in order", (t) => {
  const person = newCliUser(t, []);
  callAndCut(person, 2);
  const notes = join(person.home, ".config/sallyport/anchors");
  for (const name of readdirSync(notes)) writeFileSync(join(notes, name), "");
  const { out } = person.run(["audit", "verify", "--json"]);
  assert.equal((JSON.parse(out) as { ok: boolean }).ok, true);
});
