import assert from "node:assert/strict";
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import test, { suite } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { noTerminal, onTerminal } from "../../fixtures/cli.ts";
import { type Changer, newChanger } from "../../fixtures/changed-session.ts";

/** The layer of the only draft. */
function upperOf(person: Changer): string {
  const [name = ""] = readdirSync(join(person.state, "drafts"));
  return join(person.state, "drafts", name, "upper");
}

test("diff prints what git apply takes, of all files or of those that are named", (t) => {
  const person = newChanger(t, { "a.txt": "one\ntwo\n", "src/b.txt": "b\n" });
  person.write("a.txt", "one\ntwo, not committed\n");
  person.bash("fix", "echo three >> a.txt; echo c > src/c.txt; git add -A; git commit -qm inside; rm src/b.txt");
  const whole = person.changes("diff", "fix");
  assert.deepEqual([whole.code, whole.err], [0, ""]);
  assert.match(whole.out, /^diff --git a\/a\.txt b\/a\.txt\n[^]*\n two, not committed\n\+three\n/);
  // Without a name, the only session of the project is meant.
  assert.equal(person.changes("diff").out, whole.out);
  assert.match(
    person.changes("diff", "fix", "src/c.txt").out,
    /^diff --git a\/src\/c\.txt b\/src\/c\.txt\nnew file mode 100644\n/,
  );
  assert.doesNotMatch(person.changes("diff", "fix", "src").out, /a\.txt/);
  assert.equal(
    person.changes("diff", "fix", "--stat").out,
    "a.txt | +1 -0\nsrc/b.txt | +0 -1\nsrc/c.txt | +1 -0\n3 files changed, +2 -1\n",
  );
  const { session, files } = JSON.parse(person.changes("diff", "fix", "--json").out) as {
    session: string;
    files: { path: string; operation: string; added: number }[];
  };
  assert.equal(session, "fix");
  assert.deepEqual(
    files.map(({ path, operation, added }) => [path, operation, added]),
    [
      ["a.txt", "update", 1],
      ["src/b.txt", "delete", 0],
      ["src/c.txt", "create", 1],
    ],
  );
  const patch = join(person.root, "fix.patch");
  writeFileSync(patch, whole.out);
  person.git("apply", patch);
  assert.equal(person.read("a.txt"), "one\ntwo, not committed\nthree\n");
  assert.deepEqual([existsSync(join(person.project, "src/b.txt")), person.read("src/c.txt")], [false, "c\n"]);
});

test("who names no session, one that is not there, or one that is there twice is told what there is", (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  const none = person.changes("diff");
  assert.deepEqual([none.code, none.out], [1, ""]);
  assert.match(none.err, /this project .* has no session with changes/);
  person.bash("one", "echo 1 >> a.txt");
  person.bash("two", "echo 2 >> a.txt");
  const missing = person.changes("diff", "three");
  assert.equal(missing.code, 1);
  assert.match(missing.err, /there is no draft of a session "three"[^]*hint: .*changes list/);
  const several = person.changes("diff");
  assert.equal(several.code, 1);
  assert.match(several.err, /2 drafts are meant[^]*hint: project-one-\w+, project-two-\w+/);
  const [, draft = ""] = /(project-two-\w+)/.exec(several.err) ?? [];
  assert.match(person.changes("diff", draft).out, /^\+2$/m);
  const wrong = person.changes("diff", "one", "nowhere.txt");
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /nothing at \/workspace\/nowhere\.txt/);
});

test("a hostile layer is shown and not obeyed: links, pipes, sparse files, git's own settings", (t) => {
  const person = newChanger(t, { "a.txt": "one\n", "b.txt": "b\n", "c.txt": "c\n" });
  const outside = join(person.root, "outside.txt");
  writeFileSync(outside, "the person's own\n");
  const marker = join(person.project, "marker");
  person.bash(
    "evil",
    [
      `ln -sf ${outside} a.txt; ln -s c.txt inner`,
      "rm b.txt; mkfifo b.txt",
      "truncate -s 3G huge.bin",
      `git config core.fsmonitor 'touch ${marker}; false'`,
      `git config diff.external 'touch ${marker}'`,
      `printf '* diff=x filter=x\\n' > .git/info/attributes; git config diff.x.textconv 'touch ${marker}'; git config filter.x.clean 'touch ${marker}; cat'`,
      "echo changed > c.txt",
    ].join("\n"),
  );
  const upper = upperOf(person);
  // The controls: in the layer there is a link that leads out, a pipe, and a file of gigabytes that takes no room.
  assert.equal(readFileSync(join(upper, "a.txt"), "utf8"), "the person's own\n");
  assert.ok(lstatSync(join(upper, "b.txt")).isFIFO());
  assert.equal(lstatSync(join(upper, "huge.bin")).size, 3 * 1024 ** 3);
  const { code, out } = person.changes("diff", "evil");
  assert.equal(code, 0);
  assert.doesNotMatch(out, /the person's own/);
  // What is no file and no link inside the project is not there for a commit either.
  assert.match(out, /diff --git a\/a\.txt b\/a\.txt\ndeleted file mode 100644\n/);
  assert.match(out, /b\/inner\nnew file mode 120000\n[^]*\+c\.txt\n/);
  assert.match(out, /deleted file mode 100644\n[^]*--- a\/b\.txt/);
  assert.match(out, /diff --git a\/huge\.bin b\/huge\.bin\nnew file mode 100644\n/);
  assert.match(out, /^\+changed$/m);
  const listed = JSON.parse(person.changes("list", "--json").out) as {
    sessions: { files: number; added: number | null }[];
  };
  assert.deepEqual(
    listed.sessions.map(({ files, added }) => [files, added]),
    [[5, null]],
  );
  for (const place of [marker, join(upper, "marker")]) assert.equal(existsSync(place), false, place);
});

test("a pipe in the place of git's own files is named, and the other sessions are listed all the same", (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash("evil", "echo 1 >> a.txt; rm .git/HEAD; mkfifo .git/HEAD");
  person.bash("good", "echo 2 >> a.txt");
  const { sessions } = JSON.parse(person.changes("list", "--json").out) as {
    sessions: { session: string; files: number | null; problem: string | null }[];
  };
  assert.deepEqual(
    sessions.map(({ session, files }) => [session, files]),
    [
      ["evil", null],
      ["good", 1],
    ],
  );
  assert.match(sessions[0]?.problem ?? "", /\.git\/HEAD/);
  assert.match(person.changes("list").out, /cannot be read: evil: .*\.git\/HEAD/);
});

test("a file that the person makes meanwhile is not the session's, and what is hidden is not shown", (t) => {
  const person = newChanger(t, { "a.txt": "one\n", ".gitignore": "cache/\n", "key.secret": "1\n" });
  person.bash("fix", "echo two >> a.txt");
  person.write("mine.txt", "the person's\n");
  person.write("other.secret", "hidden\n");
  const { out } = person.changes("diff", "fix", "--stat");
  assert.equal(out, "a.txt | +1 -0\n1 file changed, +1 -0\n");
});

suite("on a terminal", { skip: noTerminal }, () => {
  test("nothing that the agent wrote acts on the screen, and the diff has colours unless NO_COLOR is set", async (t) => {
    const person = newChanger(t, { "a.txt": "one\n" });
    person.bash(
      "evil",
      "printf '\\033]0;owned\\007\\033[2Jtwo\\n' >> a.txt; mkdir -p .vscode; echo '{}' > .vscode/tasks.json",
    );
    const { code, screen } = await onTerminal(person, ["changes", "diff", "evil"]);
    assert.equal(code, 0);
    assert.ok(!screen.includes("\u001b[2J") && !screen.includes("\u001b]0;"), JSON.stringify(screen));
    assert.match(stripVTControlCharacters(screen), /\\x1b\]0;owned\\x07\\x1b\[2Jtwo/);
    assert.ok(screen.includes("\u001b[32m"), "green");
    assert.match(screen, /WARNING[^\n]*tasks\.json[^\n]*others execute it later/);
    const plain = await onTerminal(person, ["changes", "diff", "evil"], { env: { NO_COLOR: "1" } });
    assert.equal(plain.screen, stripVTControlCharacters(plain.screen));
    // The control: into a pipe the bytes go as they are.
    const raw = execFileSync("cat", [join(upperOf(person), "a.txt")]);
    assert.ok(raw.includes("\u001b[2J") && person.changes("diff", "evil").out.includes("\u001b[2J"));
  });
});
