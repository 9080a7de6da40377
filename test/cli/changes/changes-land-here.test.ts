import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test, { suite } from "node:test";
import { noTerminal } from "../../fixtures/cli.ts";
import { type Changer, newChanger } from "../../fixtures/changed-session.ts";
import { openDialog, pause } from "../../fixtures/dialog.ts";
import { blobId } from "../../../src/git/object-hash.ts";
import { nodeHashes } from "../../../src/process/node-hashes.ts";

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
const has = (person: Changer, name: string) => existsSync(join(person.project, name));
const leftovers = (person: Changer) =>
  readdirSync(person.project, { recursive: true }).filter((name) => String(name).includes(".sallyport-"));

test("files that the person has not touched are replaced, made and deleted, and nothing is committed", (t) => {
  const person = newChanger(t, { "a.txt": "one\n", "run.sh": "#!/bin/sh\n", "gone/b.txt": "b\n", "c.txt": "c\n" });
  person.write("c.txt", "c, not committed\n");
  chmodSync(join(person.project, "a.txt"), 0o600);
  const before = person.git("rev-parse", "HEAD");
  person.bash(
    "fix",
    "echo two >> a.txt; chmod +x run.sh; rm -r gone; mkdir -p new/deep; echo n > new/deep/file; ln -s a.txt link; echo more >> c.txt",
  );
  const done = person.changes("land", "fix", "--here", "--yes");
  assert.deepEqual([done.code, done.err], [0, ""]);
  assert.match(done.out, /a\.txt[^]*\+│two[^]*6 files were changed in the project\. Nothing is committed\.\n$/);
  assert.deepEqual(
    [person.read("a.txt"), person.read("new/deep/file"), person.read("c.txt")],
    ["one\ntwo\n", "n\n", "c, not committed\nmore\n"],
  );
  assert.equal(lstatSync(join(person.project, "a.txt")).mode & 0o777, 0o600);
  assert.notEqual(lstatSync(join(person.project, "run.sh")).mode & 0o100, 0);
  assert.ok(lstatSync(join(person.project, "link")).isSymbolicLink());
  assert.equal(has(person, "gone"), false);
  assert.deepEqual(leftovers(person), []);
  assert.equal(person.git("rev-parse", "HEAD"), before);
  assert.equal(person.git("diff", "--cached", "--name-only"), "");
  const [event] = person.events("session.landed");
  assert.deepEqual(
    [event?.session, event?.outcome["files"], event?.outcome["how"], event?.outcome["place"]],
    ["fix", 6, "here", person.project],
  );
  assert.equal(person.changes("list").out, "No session has work that has not landed.\n");
  // What the agent does from here on is a change again.
  person.bash("fix", "echo three >> a.txt");
  assert.equal(person.changes("diff", "fix", "--stat").out, "a.txt | +1 -0\n1 file changed, +1 -0\n");
});

test("what both have changed is merged, or marked as git marks it; what cannot be merged is named and left", (t) => {
  const names = ["clean.txt", "conflict.txt", "deleted-here.txt", "deleted-there.txt", "binary"];
  const person = newChanger(t, Object.fromEntries(names.map((name) => [name, ten])));
  person.bash(
    "fix",
    [
      "sed -i 's/^2$/two/' clean.txt; sed -i 's/^5$/five/' conflict.txt; echo 11 >> deleted-here.txt",
      "rm deleted-there.txt; printf 'a\\0b' > binary; echo theirs > both-new.txt",
    ].join("\n"),
  );
  person.write("clean.txt", ten.replace("9", "nine"));
  person.write("conflict.txt", ten.replace("5", "fünf"));
  unlinkSync(join(person.project, "deleted-here.txt"));
  person.write("deleted-there.txt", `${ten}mine\n`);
  person.write("binary", "mine\n");
  person.write("both-new.txt", "mine\n");
  const done = person.changes("land", "fix", "--here", "--yes");
  assert.equal(done.code, 1);
  assert.match(done.out, /merged with your changes: clean\.txt/);
  assert.match(done.out, /CONFLICT with your changes, to be marked: conflict\.txt/);
  assert.match(done.out, /LEFT as it is deleted-here\.txt: you have deleted it, and the session has changed it/);
  assert.match(done.out, /LEFT as it is deleted-there\.txt: you have changed it, and the session has deleted it/);
  assert.match(done.out, /LEFT as it is binary: both have changed it, and it is not text/);
  assert.equal(person.read("clean.txt"), ten.replace("2", "two").replace("9", "nine"));
  assert.equal(
    person.read("conflict.txt"),
    ten.replace("5\n", "<<<<<<< here\nfünf\n=======\nfive\n>>>>>>> session fix\n"),
  );
  assert.equal(person.read("both-new.txt"), "<<<<<<< here\nmine\n=======\ntheirs\n>>>>>>> session fix\n");
  assert.equal(person.read("deleted-there.txt"), `${ten}mine\n`);
  assert.equal(person.read("binary"), "mine\n");
  assert.equal(has(person, "deleted-here.txt"), false);
  // Landing again does not put marks into marks.
  person.changes("land", "fix", "--here", "--yes");
  assert.equal(person.read("conflict.txt").split("<<<<<<<").length, 2);
});

test("only the named paths land", (t) => {
  const person = newChanger(t, { "a.txt": "one\n", "src/b.txt": "b\n" });
  person.bash("fix", "echo two >> a.txt; echo c >> src/b.txt");
  assert.equal(person.changes("land", "fix", "src", "--here", "--yes").code, 0);
  assert.deepEqual([person.read("a.txt"), person.read("src/b.txt")], ["one\n", "b\nc\n"]);
  assert.equal(person.changes("diff", "fix", "--stat").out, "a.txt | +1 -0\n1 file changed, +1 -0\n");
});

test("no link in the work tree is followed, and no other repository in it is entered", (t) => {
  const person = newChanger(t, { "dir/a.txt": "one\n", "sub/b.txt": "b\n", "top.txt": "t\n" });
  const outside = join(person.root, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "a.txt"), "one\n");
  writeFileSync(join(outside, "top.txt"), "t\n");
  person.bash("fix", "echo two >> dir/a.txt; echo n > dir/new.txt; echo c >> sub/b.txt; echo u >> top.txt");
  rmSync(join(person.project, "dir"), { recursive: true });
  symlinkSync(outside, join(person.project, "dir"));
  unlinkSync(join(person.project, "top.txt"));
  symlinkSync(join(outside, "top.txt"), join(person.project, "top.txt"));
  mkdirSync(join(person.project, "sub/.git"));
  // The control: a plain write would go through the links.
  assert.equal(readFileSync(join(person.project, "dir/a.txt"), "utf8"), "one\n");
  const done = person.changes("land", "fix", "--here", "--yes");
  assert.equal(done.code, 1);
  for (const name of ["dir/a\\.txt", "dir/new\\.txt", "sub/b\\.txt", "top\\.txt"])
    assert.match(done.out, new RegExp(`LEFT as it is ${name}: `));
  assert.deepEqual(readdirSync(outside).sort(), ["a.txt", "top.txt"]);
  assert.deepEqual(
    [
      readFileSync(join(outside, "a.txt"), "utf8"),
      readFileSync(join(outside, "top.txt"), "utf8"),
      person.read("sub/b.txt"),
    ],
    ["one\n", "t\n", "b\n"],
  );
});

test("a file in the place of a directory, and a directory in the place of a file, change places", (t) => {
  const person = newChanger(t, { "d/x": "x\n", f: "f\n" });
  person.bash("fix", "rm -r d; echo file > d; rm f; mkdir f; echo y > f/y");
  assert.equal(person.changes("land", "fix", "--here", "--yes").code, 0);
  assert.deepEqual([person.read("d"), person.read("f/y")], ["file\n", "y\n"]);
});

test("what others execute later is pointed out", (t) => {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash(
    "fix",
    "mkdir -p .vscode .github/workflows; echo '{}' > .vscode/tasks.json; echo 'on: push' > .github/workflows/x.yml",
  );
  const done = person.changes("land", "fix", "--here", "--yes");
  assert.match(done.out, /WARNING \.vscode\/tasks\.json: others execute it later/);
  assert.match(done.out, /WARNING \.github\/workflows\/x\.yml: it runs on a build machine/);
});

suite("on a terminal", { skip: noTerminal, concurrency: 2 }, () => {
  test("the diff is shown first, and nothing lands without y and Enter", async (t) => {
    const person = newChanger(t, { "a.txt": "one\n" });
    person.bash("fix", "echo two >> a.txt");
    const no = openDialog(t, person, ["changes", "land", "fix", "--here"]);
    await no.until("[y] write this into the project");
    assert.match(no.output(), /two/);
    await no.press("q");
    assert.equal(await no.ended, 1);
    assert.equal(person.read("a.txt"), "one\n");
    const yes = openDialog(t, person, ["changes", "land", "fix", "--here"]);
    await yes.until("[y] write this into the project");
    // What changes between the showing and the yes is left.
    await yes.press("y");
    await yes.until("[Enter] says yes");
    await yes.press("\r");
    assert.equal(await yes.ended, 0);
    assert.equal(person.read("a.txt"), "one\ntwo\n");
  });

  test("a file that changes between the showing and the yes is left", async (t) => {
    const person = newChanger(t, { "a.txt": "one\n", "b.txt": "b\n" });
    person.bash("fix", "echo two >> a.txt; echo c >> b.txt");
    const dialog = openDialog(t, person, ["changes", "land", "fix", "--here"]);
    await dialog.until("[y] write this into the project");
    person.write("a.txt", "changed just now\n");
    await dialog.press("y");
    await dialog.until("[Enter] says yes");
    await dialog.press("\r");
    assert.equal(await dialog.ended, 1);
    assert.match(dialog.output(), /LEFT as it is[^]*a\.txt: is modified on disk/);
    assert.deepEqual([person.read("a.txt"), person.read("b.txt")], ["changed just now\n", "b\nc\n"]);
  });
});

/** The directory of the only draft. */
const draftOf = (person: Changer) => join(person.state, "drafts", readdirSync(join(person.state, "drafts"))[0] ?? "");

test("a landing that was killed between two files is first undone and then done, and discard waits for that", (t) => {
  const person = newChanger(t, { "a.txt": "one\n", "b.txt": "b\n" });
  person.bash("fix", "echo two >> a.txt; echo c >> b.txt");
  const mark = execFileSync(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      'import { markOfThisProcess } from "./src/process/process-mark.ts"; process.stdout.write(markOfThisProcess());',
    ],
    {
      cwd: join(import.meta.dirname, "../../.."),
      encoding: "utf8",
    },
  );
  const before = { mode: "100644", id: blobId("sha256", Buffer.from("one\n"), nodeHashes) };
  const landing = {
    process: mark,
    id: "0123456789abcdef",
    files: [
      { path: "a.txt", before, after: null },
      { path: "b.txt", before, after: null },
    ],
  };
  writeFileSync(join(draftOf(person), "landing"), JSON.stringify(landing));
  renameSync(join(person.project, "a.txt"), join(person.project, ".sallyport-0123456789abcdef-00000000-0-old"));
  writeFileSync(join(person.project, ".sallyport-0123456789abcdef-00000000-1-new"), "c\n");
  const refused = person.changes("discard", "fix", "--yes");
  assert.equal(refused.code, 1);
  assert.match(refused.err, /was not finished; `changes land --here` does it/);
  assert.equal(person.changes("land", "fix", "--here", "--yes").code, 0);
  assert.deepEqual([person.read("a.txt"), person.read("b.txt"), leftovers(person)], ["one\ntwo\n", "b\nc\n", []]);
  assert.equal(existsSync(join(draftOf(person), "landing")), false);
});

test("killed at any moment, it leaves every file whole, and the next landing completes it", async (t) => {
  const count = 300;
  const names = Array.from({ length: count }, (_, index) => `f${index}.txt`);
  const person = newChanger(t, Object.fromEntries(names.map((name) => [name, "old\n"])));
  person.bash("fix", "for f in f*.txt; do echo new > $f; done");
  /** Null if the file is not at its place. */
  const textOf = (name: string) => {
    try {
      return person.read(name);
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "ENOENT");
      return null;
    }
  };
  const changed = () => names.filter((name) => textOf(name) === "new\n").length;
  for (const part of [1, count / 2]) {
    const child = person.start(["changes", "land", "fix", "--here", "--yes"]);
    const ended = once(child, "close");
    while (child.exitCode === null && changed() < part) await pause(1);
    child.kill("SIGKILL");
    await ended;
    const texts = names.map(textOf);
    for (const [index, text] of texts.entries()) assert.ok([null, "old\n", "new\n"].includes(text), names[index]);
    // What is not at its place is whole beside it.
    const aside = leftovers(person).filter((name) => String(name).endsWith("-old"));
    for (const name of aside) assert.equal(person.read(String(name)), "old\n");
    assert.ok(texts.filter((text) => text === null).length <= aside.length);
  }
  assert.equal(person.changes("land", "fix", "--here", "--yes").code, 0);
  assert.deepEqual([changed(), leftovers(person)], [count, []]);
});
