// Workspaces in memory that are kept under a name: the same commands work for them.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { type Changer, newChanger } from "../../fixtures/changed-session.ts";

const inMemory = ["--session", "notes", "--workspace", "memory"];

function called(person: Changer, tool: string, args: object): void {
  const { code, out } = person.run(["call", tool, JSON.stringify(args), ...inMemory]);
  assert.equal(code, 0, out);
}

/** An agent has pulled a file of the project into memory, changed it, and written another. */
function newWriter(t: TestContext): Changer {
  const person = newChanger(t, { "a.txt": "one\n" });
  called(person, "git_pull", { source: { type: "local", path: person.project }, paths: ["a.txt"] });
  called(person, "write_file", { path: "a.txt", content: "one\ntwo\n" });
  called(person, "write_file", { path: "b.txt", content: "b\n" });
  return person;
}

test("list and diff show what was changed in memory since it was pulled", (t) => {
  const person = newWriter(t);
  const { sessions } = JSON.parse(person.changes("list", "--json").out) as { sessions: Record<string, unknown>[] };
  assert.equal(sessions.length, 1);
  const { begun, digest, draft, bytes, ...rest } = sessions[0] ?? {};
  const counted = {
    files: 2,
    added: 2,
    removed: 0,
    commits: 0,
    behind: null,
    use: null,
    problem: null,
    hosts: [],
    questions: 0,
  };
  assert.deepEqual(rest, { session: "notes", agent: "default", project: null, ...counted });
  assert.match(String(draft), /^memory-notes-[0-9a-f]{8}$/);
  assert.ok(Date.parse(String(begun)) <= Date.now() && Number(bytes) > 0 && digest !== null);
  assert.match(person.changes().out, /notes +default +2 +\+2 -0 +0 .* in memory\n/);
  assert.match(person.changes("diff", "notes").out, /^diff --git a\/a\.txt[^]*\+two\n[^]*b\.txt[^]*\+b\n$/);
  assert.equal(existsSync(join(person.project, "b.txt")), false);
});

test("land makes one commit where the files were pulled from; --here and a bundle are for drafts", (t) => {
  const person = newWriter(t);
  const here = person.changes("land", "notes", "--here", "--yes");
  assert.deepEqual([here.code, here.out], [1, ""]);
  assert.match(here.err, /is in memory: it has no project/);
  const done = person.changes("land", "notes", "--yes");
  assert.deepEqual([done.code, done.err], [0, ""]);
  assert.match(done.out, /2 files landed as [0-9a-f]{12} on sallyport\/notes of \//);
  assert.equal(person.git("show", "sallyport/notes:a.txt"), "one\ntwo\n");
  assert.match(person.changes("list").out, /^No session has work/);
});

test("discard keeps it for a day, and restore brings it back, unless the session has files again", (t) => {
  const person = newWriter(t);
  assert.equal(person.changes("discard", "notes", "--yes").code, 0);
  assert.match(person.changes("list").out, /^No session has work/);
  assert.match(person.changes("list", "--discarded").out, /notes +default .* in memory\n/);
  called(person, "write_file", { path: "other.txt", content: "o\n" });
  assert.match(person.changes("restore", "notes").err, /begun another/);
  called(person, "delete_file", { path: "other.txt" });
  assert.equal(person.changes("restore", "notes").code, 0);
  assert.match(person.changes("diff", "notes", "--stat").out, /a\.txt[^]*b\.txt/);
  assert.equal(person.events("session.restored").length, 2, "one for the try that was refused");
});
