import assert from "node:assert/strict";
import { existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import test, { suite } from "node:test";
import { noTerminal } from "../../fixtures/cli.ts";
import { type Changer, newChanger } from "../../fixtures/changed-session.ts";
import { openDialog, pause } from "../../fixtures/dialog.ts";
import { openDraft } from "../../fixtures/draft-gate.ts";

const names = (person: Changer, folder: string) =>
  existsSync(join(person.state, folder)) ? readdirSync(join(person.state, folder)) : [];

test("discard throws a session away for a day, restore takes it back, and the record has both", (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("fix", "echo two >> a.txt; git commit -qam inside; echo x > $HOME/kept");
  const before = person.changes("diff", "fix").out;
  const done = person.changes("discard", "fix", "--yes");
  assert.deepEqual([done.code, done.err], [0, ""]);
  assert.match(
    done.out,
    /^Session fix of default, begun [^]*a\.txt \| \+1 -0\n[^]*Discarded\. It is kept until .*changes restore project-fix-/,
  );
  assert.equal(person.changes("list").out, "No session has work that has not landed.\n");
  assert.equal(person.changes("diff", "fix").code, 1);
  const { sessions } = JSON.parse(person.changes("list", "--discarded", "--json").out) as {
    sessions: Record<string, string>[];
  };
  const [{ begun = "", discarded = "", kept_until: until = "", ...rest } = {}] = sessions;
  assert.deepEqual(rest, { session: "fix", agent: "default", project: person.project, draft: rest["draft"] });
  assert.ok(begun < discarded);
  assert.equal(Date.parse(until) - Date.parse(discarded), 24 * 3600 * 1000);
  assert.match(person.changes("list", "--discarded").out, /^session +agent +discarded +kept until +project\nfix /);
  // The session begins anew, and that does not stand in the way.
  person.bash("fix", 'test "$(cat a.txt)" = one; test ! -e $HOME/kept');
  assert.match(person.changes("restore", "fix").out, /^Session fix is back/);
  assert.equal(person.changes("diff", "fix").out, before);
  person.bash("fix", "git log --format=%s | grep -q inside; test -e $HOME/kept");
  const [event] = person.events("session.discarded");
  assert.deepEqual([event?.session, event?.agent, event?.outcome["files"]], ["fix", "default", 1]);
  assert.match(String(event?.outcome["who"]), / with --yes$/);
  assert.equal(person.events("session.restored").length, 1);
  assert.match(person.run(["audit", "list", "--event", "session.discarded"]).out, /1 file, by .* with --yes/);
});

test("without a terminal and without --yes it is refused before anything is read", (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("fix", "echo two >> a.txt");
  const done = person.changes("discard", "fix");
  assert.deepEqual([done.code, done.out], [2, ""]);
  assert.match(done.err, /discard asks first: it needs a terminal[^]*hint: --yes/);
  assert.equal(names(person, "drafts").length, 1);
});

test("what was discarded is swept after a day, not before", (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("fix", "echo two >> a.txt");
  person.changes("discard", "fix", "--yes");
  person.bash("other", "true");
  const [kept = ""] = names(person, "discarded");
  assert.notEqual(kept, "");
  const old = kept.replace(/\d+$/, (at) => String(Number(at) - 24 * 3600 * 1000 - 1));
  renameSync(join(person.state, "discarded", kept), join(person.state, "discarded", old));
  person.bash("other", "true");
  assert.deepEqual(names(person, "discarded"), []);
  assert.equal(person.changes("restore", "fix").code, 1);
});

test("a session that has changed something again is not overwritten by restore", (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("fix", "echo first >> a.txt");
  person.changes("discard", "fix", "--yes");
  person.bash("fix", "echo second >> a.txt");
  const refused = person.changes("restore", "fix");
  assert.equal(refused.code, 1);
  assert.match(refused.err, /Nothing was restored\. The session has begun another draft/);
  assert.match(person.changes("diff", "fix").out, /^\+second$/m);
  assert.equal(names(person, "discarded").length, 1);
});

test("while a program of the session runs it is refused; a gate that is only open gets a new draft", async (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  process.env["XDG_CONFIG_HOME"] = join(person.home, ".config"); // where the key of the record is
  const gate = openDraft(
    t,
    { ...person, path: person.project, outside: "", digest: () => "" },
    { hide: ["*.secret"] },
    { session: "fix" },
  );
  await gate.bash("echo two >> a.txt");
  const running = gate.bash("touch begun; while [ ! -e end ]; do sleep 0.05; done");
  const drafts = () => names(person, "drafts").map((name) => join(person.state, "drafts", name));
  while (!drafts().some((path) => existsSync(join(path, "upper/begun")))) await pause(20);
  const busy = person.changes("discard", "fix", "--yes");
  assert.equal(busy.code, 1);
  assert.match(busy.err, /Nothing was discarded: a program of the session runs/);
  assert.equal(person.events("session.discarded").length, 0);
  await gate.result("write_file", { path: "end", content: "" });
  await running;
  assert.equal(person.changes("discard", "fix", "--yes").code, 0);
  // The open gate notices, in every tool.
  assert.equal((await gate.result("read_file", { path: "a.txt" }))["content"], "one\n");
  assert.equal(await gate.bash("cat a.txt; echo three >> a.txt"), "one\n");
  assert.match(person.changes("diff", "fix").out, /^\+three$/m);
  assert.doesNotMatch(person.changes("diff", "fix").out, /two/);
});

suite("on a terminal", { skip: noTerminal, concurrency: 2 }, () => {
  test("y and then Enter discard it; one key alone, or keys typed ahead, do not", async (t) => {
    const person = newChanger(t, { "a.txt": "one\n" });
    person.bash("fix", "echo two >> a.txt");
    const ahead = openDialog(t, person, ["changes", "discard", "fix"]);
    ahead.send("y\r");
    await ahead.until("[y] discard it");
    await ahead.press("y");
    await ahead.until("[Enter] says yes");
    await ahead.press("n");
    assert.equal(await ahead.ended, 1);
    assert.match(ahead.output(), /Nothing was changed/);
    assert.equal(names(person, "drafts").length, 1);
    const dialog = openDialog(t, person, ["changes", "discard", "fix"]);
    await dialog.until("[y] discard it");
    assert.match(dialog.output(), /a\.txt \| \+1 -0/);
    await dialog.press("y");
    await dialog.until("[Enter] says yes");
    await dialog.press("\r");
    assert.equal(await dialog.ended, 0);
    assert.equal(names(person, "discarded").length, 1);
    assert.match(String(person.events("session.discarded")[0]?.outcome["who"]), / at pts\//);
  });
});
