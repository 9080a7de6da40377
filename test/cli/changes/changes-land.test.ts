import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import test, { suite } from "node:test";
import { noTerminal } from "../../fixtures/cli.ts";
import { newChanger } from "../../fixtures/changed-session.ts";
import { openDialog } from "../../fixtures/dialog.ts";

test("land makes one commit of the person's on a branch of the session, and the work tree stays", (t) => {
  const person = newChanger(t, { "a.txt": "one\n", "b.txt": "b\n", "gone.txt": "g\n" });
  person.write("b.txt", "b, not committed\n");
  person.bash("fix", "echo two >> a.txt; git commit -qam inside; echo new > n.txt; rm gone.txt");
  const done = person.changes("land", "fix", "--yes");
  assert.deepEqual([done.code, done.err], [0, ""]);
  assert.match(done.out, /a\.txt[^]*3 files landed as [0-9a-f]{12} on sallyport\/fix of \//);
  assert.equal(person.git("log", "--format=%an %s", "-1", "sallyport/fix"), "Ann Changes of session fix\n");
  // Only what the session has changed: not what the person had not committed.
  assert.equal(person.git("diff", "--name-status", "main", "sallyport/fix"), "M\ta.txt\nD\tgone.txt\nA\tn.txt\n");
  assert.deepEqual([person.read("a.txt"), person.read("b.txt")], ["one\n", "b, not committed\n"]);
  const [event] = person.events("session.landed");
  const { who, commit, ...rest } = event?.outcome ?? {};
  assert.deepEqual(rest, { place: person.project, how: "branch", branch: "sallyport/fix", files: 3 });
  assert.match(String(who), / with --yes$/);
  assert.equal(commit, person.git("rev-parse", "sallyport/fix").trim());
  assert.match(person.run(["audit", "list", "--event", "session.landed"]).out, /3 files in .*, by .* with --yes/);
  assert.match(person.changes("list").out, /^No session has work that has not landed/, "the deletion has landed too");
});

test("--branch and --message name both; an agent that may not push itself does not matter, a rule of the person does", (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("fix", "echo two >> a.txt");
  const config = JSON.parse(readFileSync(person.configFile, "utf8")) as {
    agents: { default: { tool_grants: string[] } };
    policy?: object;
    approvals?: object;
  };
  config.agents.default.tool_grants = ["Bash"];
  config.policy = { rules: [{ decide: "deny", effect: "push", branch: "main", because: "released from" }] };
  config.approvals = { mode: "deny" };
  writeFileSync(person.configFile, JSON.stringify(config));
  const denied = person.changes("land", "fix", "--branch", "main", "--yes");
  assert.equal(denied.code, 1);
  assert.match(denied.err, /released from/);
  assert.equal(person.read("a.txt"), "one\n");
  assert.equal(person.changes("land", "fix", "--branch", "topic", "--message", "Mend it", "--yes").code, 0);
  assert.equal(person.git("log", "--format=%s", "-1", "topic"), "Mend it\n");
  // Nothing stays staged of the one that was denied.
  assert.equal(person.run(["review", "--json", "--staged"]).out, "[]\n");
  assert.equal(person.changes("land", "fix", "--here", "--branch", "x", "--yes").code, 2);
});

test("where the branch is checked out, the files follow, unless the person has changed them", (t) => {
  const person = newChanger(t, { "a.txt": "one\n", "b.txt": "b\n" });
  person.bash("fix", "echo two >> a.txt; echo c >> b.txt");
  person.write("b.txt", "mine\n");
  const refused = person.changes("land", "fix", "--branch", "main", "--yes");
  assert.equal(refused.code, 1);
  assert.match(refused.err, /b\.txt.* modified on disk/);
  person.write("b.txt", "b\n");
  assert.equal(person.changes("land", "fix", "--branch", "main", "--yes").code, 0);
  assert.deepEqual([person.read("a.txt"), person.git("status", "--porcelain")], ["one\ntwo\n", ""]);
});

test("--commits lands the commits that were made inside, one by one, and leaves behind what is not committed", (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash(
    "fix",
    "echo two >> a.txt; git commit -qam first; echo b > b.txt; git add b.txt; git commit -qm second; echo c > c.txt",
  );
  const done = person.changes("land", "fix", "--commits", "--yes");
  assert.deepEqual([done.code, done.err], [0, ""]);
  assert.match(done.out, /first[^]*second[^]*2 commits, 2 files landed as [0-9a-f]{12} on sallyport\/fix of \//);
  assert.equal(person.git("log", "--format=%an %s", "main..sallyport/fix"), "Ann second\nAnn first\n");
  assert.equal(person.git("ls-tree", "--name-only", "sallyport/fix"), "a.txt\nb.txt\n");
  const again = person.changes("land", "fix", "--commits", "--yes");
  assert.equal(again.code, 1);
  assert.match(again.err, /All commits of this session have landed/);
  assert.equal(person.changes("land", "fix", "a.txt", "--commits", "--yes").code, 2);
});

test("a rule that allows the push, and a remembered yes, answer for the agent and not for the person", (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  const config = JSON.parse(readFileSync(person.configFile, "utf8")) as { policy?: object };
  config.policy = {
    rules: [{ decide: "allow", effect: "push", target: person.project, branch: "sallyport/fix" }],
  };
  writeFileSync(person.configFile, JSON.stringify(config));
  person.bash("fix", "echo two >> a.txt");
  const asked = person.changes("land", "fix");
  assert.equal(asked.code, 2, "nobody can be asked here");
  assert.equal(person.git("branch", "--list", "sallyport/*"), "");
  const done = person.changes("land", "fix", "--yes");
  assert.match(done.out, /\+.*two[^]*1 file landed/, "the diff is shown");
  const answers = person.events("approval.answered");
  assert.deepEqual([answers.length, answers[0]?.outcome["decision"]], [1, "allow"]);
  // The record names the person as who called, and has the landing as an event of its own.
  const calls = person.run(["audit", "list", "--event", "tool.call.received"]).out;
  assert.match(
    calls,
    /git_push .* called by \S+ with --yes: .*\n.*git_stage .* called by \S+ with --yes: .*\n.*Bash .*a\.txt\n/,
  );
  assert.match(
    person.run(["audit", "list", "--event", "session.landed"]).out,
    /1 file in .*, branch sallyport\/fix as [0-9a-f]{12}, by .* with --yes/,
  );
  // The control: the agent itself is not asked.
  person.bash("fix", "echo three >> a.txt");
  const stage = ["call", "git_stage", JSON.stringify({ files: ["a.txt"], message: "m" }), "--session", "fix"];
  const staged = JSON.parse(person.run(stage).out) as { result: { id: string } };
  const push = ["call", "git_push", JSON.stringify({ commitId: staged.result.id }), "--session", "fix"];
  assert.equal(person.run(push).code, 0);
  assert.equal(person.events("approval.requested").length, 1);
});

test("a draft that begins is in the record, with the call that began it", (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("fix", "echo two >> a.txt");
  person.bash("fix", "echo three >> a.txt");
  const began = person.events("session.began");
  assert.equal(began.length, 1);
  assert.deepEqual([began[0]?.session, began[0]?.outcome["project"]], ["fix", person.project]);
  assert.match(person.run(["audit", "list", "--event", "session.began"]).out, / Bash .* project-fix-\S+ of \//);
});

suite("on a terminal", { skip: noTerminal }, () => {
  test("the push is shown, and nothing lands without y and Enter", async (t) => {
    const person = newChanger(t, { "a.txt": "one\n" });
    person.bash("fix", "echo two >> a.txt");
    const no = openDialog(t, person, ["changes", "land", "fix"]);
    await no.until("[y] land this commit");
    assert.match(no.output(), /sallyport\/fix[^]*two/);
    await no.press("y");
    await no.until("[Enter] says yes");
    await no.press("q");
    assert.equal(await no.ended, 1);
    assert.equal(person.git("branch", "--list", "sallyport/*"), "");
    const yes = openDialog(t, person, ["changes", "land", "fix"]);
    await yes.until("[y] land this commit");
    await yes.press("y");
    await yes.until("[Enter] says yes");
    await yes.press("\r");
    assert.equal(await yes.ended, 0);
    assert.equal(person.git("show", "sallyport/fix:a.txt"), "one\ntwo\n");
    assert.deepEqual(
      person.events("approval.answered").map(({ outcome }) => outcome["decision"]),
      ["allow", "deny"],
    );
  });
});
