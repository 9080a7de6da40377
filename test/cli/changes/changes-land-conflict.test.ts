// A conflict of a session's commits shows both sides to the person who lands it, and the target's side to nobody else.

import assert from "node:assert/strict";
import test, { suite } from "node:test";
import type { TestContext } from "node:test";
import { type Changer, newChanger } from "../../fixtures/changed-session.ts";
import { openChangerPage } from "../../fixtures/changer-page.ts";
import { noTerminal } from "../../fixtures/cli.ts";
import { openDialog } from "../../fixtures/dialog.ts";

const files = { "a.txt": "one\nmiddle\nend\n", "gone.txt": "was\n", "bytes.bin": "\0one" };

/** The person has committed other changes of the same lines. */
function setUp(t: TestContext): Changer {
  const person = newChanger(t, files);
  person.bash(
    "fix",
    "sed -i s/one/AGENTS/ a.txt bytes.bin; git rm -q gone.txt; echo AGENTS-own > both.txt; git add both.txt; git commit -qam 'change one'",
  );
  person.write("a.txt", "PERSONS\u202e\u001b[31m\nmiddle\nend\n");
  person.write("gone.txt", "was\nPERSONS more\n");
  person.write("both.txt", "PERSONS own\n");
  person.write("bytes.bin", "\0PERSONS");
  person.git("add", "--all");
  person.git("commit", "--quiet", "--message=of the person");
  return person;
}

const record = (person: Changer) => person.run(["audit", "list", "--json", "--limit", "1000"]).out;

test("changes land --commits shows both sides by file; hint and record have nothing of the target", (t) => {
  const person = setUp(t);
  const { out, err, code } = person.changes("land", "fix", "--commits", "--yes");
  assert.equal(code, 1);
  assert.match(out, /CONFLICT a\.txt, commit [0-9a-f]{12} \(change one\): both sides changed the same lines/);
  assert.match(out, /near line 1:\n-PERSONS[^\n]*\n\+AGENTS\n/);
  assert.match(out, /CONFLICT gone\.txt[^]*-PERSONS more\n/);
  assert.match(out, /CONFLICT both\.txt[^]*-PERSONS own\n\+AGENTS-own\n/);
  assert.match(out, /CONFLICT bytes\.bin[^\n]*: both sides changed it, and it is not text\n/);
  // eslint-disable-next-line no-control-regex
  assert.doesNotMatch(out, /\u202e|\u001b\[31m/);
  assert.match(err, /does not fit what the target has now[^]*Land it in your files/);
  assert.doesNotMatch(err, /PERSONS|git_pull \{\}/);
  assert.match(record(person), /does not fit what the target has now/);
  assert.doesNotMatch(record(person), /PERSONS/);
  assert.equal(person.git("branch", "--list", "sallyport/*"), "");
});

test("the agent's own push gets neither, and another hint", (t) => {
  const person = setUp(t);
  const call = (tool: string, args: object) =>
    JSON.parse(person.run(["call", tool, JSON.stringify(args), "--session", "fix"]).out) as {
      error?: string;
      hint?: string;
      result?: Record<string, unknown>;
    };
  const { result } = call("git_stage", { commits: "all" });
  const refused = call("git_push", { commitId: result?.["id"] });
  assert.deepEqual([refused.error, refused.hint?.startsWith("Nothing was changed. git_pull {}")], ["conflict", true]);
  assert.doesNotMatch(JSON.stringify(refused), /PERSONS/);
  assert.doesNotMatch(record(person), /PERSONS/);
});

test("the page gets both sides with the refusal", async (t) => {
  const person = setUp(t);
  const page = openChangerPage(t, person);
  const view = await page.view();
  const body = { digest: view.digest, how: "series" };
  const { message, conflict } = await page.refused(409, "POST", `/api/changes/${view.draft}/land`, body);
  assert.doesNotMatch(message, /PERSONS/);
  const sides = Object.fromEntries((conflict?.files ?? []).map((file) => [file.path, file.sides]));
  assert.deepEqual(Object.keys(sides).sort(), ["a.txt", "both.txt", "bytes.bin", "gone.txt"]);
  assert.match(sides["a.txt"] ?? "", /^near line 1:\n-PERSONS.*\n\+AGENTS\n$/);
  assert.equal(sides["bytes.bin"], "");
});

suite("in an open review", { skip: noTerminal }, () => {
  test("both sides are on the screen until a key is pressed", async (t) => {
    const person = setUp(t);
    const review = openDialog(t, person, ["review"], { columns: 110 });
    await review.until(/changes \S+ +fix /);
    await review.pressUntil("\r", "not landed: session fix");
    await review.pressUntil("c", "branch: sallyport/fix");
    await review.pressUntil("\r", "-PERSONS");
    await review.until("+AGENTS");
    await review.pressUntil("q", "does not fit what the target has now");
    await review.press("q");
    await review.press("q");
    assert.equal(await review.ended, 0);
  });
});
