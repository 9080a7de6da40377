// The nine rows of "a person works meanwhile": what goes wrong where a layer lies over a project that changes. Between two calls of a
// draft, and during one.

import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { limits } from "../../src/shared/limits.ts";
import { makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import { isMarked, longCall } from "../fixtures/long-call.ts";
import { until } from "../fixtures/run.ts";

const files = {
  ".gitignore": "node_modules\n",
  "src/a.txt": "one\n",
  "src/deep/b.txt": "two\n",
  "src/written.txt": "three\n",
  "gone.txt": "gone\n",
  "moved/m.txt": "m\n",
  "replaced/r.txt": "r\n",
  "node_modules/dep/index.js": "module.exports = 1;\n",
};

function workOn(project: Project): void {
  project.write("src/a.txt", "in place\n"); // edits in place
  writeFileSync(join(project.path, "b.tmp"), "by rename\n");
  renameSync(join(project.path, "b.tmp"), join(project.path, "src/deep/b.txt")); // saves by rename
  rmSync(join(project.path, "gone.txt")); // deletes
  project.write("later.txt", "later\n"); // makes a file whose name the box had looked for
  project.write("src/later.txt", "later\n");
  project.write("directory/later.txt", "later\n");
  project.write("src/written.txt", "the person's\n"); // edits a file that the box has written
  renameSync(join(project.path, "moved"), join(project.path, "moved2")); // renames a directory
  rmSync(join(project.path, "replaced"), { recursive: true });
  project.write("replaced", "a file now\n"); // replaces a directory by a file
  project.git("add", "--all");
  project.git("commit", "--quiet", "--message=theirs");
  project.git("switch", "--quiet", "--create=elsewhere"); // switches branch
}

const before = `
  ls -R . > /dev/null
  cat src/a.txt src/deep/b.txt gone.txt moved/m.txt replaced/r.txt > /dev/null
  test ! -e later.txt; test ! -e src/later.txt
  echo mine > mine.txt; echo "the agent's" > src/written.txt`;
const look =
  "cat src/a.txt src/deep/b.txt src/written.txt gone.txt moved/m.txt replaced/r.txt; ls; ls src; git branch --show-current";
const add = "git add -A && git status --short && git log --format=%s";
const seen =
  "one\ntwo\nthe agent's\ngone\nm\nr\ngone.txt\nmine.txt\nmoved\nnode_modules\nreplaced\nsrc\na.txt\ndeep\nwritten.txt\nmain\n";
const added = "A  mine.txt\nM  src/written.txt\nfirst\n";

/** A watcher prints the name of each file for which it gets an event, in directories of which some hold ignored files. */
const watcher = `
import ctypes, os, struct, sys
libc = ctypes.CDLL(None)
fd = libc.inotify_init()
for name in ["src", "src/deep", "moved", "node_modules/dep"]:
    assert libc.inotify_add_watch(fd, name.encode(), 0xfc6) >= 0
print("ready", flush=True)
names = set()
while "end" not in names:
    data, at = os.read(fd, 65536), 0
    while at < len(data):
        wd, mask, cookie, length = struct.unpack_from("iIII", data, at)
        names.add(data[at + 16 : at + 16 + length].rstrip(b"\\0").decode())
        at += 16 + length
print(" ".join(sorted(names - {""})), flush=True)`;
const startWatcher = `
  coproc WATCHER { /usr/bin/python3 -c '${watcher}'; }
  read -r line <&"\${WATCHER[0]}"; test "$line" = ready`;
const endWatcher = `
  echo own > src/own.txt; rm src/own.txt; echo end > src/deep/end
  read -r line <&"\${WATCHER[0]}"; echo "events: $line"; rm src/deep/end`;

test("between two calls: the draft sees nothing of it, and nothing of theirs appears as the agent's", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project);
  await gate.bash(before);
  workOn(project);
  assert.equal(await gate.bash(look), seen);
  assert.equal(await gate.bash(add), added);
  assert.deepEqual((await gate.result("git_status", {}))["unstaged"], [
    { path: "/workspace/mine.txt", status: "new" },
    { path: "/workspace/src/written.txt", status: "modified" },
  ]);
});

test("during a call: the same, and a watcher gets events for the box's own writes and for no others", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project);
  await gate.bash("echo mine > mine.txt"); // a draft without changes would begin anew
  const end = await longCall(gate, project, `${endWatcher}\n${look}; ${add}`, before + startWatcher);
  workOn(project);
  project.write("node_modules/dep/index.js", "module.exports = 2;\n");
  for (const name of ["later.txt", "directory", "moved2"])
    await until(`${name} is kept out`, () => isMarked(project, name));
  assert.equal((await end())["stdout"], `events: end own.txt\n${seen}${added}`);
});

test("control: on a live layer all of it goes wrong, and the watcher is as blind", async (t) => {
  live(t);
  const project = makeProject(t, files);
  const gate = openDraft(t, project);
  await gate.bash("echo mine > mine.txt");
  const script = `${endWatcher}\nset +e; ${look}\n git add -A; git status --short`;
  const end = await longCall(gate, project, script, before + startWatcher);
  workOn(project);
  const stdout = String((await end())["stdout"]);
  assert.match(stdout, /^events: end own\.txt$/m);
  assert.match(stdout, /^in place$/m, "the person's edit shows");
  assert.match(stdout, /^two$/m, "what they saved by rename is as it was");
  assert.match(stdout, /^the agent's$/m);
  assert.match(stdout, /^later\.txt$/m, "their new file shows");
  assert.notEqual(stdout, `events: end own.txt\n${seen}A  mine.txt\nM  src/written.txt\n`);
});

test("each call on a live layer sees the project as it is when the call begins, and git add works", async (t) => {
  live(t);
  const project = makeProject(t, files);
  const gate = openDraft(t, project);
  await gate.bash(before);
  workOn(project);
  assert.equal(
    await gate.bash(
      "cat src/a.txt src/deep/b.txt src/written.txt later.txt src/later.txt moved2/m.txt replaced; ls; test ! -e gone.txt; test ! -e moved",
    ),
    "in place\nby rename\nthe agent's\nlater\nlater\nm\na file now\ndirectory\nlater.txt\nmine.txt\nmoved2\nnode_modules\nreplaced\nsrc\n",
  );
  const status = await gate.bash("git add -A && git status --short");
  assert.match(status, /^A {2}mine\.txt$/m);
  assert.match(status, /^A {2}later\.txt$/m, "theirs is among the agent's: nothing was copied");
  // Two calls at once: the one that begins later refreshes the view of the other, and breaks nothing of it.
  project.write("x.txt", "old\n");
  const end = await longCall(
    gate,
    project,
    "cat x.txt src/written.txt; cat <&7; git status --short > /dev/null",
    "cat x.txt; exec 7< src/deep/b.txt",
  );
  writeFileSync(join(project.path, "x.tmp"), "new\n");
  renameSync(join(project.path, "x.tmp"), join(project.path, "x.txt"));
  assert.equal(await gate.bash("cat x.txt"), "new\n");
  assert.equal((await end())["stdout"], "old\nnew\nthe agent's\nby rename\n");
});

/** Projects that are too large to copy. */
function live(t: TestContext): void {
  const { draftFiles } = limits;
  Object.assign(limits, { draftFiles: 3 });
  t.after(() => Object.assign(limits, { draftFiles }));
}
