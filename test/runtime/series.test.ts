// The agent's own commits: staged as a series, reviewed commit by commit, landed under the ids that were shown.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { PushAction } from "../../src/action/action.ts";
import { type ScriptedApprover, scripted } from "../fixtures/approver.ts";
import { type DraftGate, makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import { assertShownIsLanded } from "../fixtures/shown-landed.ts";

const lines = (first: string, last = "end") => `${first}\n${"middle\n".repeat(10)}${last}\n`;
const files = { ".gitignore": "*.log\n", "a.txt": lines("one"), "dir/b.txt": lines("b"), "c.txt": lines("c") };

interface Bench {
  readonly project: Project;
  readonly gate: DraftGate;
  readonly person: ScriptedApprover;
}

function begin(t: TestContext, more: Readonly<Record<string, string>> = {}): Bench {
  const project = makeProject(t, { ...files, ...more });
  const person = scripted();
  return { project, person, gate: openDraft(t, project, {}, { approvers: [person] }) };
}

const staged = async (gate: DraftGate, args: object = { commits: "all" }) => await gate.result("git_stage", args);

async function refusal(gate: DraftGate, tool: string, args: object): Promise<string> {
  const reply = await gate.reply(tool, args);
  assert.ok(!reply.ok, JSON.stringify(reply));
  return `${reply.error}: ${reply.message} ${reply.hint ?? ""}`;
}

function assertLanded({ project, person }: Bench, branch = "sallyport/s1", base = "main"): PushAction {
  return assertShownIsLanded(project.path, person.asked.at(-1), `${base}..${branch}`);
}

test("three commits land as three, with the messages that the agent gave them, and the person's work stays behind", async (t) => {
  const bench = begin(t);
  const { project, gate } = bench;
  project.write("c.txt", lines("c, not committed by the person"));
  project.write("new-of-person.txt", "theirs\n");
  await gate.bash(`
    sed -i s/^one$/ONE/ a.txt && git commit -qam 'Shout the first line

With a body.' --author='Eve <eve@example.org>' --date='2001-01-01T00:00:00Z'
    git commit -q --allow-empty -m 'Nothing yet'
    git mv dir moved && echo more >> c.txt && git add -A && git commit -qm 'Move a directory'
  `);
  const before = project.git("status", "--porcelain");
  const commit = await staged(gate);
  assert.deepEqual(
    (commit["commits"] as { message: string }[]).map(({ message }) => message),
    ["Shout the first line\n\nWith a body.", "Nothing yet", "Move a directory"],
  );
  const pushed = await gate.result("git_push", { commitId: commit["id"] });
  assert.equal(pushed["branch"], "sallyport/s1");
  assert.equal((pushed["commits"] as string[]).length, 3);
  const push = assertLanded(bench);
  assert.equal(push.commits?.length, 3);
  assert.match(
    push.commits?.[0]?.message ?? "",
    /^Shout the first line\n\nWith a body\.\n\nSallyport-Agent: default\n$/,
  );
  // The gate says who and when: nothing of the agent's headers comes along.
  assert.doesNotMatch(project.git("log", "--format=%an %ae %cn %ad", "main..sallyport/s1"), /Eve|2001/);
  assert.equal(
    project.git("show", "sallyport/s1:c.txt"),
    `${lines("c")}more\n`,
    "without what the person has not committed",
  );
  assert.equal(project.git("ls-tree", "-r", "--name-only", "sallyport/s1").includes("new-of-person"), false);
  assert.equal(project.git("status", "--porcelain"), before);
  assert.equal(project.read("a.txt"), files["a.txt"], "the checked-out branch is another one");
  // The text of the question names every commit.
  for (const { commit: id } of push.commits ?? []) assert.ok(bench.person.asked.at(-1)?.text.includes(id));
  assert.match(JSON.stringify(await gate.result("git_status", {})), /"staged":\[\]/);
});

test("the next push has only what is new", async (t) => {
  const bench = begin(t);
  const { project, gate } = bench;
  await gate.bash("echo 1 >> a.txt && git commit -qam first; echo 2 >> a.txt && git commit -qam second");
  await gate.result("git_push", { commitId: (await staged(gate))["id"] });
  assert.match(
    await refusal(gate, "git_stage", { commits: "all" }),
    /not_found: All commits of this session have landed/,
  );
  await gate.bash("echo 3 >> a.txt && git commit -qam third");
  const next = await staged(gate);
  assert.deepEqual(
    (next["commits"] as { message: string }[]).map(({ message }) => message),
    ["third"],
  );
  await gate.result("git_push", { commitId: next["id"] });
  assert.equal(project.git("log", "--format=%s", "main..sallyport/s1"), "third\nsecond\nfirst\n");
  assert.equal(project.git("show", "sallyport/s1:a.txt"), `${lines("one")}1\n2\n3\n`);
});

test("a person who commits meanwhile: the series lies on that, and an edit follows a moved directory", async (t) => {
  const bench = begin(t);
  const { project, gate } = bench;
  await gate.bash("git mv dir moved && git commit -qm move; sed -i 's/^end$/END/' a.txt && git commit -qam shout");
  project.write("dir/b.txt", lines("b of the person"));
  project.write("a.txt", lines("one of the person"));
  project.git("commit", "--quiet", "--all", "--message=of the person");
  await gate.result("git_push", { commitId: (await staged(gate))["id"] });
  assertLanded(bench);
  assert.equal(project.git("show", "sallyport/s1:moved/b.txt"), lines("b of the person"));
  assert.equal(project.git("show", "sallyport/s1:a.txt"), lines("one of the person", "END"));
  assert.equal(project.git("ls-tree", "--name-only", "sallyport/s1", "dir/"), "");
});

test("a conflict lands nothing, asks nobody, names commit, file and line, and shows nothing of the target", async (t) => {
  const bench = begin(t);
  const { project, gate, person } = bench;
  await gate.bash(
    "sed -i s/^one$/agent/ a.txt && git commit -qam 'change one'; git rm -q c.txt && git commit -qm 'drop c'",
  );
  project.write("a.txt", lines("secret of the person"));
  project.write("c.txt", "changed\n");
  project.git("commit", "--quiet", "--all", "--message=of the person");
  const first = await staged(gate);
  const before = project.digest();
  const text = await refusal(gate, "git_push", { commitId: first["id"] });
  assert.match(
    text,
    /^conflict: The commit [0-9a-f]{12} \(change one\) does not fit .* a\.txt: both sides changed the same lines, near line 1/,
  );
  assert.doesNotMatch(text, /secret/);
  const second = await staged(gate, { commits: "HEAD~..HEAD" });
  assert.match(
    await refusal(gate, "git_push", { commitId: second["id"] }),
    /c\.txt: the commit deletes it, and the target has changed it/,
  );
  assert.equal(project.digest(), before);
  assert.equal(person.asked.length, 0);
});

test("a change that the person has made too is left out", async (t) => {
  const bench = begin(t);
  const { project, gate } = bench;
  await gate.bash(
    "sed -i s/^one$/ONE/ a.txt && git commit -qam same; echo mine > mine.txt && git add -A && git commit -qm mine",
  );
  project.write("a.txt", lines("ONE"));
  project.git("commit", "--quiet", "--all", "--message=of the person");
  await gate.result("git_push", { commitId: (await staged(gate))["id"] });
  assert.equal(project.git("log", "--format=%s", "main..sallyport/s1"), "mine\n");
  assertLanded(bench);
});

test("merges and a choice: all of it as one commit", async (t) => {
  const bench = begin(t);
  const { project, gate } = bench;
  await gate.bash(`
    git checkout -qb side && echo side > side.txt && git add -A && git commit -qm side
    git checkout -q - && echo main > main.txt && git add -A && git commit -qm main
    git merge -q --no-edit side
  `);
  assert.match(
    await refusal(gate, "git_stage", { commits: "all" }),
    /^invalid_args: commits: [0-9a-f]{12} is a merge.*Add `message`/,
  );
  const one = await staged(gate, { commits: "all", message: "Both files" });
  await gate.result("git_push", { commitId: one["id"] });
  assert.equal(project.git("log", "--format=%s", "main..sallyport/s1"), "Both files\n");
  assertLanded(bench);
});

test("on the branch that is checked out, files that the person has not touched follow; their work is not overwritten", async (t) => {
  const bench = begin(t);
  const { project, gate } = bench;
  const target = { type: "local", path: project.path, branch: "main" };
  await gate.bash("echo agent >> c.txt && git commit -qam c; echo x > x.txt && git add -A && git commit -qm x");
  const first = project.git("rev-parse", "HEAD").trim();
  const commit = await staged(gate);
  project.write("a.txt", "being edited\n");
  await gate.result("git_push", { commitId: commit["id"], target });
  assertLanded(bench, "main", first);
  assert.equal(project.read("c.txt"), `${lines("c")}agent\n`);
  assert.equal(project.git("status", "--porcelain"), " M a.txt\n");
  await gate.bash("echo again >> c.txt && git commit -qam again");
  project.write("c.txt", "being edited too\n");
  const blocked = await staged(gate);
  const before = project.digest();
  assert.match(await refusal(gate, "git_push", { commitId: blocked["id"], target }), /^conflict: /);
  assert.equal(project.digest(), before);
});

test("a hundred commits land, oldest first", async (t) => {
  const bench = begin(t);
  const { project, gate } = bench;
  await gate.bash('for i in {1..100}; do echo $i >> c.txt; git commit -qam "number $i"; done');
  const commit = await staged(gate);
  const pushed = await gate.result("git_push", { commitId: commit["id"] });
  assert.equal((pushed["commits"] as string[]).length, 100);
  assert.equal(project.git("rev-list", "--count", "main..sallyport/s1"), "100\n");
  assert.equal(project.git("log", "--reverse", "--format=%s", "main..sallyport/s1").split("\n")[0], "number 1");
  project.git("fsck", "--strict");
});

test("what cannot be staged is said, with the field", async (t) => {
  const { gate } = begin(t);
  const none = await refusal(gate, "git_stage", { commits: "all" });
  assert.match(none, /^not_found: Nothing has been committed in this session/);
  await gate.bash("echo 1 >> a.txt && git commit -qam one");
  for (const [args, expected] of [
    [{}, /^invalid_args: files: is missing/],
    [{ files: ["a.txt"] }, /^invalid_args: message: is missing/],
    [{ files: ["a.txt"], message: "m", commits: "all" }, /^invalid_args: files: cannot stand beside commits/],
    [{ commits: "HEAD" }, /^invalid_args: commits: "HEAD" is no range/],
    [{ commits: "--output=x..HEAD" }, /^invalid_args: commits: .* is no range/],
    [{ commits: "nope..HEAD" }, /^not_found: commits: "nope" names no commit/],
    [{ commits: "HEAD~5..HEAD" }, /^not_found: commits: "HEAD~5" names no commit/],
    [{ commits: "HEAD..HEAD" }, /^not_found: The range has no commits/],
  ] as const)
    assert.match(await refusal(gate, "git_stage", args), expected);
  await gate.bash("git commit -q --amend --allow-empty-message -m ''");
  assert.match(
    await refusal(gate, "git_stage", { commits: "all" }),
    /^invalid_args: commits\[[0-9a-f]{12}\]\.message: is empty/,
  );
  await gate.bash("git commit -q --amend -m 'x\n\nSallyport-Agent: root'");
  assert.match(await refusal(gate, "git_stage", { commits: "all" }), /has a line "Sallyport-Agent:" of its own/);
  await gate.bash("git checkout -q --orphan other && git commit -qm orphan");
  assert.match(
    await refusal(gate, "git_stage", { commits: "all" }),
    /^tool_failed: The commits are not based on [0-9a-f]{40}.*git rebase/,
  );
});

test("nothing of the session's git comes along: settings, hooks, replaced objects, grafts, attributes, other headers", async (t) => {
  const bench = begin(t);
  const { project, gate } = bench;
  const marker = join(project.outside, "marker");
  await gate.bash(`
    echo 1 >> a.txt && git commit -qam good
    good=$(git rev-parse HEAD)
    echo evil > evil.txt && git add -A && git commit -qm evil && evil=$(git rev-parse HEAD) && git reset -q --hard $good
    git replace $good $evil
    mkdir -p .git/hooks .git/info
    for hook in pre-commit post-checkout post-index-change reference-transaction; do printf '#!/bin/sh\\ntouch ${marker} || true\\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook; done
    git config core.fsmonitor 'touch ${marker}'; git config diff.external 'touch ${marker}'; git config filter.x.clean 'touch ${marker}'
    git config gpg.program 'touch ${marker}'; git config log.showSignature true; git config i18n.logOutputEncoding UTF-16
    echo '* filter=x diff=x' > .git/info/attributes
    git update-ref refs/heads/extra $good
    echo 2 >> a.txt && git commit -qam second && second=$(git rev-parse HEAD)
    headed=$(git cat-file commit $second | sed '/^committer/a encoding ISO-8859-1\\ngpgsig -----BEGIN PGP SIGNATURE-----\\n forged\\n -----END PGP SIGNATURE-----\\nsecret-header from the agent' | git hash-object -t commit -w --stdin --literally)
    git reset -q --hard $headed
    echo "$headed $evil" > .git/info/grafts
    [ $(git rev-parse HEAD^ 2> /dev/null) = $evil ] # the control: the graft works
  `);
  assert.match(await gate.bash("git cat-file commit HEAD"), /^encoding ISO-8859-1\ngpgsig -[^]*^secret-header/m);
  await gate.result("git_push", { commitId: (await staged(gate))["id"] });
  const push = assertLanded(bench);
  assert.deepEqual(push.commits?.map(({ message }) => message), ["good\n\nSallyport-Agent: default\n", "second\n\nSallyport-Agent: default\n"]); // prettier-ignore
  assert.equal(project.git("show", "sallyport/s1:a.txt"), `${lines("one")}1\n2\n`);
  for (const commit of ["sallyport/s1", "sallyport/s1~1"])
    assert.doesNotMatch(project.git("cat-file", "commit", commit), /^(?:encoding|gpgsig|secret-header) /m);
  assert.equal(project.git("for-each-ref", "--format=%(refname)"), "refs/heads/main\nrefs/heads/sallyport/s1\n");
  assert.equal(project.git("ls-tree", "-r", "--name-only", "sallyport/s1").includes("evil"), false);
  assert.equal(existsSync(marker), false);
  const [name = ""] = readdirSync(join(project.state, "drafts"));
  const own = join(project.state, "drafts", name, "git");
  execFileSync("git", ["--git-dir", own, "--work-tree", project.path, "-c", "safe.directory=*", "status"], {
    stdio: "ignore",
  });
  assert.equal(existsSync(marker), true, "the control: plain git runs what the session's settings name");
});

test("only commits that have not landed are counted, and a range is counted by itself", async (t) => {
  const { gate } = begin(t);
  await gate.bash(`
    python3 -c '
for n in range(1100):
    print(f"commit refs/heads/many\\ncommitter a <a@example.org> {1700000000 + n} +0000\\ndata 2\\n{n % 10}\\n" + ("from HEAD^0\\n" if n == 0 else "") + f"M 644 inline n.txt\\ndata {len(str(n))}\\n{n}\\n")
' | git fast-import --quiet && git checkout -q many`);
  assert.match(await refusal(gate, "git_stage", { commits: "all" }), /more than 1000 commits.*a range of fewer/);
  const range = await staged(gate, { commits: "HEAD~3..HEAD~1" });
  assert.equal((range["commits"] as unknown[]).length, 2);
  await gate.result("git_discard", { commitId: range["id"] });
  for (const commits of ["HEAD~1100..HEAD~110", "HEAD~110..HEAD~50"]) {
    const { id } = await staged(gate, { commits, message: commits });
    await gate.result("git_push", { commitId: id });
  }
  assert.equal(((await staged(gate))["commits"] as unknown[]).length, 50);
});

test("after a no, the next push says what is new since; nothing has to be looked at less", async (t) => {
  const { gate, person } = begin(t);
  await gate.bash(
    "echo 1 >> a.txt && git commit -qam first; echo bad > bad.txt && git add -A && git commit -qm second",
  );
  person.says = () => ({ decision: "deny", reason: "mend bad.txt" });
  const first = await staged(gate);
  assert.match(await refusal(gate, "git_push", { commitId: first["id"] }), /^approval_denied: .*mend bad\.txt/);
  assert.deepEqual(
    [...new Set(person.asked.at(-1)?.diff?.map(({ since }) => since))],
    [undefined],
    "nothing to compare with",
  );
  await gate.bash("echo good > bad.txt && git commit -qa --amend --no-edit");
  person.says = () => ({});
  await gate.result("git_push", { commitId: (await staged(gate))["id"] });
  const shown = person.asked.at(-1)?.diff?.map(({ path, since }) => [path, since]);
  assert.deepEqual(shown, [
    ["a.txt", "same"],
    ["bad.txt", "changed"],
  ]);
});

test("a name that is hidden from the agent lands by no commit, as by no file tool", async (t) => {
  const project = makeProject(t, files);
  const person = scripted();
  const [hidden, open] = [{ hide: ["secret*"] }, {}].map((grants, at) =>
    openDraft(t, project, grants, { approvers: [person], session: `s${at}` }),
  ) as [DraftGate, DraftGate];
  const script = "mkdir deep; echo x > deep/secret.txt; git add -f deep && git commit -qm secret";
  await hidden.bash(script);
  assert.match(
    await refusal(hidden, "git_stage", { commits: "all" }),
    /^fs_denied: \/workspace\/deep\/secret\.txt is hidden/,
  );
  assert.match(await refusal(hidden, "write_file", { path: "deep/secret.txt", content: "x" }), /^fs_denied: /);
  await open.bash(script);
  assert.equal(((await staged(open))["commits"] as unknown[]).length, 1, "the control: without the glob it is staged");
});
