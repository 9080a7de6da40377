import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { newCliUser, type CliUser, runner } from "../../fixtures/cli.ts";

const exec = (...argv: string[]) => ["call", "Exec", JSON.stringify({ argv })];

function threeCalls(person: CliUser): void {
  person.run(exec("/bin/echo", "first"));
  person.run(["call", "Nope"]);
  person.run([...exec("/bin/false", "\u001b[2J\u202eevil"), "--session", "other"]);
}

function listed(
  person: CliUser,
  ...flags: string[]
): { seq: number; event: string; call_id: string; session: string }[] {
  return JSON.parse(person.run(["audit", "list", "--json", ...flags]).out) as ReturnType<typeof listed>;
}

test("where no log is, every command says so and makes none", (t) => {
  const person = newCliUser(t, undefined, { hasState: false });
  for (const name of ["list", "verify", "stats"]) {
    const done = person.run(["audit", name]);
    assert.deepEqual([done.code, done.err], [0, ""]);
    assert.match(done.out, /^No calls yet/);
  }
  assert.deepEqual(person.run(["audit", "list", "--json"]), { code: 0, out: "[]\n", err: "" });
  assert.deepEqual(person.run(["audit", "export"]), { code: 0, out: "", err: "" });
  assert.deepEqual(JSON.parse(person.run(["audit", "verify", "--json"]).out), {
    ok: true,
    entries: 0,
    first_bad: null,
    reason: null,
  });
  assert.equal((JSON.parse(person.run(["audit", "stats", "--json"]).out) as { entries: number }).entries, 0);
  assert.equal(person.run(["audit", "show", "1"]).code, 1);
  assert.equal(existsSync(person.state), false);
});

test("list shows the newest first, and its filters filter", (t) => {
  const person = newCliUser(t);
  threeCalls(person);
  assert.deepEqual(
    listed(person).map(({ seq }) => seq),
    [8, 7, 6, 5, 4, 3, 2, 1],
  );
  assert.deepEqual(
    listed(person, "--limit", "2", "--before", "5").map(({ seq }) => seq),
    [4, 3],
  );
  assert.deepEqual(
    listed(person, "--event", "denied").map(({ event }) => event),
    ["tool.call.denied"],
  );
  assert.deepEqual(
    listed(person, "--event", "tool.call.denied").map(({ event }) => event),
    ["tool.call.denied"],
  );
  assert.deepEqual(new Set(listed(person, "--session", "other").map(({ seq }) => seq)), new Set([6, 7, 8]));
  assert.equal(listed(person, "--tool", "Nope").length, 2);
  assert.equal(listed(person, "--text", "FIRST").length, 2);
  assert.equal(listed(person, "--since", "1h").length, 8);
  assert.equal(listed(person, "--until", "1h").length, 0);
  assert.equal(listed(person, "--since", "2020-01-01").length, 8);
  assert.equal(listed(person, "--call", listed(person)[0]?.call_id ?? "").length, 3);
  const table = person.run(["audit", "list"]).out;
  assert.match(table, /^time +seq +event +tool +agent +decision +what\n/);
  assert.match(table, / 1 +received +Exec +default +- +\/bin\/echo first\n/);
  assert.match(table, / 5 +denied +Nope +default +deny +tool_not_found: /);
  assert.match(table, / 8 +finished +Exec +default +- +exit 1 after /);
});

test("nothing that an agent wrote acts on the screen", (t) => {
  const person = newCliUser(t);
  threeCalls(person);
  for (const args of [["list"], ["show", "6"], ["stats"], ["export"], ["list", "--json"], ["show", "6", "--json"]]) {
    const { out } = person.run(["audit", ...args]);
    assert.doesNotMatch(out, /[[\p{Cc}\u202e]--\n]/v, args.join(" "));
    if (args[0] !== "stats") assert.match(out, /evil/);
  }
});

test("show tells the whole story of a call, by any of its numbers or its id", (t) => {
  const person = newCliUser(t);
  threeCalls(person);
  const story = person.run(["audit", "show", "2"]);
  assert.equal(story.code, 0);
  for (const part of [
    "tool.call.received",
    "tool.call.dispatched",
    "tool.call.finished",
    "/bin/echo first",
    "fs_grants: r /usr",
    "exit 0",
  ]) {
    assert.ok(story.out.includes(part), part);
  }
  assert.doesNotMatch(story.out, /No end was recorded/);
  assert.equal(person.run(["audit", "show", listed(person, "--text", "first")[0]?.call_id ?? ""]).out, story.out);
  assert.equal((JSON.parse(person.run(["audit", "show", "3", "--json"]).out) as unknown[]).length, 3);
  const missing = person.run(["audit", "show", "99"]);
  assert.deepEqual([missing.code, missing.out], [1, ""]);
});

test("verify is 0 on a log that is in order, and 1 with the first broken entry on one that is not", (t) => {
  const person = newCliUser(t);
  threeCalls(person);
  assert.deepEqual(JSON.parse(person.run(["audit", "verify", "--json"]).out), {
    ok: true,
    entries: 8,
    first_bad: null,
    reason: null,
  });
  assert.match(person.run(["audit", "verify"]).out, /^In order: 8 entries/);
  const database = new DatabaseSync(`${person.state}/journal.sqlite`);
  database.exec("UPDATE entries SET tool = 'Other' WHERE seq = 3");
  database.close();
  const done = person.run(["audit", "verify", "--json"]);
  const told = JSON.parse(done.out) as { ok: boolean; entries: number; first_bad: number; reason: string };
  assert.deepEqual([done.code, told.ok, told.entries, told.first_bad], [1, false, 8, 3]);
  const text = person.run(["audit", "verify"]);
  assert.equal(text.code, 1);
  assert.match(text.out, /^NOT in order, first at entry 3: entry 3 was changed/);
});

test("a log that cannot even be read does not verify", (t) => {
  const person = newCliUser(t);
  threeCalls(person);
  writeFileSync(
    `${person.state}/journal.sqlite`,
    "this is not a database, and long enough to be looked at. ".repeat(100),
  );
  const done = person.run(["audit", "verify", "--json"]);
  const told = JSON.parse(done.out) as { ok: boolean; reason: string };
  assert.deepEqual([done.code, told.ok], [1, false]);
  assert.match(told.reason, /cannot be/);
});

test("the record can be read when the configuration cannot", (t) => {
  const person = newCliUser(t);
  threeCalls(person);
  writeFileSync(person.configFile, "not: valid\n");
  assert.equal(person.run(["call", "Nope"]).code, 2, "the control: a call stops");
  assert.equal(person.run(["audit", "verify"]).code, 0);
  assert.equal(listed(person).length, 8);
});

test("export prints a JSON line an entry, oldest first, and ends quietly when its reader goes", (t) => {
  const person = newCliUser(t);
  threeCalls(person);
  const lines = person.run(["audit", "export"]).out.trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { seq: number }).seq),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
  assert.equal(person.run(["audit", "export", "--event", "denied"]).out.trimEnd().split("\n").length, 1);
  const command = `${process.execPath} ${runner} audit export | true; echo \${PIPESTATUS[0]}`;
  const done = spawnSync("bash", ["-c", command], { env: person.env, encoding: "utf8" });
  assert.equal(done.stderr, "");
  assert.match(done.stdout, /^(?:0|141)\n$/);
});

test("stats count, and show calls without an end", (t) => {
  const person = newCliUser(t);
  threeCalls(person);
  const database = new DatabaseSync(`${person.state}/journal.sqlite`);
  database.exec("DELETE FROM entries WHERE seq = 8");
  database.close();
  const { out } = person.run(["audit", "stats"]);
  assert.match(out, /^3 calls, /);
  assert.match(out, /Calls by tool\n {2}Exec +2 +█+\n {2}Nope +1 +█+\n/);
  assert.match(out, /Refusals by reason\n {2}tool_not_found +1 /);
  assert.match(out, /Calls without an end: 1\n {2}6 /);
  assert.match(person.run(["audit", "stats"], { env: { LANG: "C" } }).out, /Exec +2 +#+\n/);
  assert.match(person.run(["audit", "show", "6"]).out, /No end was recorded/);
  const json = JSON.parse(person.run(["audit", "stats", "--json"]).out) as {
    calls: number;
    calls_without_end: unknown[];
  };
  assert.deepEqual([json.calls, json.calls_without_end.length], [3, 1]);
});
