import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { newChanger } from "../../fixtures/changed-session.ts";

interface Listed {
  readonly sessions: readonly Record<string, unknown>[];
  readonly more: number;
}

test("where nothing was changed, list says so, and makes no state", (t) => {
  const person = newChanger(t, { "a.txt": "one\n" }, { hasState: false });
  assert.deepEqual(person.changes(), { code: 0, out: "No session has work that has not landed.\n", err: "" });
  assert.deepEqual(person.changes("list", "--json"), { code: 0, out: '{"sessions":[],"more":0}\n', err: "" });
  assert.equal(existsSync(person.state), false);
});

test("list has each session with its files, lines, commits, and what the person has done meanwhile", (t) => {
  const person = newChanger(t, { "a.txt": "one\ntwo\n", "b.txt": "b\n", "gone.txt": "1\n2\n" });
  person.bash("idle", "cat a.txt");
  person.bash(
    "fix",
    "echo three >> a.txt; printf 'x\\ny\\n' > new.txt; rm gone.txt; git add -A; git commit -qm inside; echo z >> new.txt",
  );
  person.write("b.txt", "mine\n");
  person.git("commit", "--quiet", "--all", "--message=second");
  const { code, out, err } = person.changes("list", "--json");
  assert.deepEqual([code, err], [0, ""]);
  const { sessions, more } = JSON.parse(out) as Listed;
  assert.equal(more, 0);
  assert.equal(sessions.length, 1);
  const { begun, bytes, draft, digest, ...rest } = sessions[0] as Record<string, unknown>;
  assert.deepEqual(rest, {
    session: "fix",
    agent: "default",
    project: person.project,
    use: null,
    files: 3,
    added: 4,
    removed: 2,
    commits: 1,
    behind: { commits: 1, files: 1, rewritten: false },
    problem: null,
    hosts: [],
    questions: 0,
  });
  assert.match(String(digest), /^[0-9a-f]{64}$/);
  assert.ok(Date.parse(begun as string) <= Date.now());
  assert.ok((bytes as number) > 0);
  assert.ok(existsSync(join(person.state, "drafts", draft as string)));
  const shown = person.changes();
  assert.match(
    shown.out,
    /^session +agent +files +lines +commits +age +behind +size +project\nfix +default +3 +\+4 -2 +1 +\d+[sm] +1 commit, 1 file +[\d.]+ [KM]?B +\//,
  );
  assert.match(shown.out, /changes diff SESSION/);
  // The look of a person leaves nothing in the record.
  assert.equal(person.events("tool.call.received").length, 2);
});

test("a session's name is data: it cannot act on the screen", (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("evil\u202ename", "echo two >> a.txt");
  const { out } = person.changes();
  assert.doesNotMatch(out, /\u202e/);
  assert.match(out, /evil\\u\{202e\}name/);
});
