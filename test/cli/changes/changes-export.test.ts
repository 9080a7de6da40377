import assert from "node:assert/strict";
import { lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { suite } from "node:test";
import { noTerminal, onTerminal } from "../../fixtures/cli.ts";
import { newChanger } from "../../fixtures/changed-session.ts";

const script = [
  "echo two >> a.txt; git commit -qam inside",
  "head -c 5000 /dev/urandom > data.bin; printf 'a\\0c' > old.bin; rm gone.bin",
  "printf 'no line feed' > end.txt; : > empty; ln -s a.txt link; chmod +x run.sh; mkdir -p 'with blank'; echo ü > 'with blank/ü.txt'",
  "printf '\\351t\\351\\n' > latin1.txt",
].join("\n");

test("a patch has everything, committed inside or not, and git apply makes the same files of it", (t) => {
  const person = newChanger(t, { "a.txt": "one\n", "run.sh": "#!/bin/sh\n", "old.bin": "a\0b", "gone.bin": "x\0y" });
  person.bash("fix", script);
  const file = join(person.root, "fix.patch");
  const done = person.changes("export", "fix", "--patch", file);
  assert.deepEqual([done.code, done.out], [0, ""]);
  assert.match(done.err, /fix\.patch: \d+ bytes/);
  person.git("apply", file);
  person.git("add", "--all");
  // The same files as in the session: nothing differs any more.
  person.git("commit", "--quiet", "--message=applied");
  assert.equal(person.changes("land", "fix", "--here", "--yes").code, 0);
  assert.equal(person.git("status", "--porcelain"), "");
  assert.equal(person.read("a.txt"), "one\ntwo\n");
  assert.ok(lstatSync(join(person.project, "link")).isSymbolicLink());
  person.git("apply", "--reverse", file);
  assert.equal(person.read("old.bin"), "a\0b");
});

test("without a file the patch goes to standard output; named paths alone", (t) => {
  const person = newChanger(t, { "a.txt": "one\n", "b.txt": "b\n" });
  person.bash("fix", "echo two >> a.txt; echo c >> b.txt");
  const { code, out } = person.changes("export", "fix", "b.txt");
  assert.equal(code, 0);
  assert.match(out, /^diff --git a\/b\.txt b\/b\.txt\nindex [0-9a-f]{40}\.\.[0-9a-f]{40} 100644\n/);
  assert.doesNotMatch(out, /a\.txt/);
});

test("nothing is overwritten, and no link is followed", (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("fix", "echo two >> a.txt; git commit -qam inside");
  const there = join(person.root, "there");
  const link = join(person.root, "link");
  writeFileSync(there, "mine\n");
  symlinkSync(join(person.root, "nowhere"), link);
  for (const [flag, path] of [
    ["--patch", there],
    ["--patch", link],
    ["--bundle", there],
  ] as const) {
    const done = person.changes("export", "fix", flag, path);
    assert.equal(done.code, 1);
    assert.match(done.err, /is there already/);
  }
  assert.equal(readFileSync(there, "utf8"), "mine\n");
  assert.throws(() => lstatSync(join(person.root, "nowhere")));
  const missing = person.changes("export", "fix", "--patch", join(person.root, "no/where"));
  assert.match(missing.err, /cannot be written \(ENOENT\)/);
  assert.equal(person.changes("export", "fix", "--patch", "a", "--bundle", "b").code, 2);
});

test("a bundle has the commits made inside, on the person's commit; git fetch takes it", (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.write("a.txt", "one, not committed\n");
  person.bash(
    "fix",
    "echo two >> a.txt; git commit -qam first-inside; echo three >> a.txt; git commit -qam second-inside; echo four >> a.txt",
  );
  const file = join(person.root, "fix.bundle");
  const done = person.changes("export", "fix", "--bundle", file);
  assert.deepEqual([done.code, done.out], [0, ""]);
  assert.match(done.err, /It has 2 commits made inside/);
  person.git("fetch", "--quiet", file, "HEAD:refs/heads/from-fix");
  assert.equal(person.git("log", "--format=%an %s", "-2", "from-fix"), "default second-inside\ndefault first-inside\n");
  assert.equal(person.git("show", "from-fix:a.txt"), "one, not committed\ntwo\nthree\n");
  assert.equal(person.git("merge-base", "from-fix", "main"), person.git("rev-parse", "main"));
  person.bash("none", "echo x >> a.txt");
  const none = person.changes("export", "none", "--bundle", join(person.root, "none.bundle"));
  assert.equal(none.code, 1);
  assert.match(none.err, /No commit was made/);
});

suite("on a terminal", { skip: noTerminal }, () => {
  test("no bytes of the agent's go to the screen", async (t) => {
    const person = newChanger(t, { "a.txt": "one\n" });
    person.bash("fix", "echo two >> a.txt");
    const { code, screen } = await onTerminal(person, ["changes", "export", "fix"]);
    assert.equal(code, 2);
    assert.match(screen, /standard output is a terminal/);
    assert.doesNotMatch(screen, /two/);
  });
});
