// The contract of a workspace in memory as programs see it: they find its files, what they change comes back as data, and nothing
// else does. It holds with an overlay for each call, and where none can be mounted.

import assert from "node:assert/strict";
import test from "node:test";
import type { RunTreeChange } from "../../src/process/outcome.ts";
import { applyChanges, type Files, writeDifference, type MemoryBox, readFiles } from "../fixtures/memory-box.ts";
import { runs } from "../fixtures/runs.ts";

interface Case {
  readonly before?: Files;
  readonly script: string;
  readonly after: Files;
}

const small: Files = { "a.txt": "a\n", "d/b": "b\n", "d/e/c": "c\n", "run.sh": "#x echo run\n", link: "-> a.txt" };
const without = (...paths: readonly string[]): Files =>
  Object.fromEntries(Object.entries(small).filter(([path]) => !paths.includes(path)));

const cases: Readonly<Record<string, Case>> = {
  nothing: { script: "cat a.txt d/b d/e/c link; ./run.sh; ls -R", after: small },
  "a new file": {
    script: "echo new > n; mkdir -p x/y; echo z > x/y/z",
    after: { ...small, n: "new\n", "x/y/z": "z\n" },
  },
  "another content": { script: "echo other > a.txt", after: { ...small, "a.txt": "other\n" } },
  "more at the end": { script: "echo more >> d/e/c", after: { ...small, "d/e/c": "c\nmore\n" } },
  "one byte in the middle": {
    script: "printf X | dd of=d/b bs=1 seek=1 conv=notrunc status=none",
    after: { ...small, "d/b": "bX" },
  },
  "a change through mmap": {
    script: `python3 -c 'import mmap; f = open("a.txt", "r+b"); m = mmap.mmap(f.fileno(), 0); m[0] = 66; m.close()'`,
    after: { ...small, "a.txt": "B\n" },
  },
  emptied: { script: ": > a.txt", after: { ...small, "a.txt": "" } },
  shorter: { script: "truncate -s 1 a.txt", after: { ...small, "a.txt": "a" } },
  holes: { script: "truncate -s 5 a.txt", after: { ...small, "a.txt": "a\n\0\0\0" } },
  executable: { script: "chmod +x a.txt", after: { ...small, "a.txt": "#x a\n" } },
  "no longer executable": { script: "chmod 600 run.sh", after: { ...small, "run.sh": "echo run\n" } },
  unreadable: { script: "echo s > a.txt; chmod 000 a.txt d", after: { ...small, "a.txt": "s\n" } },
  deleted: { script: "rm a.txt", after: without("a.txt") },
  "the last of a directory deleted": { script: "rm d/e/c", after: without("d/e/c") },
  "a directory deleted": { script: "rm -r d", after: without("d/b", "d/e/c") },
  "everything deleted": { script: "rm -r -- *", after: {} },
  "a file where a directory was": { script: "rm -r d; echo f > d", after: { ...without("d/b", "d/e/c"), d: "f\n" } },
  "a link where a directory was": {
    script: "rm -r d; ln -s a.txt d",
    after: { ...without("d/b", "d/e/c"), d: "-> a.txt" },
  },
  "a directory where a file was": {
    script: "rm a.txt; mkdir a.txt; echo i > a.txt/i",
    after: { ...without("a.txt"), "a.txt/i": "i\n" },
  },
  "an empty directory where a file was": { script: "rm a.txt; mkdir a.txt", after: without("a.txt") },
  "a directory made again": {
    script: "rm -r d; mkdir d; echo n > d/n",
    after: { ...without("d/b", "d/e/c"), "d/n": "n\n" },
  },
  "a directory made again with the same file": {
    script: "rm -r d; mkdir -p d/e; echo c > d/e/c",
    after: without("d/b"),
  },
  renamed: { script: "mv a.txt b.txt", after: { ...without("a.txt"), "b.txt": "a\n" } },
  "renamed over another": { script: "mv a.txt d/b", after: { ...without("a.txt"), "d/b": "a\n" } },
  "a directory renamed": {
    script: "mv d g",
    after: { ...without("d/b", "d/e/c"), "g/b": "b\n", "g/e/c": "c\n" },
  },
  "a directory renamed and back": { script: "mv d g; mv g d", after: small },
  "a new directory renamed": {
    script: "mkdir n; echo 1 > n/1; mv n m; rm -r d; mv m d",
    after: { ...without("d/b", "d/e/c"), "d/1": "1\n" },
  },
  links: {
    script: "ln -s ../x dangling; ln -s /etc/passwd out; ln -sfn d/b link",
    after: { ...small, dangling: "-> ../x", out: "-> /etc/passwd", link: "-> d/b" },
  },
  "a hard link": { script: "ln a.txt h; echo more >> h", after: { ...small, "a.txt": "a\nmore\n", h: "a\nmore\n" } },
  "what is made and gone again": { script: "mkdir t; echo x > t/x; rm -r t; mkdir empty", after: small },
  "names that are text": {
    script: `echo s > 'a b'; echo n > $'line\\nfeed'; echo u > 'ä ✓'; echo d > '-rf'; echo b > 'back\\slash'`,
    after: { ...small, "a b": "s\n", "line\nfeed": "n\n", "ä ✓": "u\n", "-rf": "d\n", "back\\slash": "b\n" },
  },
  "a repository of its own": {
    script:
      "git init -q . && git add a.txt && git -c user.name=n -c user.email=e commit -qm m && test -d .git/objects && mkdir -p v && git init -q v && echo 1 > v/1 && git status --porcelain | wc -l",
    after: { ...small, "v/1": "1\n" },
  },
  "a .git that is a file or a link": { script: "echo gitdir: x > .git; ln -s .git d/.git", after: small },
  "a repository that nobody may enter": {
    script: "mkdir -p .git/x/y d/.git; touch .git/x/y/z; chmod 000 .git/x/y .git/x .git d/.git",
    after: small,
  },
  "a file in a very deep directory": {
    script: `mkdir -p ${"n/".repeat(50)}; echo deep > ${"n/".repeat(50)}f`,
    after: { ...small, [`${"n/".repeat(50)}f`]: "deep\n" },
  },
};

const nothing = { isComplete: true, changes: [] };

export interface TreeWay {
  open(): MemoryBox;
}

export function memoryTreeContract(name: string, way: TreeWay): void {
  test(`${name}: a program finds the files, and what it changes comes back`, async (t) => {
    const box = way.open();
    t.after(() => box.close());
    for (const [title, { before = small, script, after }] of Object.entries(cases)) {
      await t.test(title, async () => {
        box.writeFiles(before);
        assert.deepEqual(readFiles(box.tree.path), applyChanges(before, nothing));
        const { exitCode, stderr, changes } = await box.bash(script);
        assert.deepEqual([exitCode, stderr.text, changes.isComplete], [0, "", true]);
        if (title === "nothing") assert.deepEqual(changes.changes, []);
        const result = applyChanges(before, changes);
        assert.deepEqual(result, applyChanges(after, nothing));
        assert.deepEqual(readFiles(box.tree.path), applyChanges(before, nothing), "the tree is as it was laid");
        writeDifference(box.tree, before, result);
        assert.deepEqual(readFiles(box.tree.path), result, "the tree");
        for (const path of Object.keys(result)) box.tree.remove(path);
        assert.deepEqual(readFiles(box.tree.path), {});
      });
    }
  });

  test(`${name}: what cannot be kept is named`, async (t) => {
    const box = way.open();
    t.after(() => box.close());
    box.writeFiles({ "a.txt": "a\n" });
    const { changes, exitCode } = await box.bash(
      `mkfifo fifo; perl -e 'use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("sock"))'; echo x > $'caf\\xe9'; ln -s $'\\xff' bad; rm a.txt; mkfifo a.txt; mkdir $'d\\xe9'; echo i > $'d\\xe9/i'; test -S sock`,
    );
    assert.equal(exitCode, 0);
    const specials = changes.changes.filter(({ kind }) => kind === "special") as Extract<
      RunTreeChange,
      { kind: "special" }
    >[];
    assert.deepEqual(Object.fromEntries(specials.map(({ path, what }) => [path, what])), {
      fifo: "not_a_file",
      sock: "not_a_file",
      "caf\\xe9": "name",
      bad: "name",
      "a.txt": "not_a_file",
      "d\\xe9/i": "name",
    });
    const others = changes.changes.filter(({ kind }) => kind !== "special" && kind !== "directory");
    assert.deepEqual(others, []);
    assert.deepEqual(readFiles(box.tree.path), { "a.txt": "a\n" });
    const again = await box.bash("ls -A; cat a.txt");
    assert.equal(again.stdout.text, "a.txt\na\n");
  });

  test(`${name}: directories that are too deep are named, not followed`, async (t) => {
    const box = way.open();
    t.after(() => box.close());
    const deep = (directory: string) => `for (1 .. 300) { mkdir ${directory}; chdir ${directory} or die }`;
    const { changes, exitCode } = await box.bash(
      `echo 1 > first; perl -e '${deep('"n" x 200')} open F, ">f"; close F; chdir "/workspace"; ${deep('"m"')}'`,
    );
    assert.deepEqual([exitCode, changes.isComplete], [0, true]);
    assert.equal(applyChanges({}, changes)["first"], "1\n");
    const specials = changes.changes.filter((change) => change.kind === "special");
    assert.deepEqual(specials.map(({ what, path }) => `${what} ${path.slice(0, 2)}`).toSorted(), [
      "depth m/",
      "depth nn",
    ]);
    assert.equal((await box.bash("cat first; find . -type d | wc -l")).exitCode, 0, "the next call is not disturbed");
  });

  test(`${name}: thousands of small files and a large one come back whole`, async (t) => {
    const count = runs(5_000, 1_500);
    const box = way.open();
    t.after(() => box.close());
    const { changes, exitCode, stderr } = await box.bash(
      `python3 -c '
import os
for i in range(${count}):
    os.makedirs(f"d{i % 50}", exist_ok=True)
    open(f"d{i % 50}/f{i}", "w").write(f"file {i}")
with open("large", "wb") as f:
    for i in range(50): f.write(bytes([i]) * (1 << 20))
'`,
    );
    assert.deepEqual([exitCode, stderr.text, changes.isComplete], [0, "", true]);
    const files = new Map(changes.changes.map((change) => [change.path, change]));
    assert.equal(files.size, count + 1);
    for (let index = 0; index < count; index++) {
      const file = files.get(`d${index % 50}/f${index}`);
      assert.ok(file?.kind === "file");
      assert.equal(Buffer.from(file.bytes).toString(), `file ${index}`);
    }
    const large = files.get("large");
    assert.ok(large?.kind === "file" && large.bytes.length === 50 << 20);
    for (let index = 0; index < 50; index++)
      assert.ok(large.bytes.subarray(index << 20, (index + 1) << 20).every((byte) => byte === index));
  });

  test(`${name}: a program that is killed half way leaves what it had done`, async (t) => {
    const box = way.open();
    t.after(() => box.close());
    box.writeFiles(small);
    const { changes, timedOut, signal } = await box.bash(
      "echo 1 > one; rm a.txt; trap '' TERM; echo half >> d/b; sleep 100; echo 2 > two",
      { timeoutMs: 700 },
    );
    assert.deepEqual([timedOut, signal, changes.isComplete], [true, "SIGKILL", true]);
    assert.deepEqual(applyChanges(small, changes), {
      ...applyChanges(without("a.txt"), nothing),
      "d/b": "b\nhalf\n",
      one: "1\n",
    });
  });

  test(`${name}: calls at once each get their own answer`, async (t) => {
    const box = way.open();
    t.after(() => box.close());
    box.writeFiles(small);
    const numbers = [0, 1, 2, 3, 4];
    const outcomes = await Promise.all(numbers.map((number) => box.bash(`echo ${number} > file-${number}; sleep 0.1`)));
    outcomes.forEach(({ changes }, number) => {
      assert.equal(applyChanges(small, changes)[`file-${number}`], `${number}\n`);
    });
  });
}
