// native/keeper compare: what a person has changed in the project since `keeper seed` copied it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { compareArguments } from "../../src/sandbox/keeper-program.ts";
import { probe } from "../../src/sandbox/probe.ts";
import { keeper, TestDraft } from "../fixtures/keeper-draft.ts";

const skip = !probe().overlay && "no overlay can be mounted on this machine";
const LARGE = "0123456789".repeat(10_000);

/** A draft of a project with these files, and one that git ignores. */
function copiedProject(t: TestContext): { draft: TestDraft; at: (name: string) => string } {
  const draft = new TestDraft(t);
  const at = (name: string) => join(draft.project, name);
  for (const name of ["src/deep", "lib", "build"]) mkdirSync(at(name), { recursive: true });
  for (const name of ["top", "src/a", "src/b", "src/deep/c", "lib/d"]) writeFileSync(at(name), `text of ${name}\n`);
  writeFileSync(at("large"), LARGE);
  writeFileSync(at("empty"), "");
  writeFileSync(at("build/out"), "out");
  writeFileSync(at("secret"), "no");
  symlinkSync("top", at("link"));
  draft.seed([
    ...["empty", "large", "lib/d", "link", "src/a", "src/b", "src/deep/c", "src/gone", "top"].map((path) => `c${path}`),
    "hsecret",
    "ibuild/",
  ]);
  return { draft, at };
}

test("nothing has changed, and names that are hidden or ignored are not new", { skip }, (t) => {
  const { draft, at } = copiedProject(t);
  assert.deepEqual(draft.compare(), []);
  writeFileSync(at("build/out"), "more");
  writeFileSync(at("build/later"), "more");
  writeFileSync(at("secret"), "more");
  assert.deepEqual(draft.compare(), []);
});

test("edits, saving by rename, deletions, modes, links, new files and directories are told", { skip }, (t) => {
  const { draft, at } = copiedProject(t);
  const { atime, mtime } = statSync(at("top"));
  writeFileSync(at("top"), "TEXT of top\n"); // as long as it was
  utimesSync(at("top"), atime, mtime); // and its time set back
  writeFileSync(at("new"), "text of src/A\n");
  renameSync(at("new"), at("src/a"));
  rmSync(at("src/b"));
  chmodSync(at("src/deep/c"), 0o755);
  rmSync(at("link"));
  symlinkSync("src", at("link"));
  appendFileSync(at("large"), "x");
  writeFileSync(at("src/gone"), "there again");
  renameSync(at("lib"), at("lib2"));
  writeFileSync(at("src/deep/new"), "new");
  symlinkSync("/etc", at("out"));
  mkdirSync(at("made/in"), { recursive: true });
  spawnSync("mkfifo", [at("pipe")]);
  const expected = ["Nlib2", "Nmade", "clarge", "clink", "csrc/a", "csrc/deep/c", "csrc/gone", "ctop"];
  assert.deepEqual(draft.compare(), [...expected, "dlib/d", "dsrc/b", "nout", "nsrc/deep/new"]);
  assert.deepEqual(draft.compare(), [...expected, "dlib/d", "dsrc/b", "nout", "nsrc/deep/new"], "again");
  spawnSync("mkfifo", [at("src/b")]);
  assert.ok(draft.compare().includes("csrc/b"), "a pipe is not opened");
});

test(
  "what has another time and the same content counts no more than once, and is not read again",
  { skip },
  async (t) => {
    const { draft, at } = copiedProject(t);
    const facts = () => readFileSync(join(draft.directory, "seen"), "latin1");
    const touch = () => {
      for (const name of ["top", "empty", "lib/d"]) utimesSync(at(name), 1_000, 1_234);
      writeFileSync(at("tmp"), readFileSync(at("src/a")));
      renameSync(at("tmp"), at("src/a"));
      for (const name of ["src/b", "large"]) chmodSync(at(name), 0o600);
      linkSync(at("src/deep/c"), at("linked"));
      rmSync(at("linked"));
    };
    touch();
    assert.deepEqual(draft.compare(), []);
    await new Promise((resolve) => setTimeout(resolve, 150)); // then times that are equal say that nothing has changed
    assert.deepEqual(draft.compare(), []);
    const settled = facts();
    assert.deepEqual(draft.compare(), []);
    assert.equal(facts(), settled);
    touch();
    assert.deepEqual(draft.compare(), []);
    assert.notEqual(facts(), settled, "control: the facts were others");
    utimesSync(at("large"), 1_000, 1_234);
    assert.deepEqual(draft.compare(), ["clarge"], "a large file is not read");
  },
);

test("a link in place of a directory leads nowhere, and a file in its place hides nothing", { skip }, (t) => {
  const { draft, at } = copiedProject(t);
  renameSync(at("src"), join(draft.directory, "moved"));
  symlinkSync(join(draft.directory, "moved"), at("src"));
  assert.deepEqual(draft.compare(), ["dsrc/a", "dsrc/b", "dsrc/deep/c"]);
  assert.ok(statSync(at("src/a")).isFile(), "control: the link leads there");
  rmSync(at("src"));
  writeFileSync(at("src"), "");
  assert.deepEqual(draft.compare(), ["dsrc/a", "dsrc/b", "dsrc/deep/c"]);
});

test("the answer is bounded, and a list that is cut off is refused", { skip }, (t) => {
  const draft = new TestDraft(t);
  mkdirSync(join(draft.project, "d"));
  writeFileSync(join(draft.project, "d/known"), "");
  draft.seed(["cd/known"]);
  for (let at = 0; at < 1_500; at += 1) writeFileSync(join(draft.project, `d/${at}`), "");
  assert.equal(draft.compare().length, 1_000);
  const seen = join(draft.directory, "seen");
  truncateSync(seen, statSync(seen).size - 8);
  const { status, stderr } = spawnSync(keeper, compareArguments(draft.project, draft.directory), { encoding: "utf8" });
  assert.deepEqual([status, stderr], [125, "keeper: seen: errno 0\n"]);
});
