import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { commit, git, makeRepository, pictureOf, plainGit, writeFiles } from "../../../fixtures/git.ts";
import { localTarget } from "../../../../src/git/target/local/local.ts";
import { land, landingOf, look, openRoom, plainRunner, push, repositoryAt } from "./local-room.ts";

const room = openRoom();
after(room.remove);
let serial = 0;
const fresh = (): string => room.path(`r${serial++}`);

const status = (repo: string): string => git(repo, ["status", "--porcelain=v1", "--ignored", "-uall"]);
const read = (repo: string, path: string): string => readFileSync(join(repo, path), "utf8");

/** Whole, at the commit, and nothing of ours left. */
function isSound(repo: string, ref: string, id: string): void {
  assert.equal(git(repo, ["rev-parse", ref]).trim(), id);
  git(repo, ["fsck", "--strict", "--no-dangling"]);
}

const start = { "docs/a.md": "a\n", "docs/b.md": "b\n", "src/x.js": "x\n", "run.sh": "#!/bin/sh\n" };

function repositoryWith(files: Readonly<Record<string, string>> = start, init: readonly string[] = []): string {
  const repo = makeRepository(fresh(), { init, isUnborn: true });
  commit(repo, "first", files);
  return repo;
}

async function conflictOf(
  repo: string,
  edits: Parameters<typeof landingOf>[1],
  branch: string | null = null,
): Promise<string> {
  const landing = await landingOf(await look(repo, branch), edits);
  const before = pictureOf(repo).filter((line) => !line.includes("/.git/objects"));
  const landed = await land(repo, landing);
  assert.ok(!landed.ok, "it landed");
  assert.equal(landed.failure.error, "conflict");
  assert.deepEqual(
    pictureOf(repo).filter((line) => !line.includes("/.git/objects")),
    before,
    "something changed",
  );
  return [landed.failure.message, ...(landed.failure.because ?? [])].join("\n");
}

describe("a local target", () => {
  for (const format of ["sha1", "sha256"]) {
    it(`lands where it is checked out, files and index in step (${format})`, async () => {
      const repo = repositoryWith(start, [`--object-format=${format}`]);
      symlinkSync("docs/a.md", join(repo, "old-link"));
      commit(repo, "link");
      const landing = await push(repo, {
        "docs/a.md": "A\n",
        "docs/b.md": null,
        "new/deep/c.md": "c\n",
        "x:run.sh": "#!/bin/sh\n",
        link: ["docs/a.md"],
        "old-link": null,
      });
      isSound(repo, "main", landing.commit);
      assert.equal(status(repo), "");
      assert.equal(read(repo, "docs/a.md"), "A\n");
      assert.equal(read(repo, "new/deep/c.md"), "c\n");
      assert.equal(existsSync(join(repo, "docs/b.md")), false);
      assert.equal(readlinkSync(join(repo, "link")), "docs/a.md");
      assert.equal(lstatSync(join(repo, "old-link"), { throwIfNoEntry: false }), undefined);
      assert.notEqual(lstatSync(join(repo, "run.sh")).mode & 0o100, 0);
      assert.equal(git(repo, ["show", "main:docs/a.md"]), "A\n");
      assert.match(git(repo, ["reflog", "main"]), /push: by sallyport/);
      assert.match(git(repo, ["reflog", "HEAD"]), /push: by sallyport/);
    });

    it(`lands in a bare repository, from nothing and again (${format})`, async () => {
      const repo = fresh();
      mkdirSync(repo);
      git(repo, ["init", "-q", "--bare", "-b", "trunk", `--object-format=${format}`]);
      const looked = await look(repo);
      assert.deepEqual(
        { ...looked.state },
        {
          address: repo,
          format,
          branch: "trunk",
          defaultBranch: "trunk",
          oldCommit: null,
          baseCommit: null,
          baseTree: null,
          checkedOut: [],
        },
      );
      await push(repo, { "a/b.txt": "one\n" });
      git(repo, ["pack-refs", "--all"]);
      const landing = await push(repo, { "a/c.txt": "two\n" });
      isSound(repo, "trunk", landing.commit);
      assert.equal(git(repo, ["show", "trunk:a/c.txt"]), "two\n");
      const side = await push(repo, { "a/b.txt": null }, "side");
      assert.equal(side.state.oldCommit, null);
      assert.equal(side.state.baseCommit, landing.commit);
      isSound(repo, "side", side.commit);
      isSound(repo, "trunk", landing.commit);
    });
  }

  it("lands in an empty repository whose branch is not born yet", async () => {
    const repo = makeRepository(fresh(), { isUnborn: true });
    writeFiles(repo, { "mine.txt": "mine" });
    const landing = await push(repo, { "a.txt": "a\n" });
    isSound(repo, "main", landing.commit);
    assert.equal(status(repo), "?? mine.txt\n");
  });

  it("leaves a detached HEAD and its files alone, and wants a branch by name", async () => {
    const repo = repositoryWith();
    git(repo, ["checkout", "-q", "--detach"]);
    const landing = await push(repo, { "docs/a.md": "new\n" }, "main");
    assert.deepEqual(landing.state.checkedOut, []);
    assert.equal(landing.state.defaultBranch, null);
    isSound(repo, "main", landing.commit);
    assert.equal(read(repo, "docs/a.md"), "a\n");
    const side = await push(repo, { "docs/a.md": "side\n" }, "side");
    assert.equal(side.state.baseCommit, git(repo, ["rev-parse", "HEAD"]).trim());
    const refused = await localTarget({ repository: repositoryAt(repo), branch: null, git: plainRunner() }).readState();
    assert.equal(refused.ok ? "" : refused.failure.error, "invalid_args");
  });

  it("finds the branch in every work tree: from the main one, a linked one, and a bare repository", async () => {
    const repo = repositoryWith();
    const linked = fresh();
    git(repo, ["worktree", "add", "-q", "-b", "topic", linked]);
    for (const from of [repo, join(repo, ".git"), linked]) {
      const looked = await look(from, "topic");
      assert.deepEqual(looked.state.checkedOut, [linked], from);
      assert.equal(looked.state.defaultBranch, "main");
      const main = await look(from, "main");
      assert.deepEqual(main.state.checkedOut, [repo], from);
    }
    assert.equal((await look(linked)).state.branch, "topic");
    const landing = await push(repo, { "docs/a.md": "topic\n", "new.txt": "n\n" }, "topic");
    isSound(linked, "HEAD", landing.commit);
    assert.equal(status(linked), "");
    assert.equal(read(linked, "docs/a.md"), "topic\n");
    assert.equal(status(repo), "");
    rmSync(linked, { recursive: true });
    assert.deepEqual((await look(repo, "topic")).state.checkedOut, []);
  });

  it("updates two work trees that have the same branch", async () => {
    const repo = repositoryWith();
    const linked = fresh();
    git(repo, ["worktree", "add", "-q", "--force", linked, "main"]);
    const landing = await push(repo, { "docs/a.md": "both\n" });
    assert.deepEqual(landing.state.checkedOut, [repo, linked]);
    assert.equal(status(repo) + status(linked), "");
    writeFileSync(join(linked, "docs/a.md"), "mine\n");
    assert.match(await conflictOf(repo, { "docs/a.md": "again\n" }), /docs\/a.md.*modified/);
  });

  it("lands in shallow clones, and in those that borrow objects", async () => {
    const repo = repositoryWith();
    commit(repo, "second", { "docs/a.md": "second\n" });
    for (const how of [
      ["--depth=1", `file://${repo}`],
      ["--shared", repo],
    ]) {
      const clone = fresh();
      git("/", ["clone", "-q", ...how, clone]);
      const landing = await push(clone, { "docs/a.md": "third\n" });
      isSound(clone, "main", landing.commit);
      assert.equal(status(clone), "");
    }
  });

  it("turns files into directories and back", async () => {
    const repo = repositoryWith({ a: "file\n", "d/one": "1\n", "d/sub/two": "2\n", l: "l\n" });
    await push(repo, { a: null, "a/b/c": "deep\n", "d/one": null, "d/sub/two": null, d: "now a file\n", l: ["a/b/c"] });
    assert.equal(status(repo), "");
    const landing = await push(repo, { "a/b/c": null, a: "file again\n", d: null, "d/x": "x\n" });
    isSound(repo, "main", landing.commit);
    assert.equal(status(repo), "");
    assert.equal(read(repo, "a"), "file again\n");
  });

  it("keeps whatever else the person has staged, modified, removed or left lying about", async () => {
    const repo = repositoryWith({
      ...start,
      ".gitignore": "*.log\n",
      "m.txt": "m\n",
      "gone.txt": "g\n",
      "s.txt": "s\n",
    });
    writeFiles(repo, {
      "m.txt": "modified\n",
      "s.txt": "staged\n",
      "u.txt": "untracked\n",
      "x.log": "ignored\n",
      "docs/u.md": "beside\n",
    });
    git(repo, ["add", "s.txt"]);
    writeFiles(repo, { "s.txt": "staged and modified\n", "added.txt": "added\n" });
    git(repo, ["add", "-N", "u.txt"]);
    git(repo, ["add", "added.txt"]);
    rmSync(join(repo, "gone.txt"));
    const before = status(repo);
    const landing = await push(repo, { "docs/a.md": "A\n", "docs/c.md": "c\n", "src/x.js": null });
    isSound(repo, "main", landing.commit);
    assert.equal(status(repo), before);
    assert.equal(git(repo, ["show", ":s.txt"]), "staged\n");
    assert.equal(read(repo, "s.txt"), "staged and modified\n");
  });

  it("leaves the marks of sparse checkouts and assumed files", async () => {
    const repo = repositoryWith();
    git(repo, ["update-index", "--assume-unchanged", "run.sh"]);
    git(repo, ["sparse-checkout", "set", "--no-cone", "/docs/", "/run.sh"]);
    assert.equal(existsSync(join(repo, "src")), false);
    const landing = await push(repo, { "src/x.js": "sparse\n", "run.sh": "#!/bin/sh\nexit\n", "docs/a.md": "A\n" });
    isSound(repo, "main", landing.commit);
    assert.equal(status(repo), "");
    assert.equal(existsSync(join(repo, "src")), false);
    assert.match(git(repo, ["ls-files", "-v"]), /^h run.sh\nS src\/x.js$/m);
    assert.equal(git(repo, ["show", ":src/x.js"]), "sparse\n");
  });

  for (const [name, setting] of [
    ["a split index", ["update-index", "--split-index"]],
    ["index version 4", ["update-index", "--index-version", "4"]],
    ["an untracked cache", ["update-index", "--untracked-cache"]],
    ["a sparse index", ["sparse-checkout", "set", "--cone", "--sparse-index", "docs"]],
  ] as const) {
    it(`copes with ${name}`, async () => {
      const repo = repositoryWith({ ...start, "deep/er/f": "f\n" });
      git(repo, setting as readonly string[]);
      const landing = await push(repo, { "docs/a.md": "A\n", "docs/new.md": "n\n", "deep/er/f": "F\n" });
      isSound(repo, "main", landing.commit);
      assert.equal(status(repo), "");
    });
  }

  it("takes CRLF on disk for unmodified only where git converts it, and keeps it", async () => {
    const repo = repositoryWith({ "a.txt": "one\ntwo\n", "b.bin": "x\ny\n", ".gitattributes": "*.bin -text\n" });
    writeFiles(repo, { "a.txt": "one\r\ntwo\r\n" });
    assert.match(await conflictOf(repo, { "a.txt": "three\n" }), /a.txt.*modified/);
    git(repo, ["config", "core.autocrlf", "true"]);
    await push(repo, { "a.txt": "three\n" });
    assert.equal(read(repo, "a.txt"), "three\r\n");
    assert.equal(status(repo), "");
    writeFiles(repo, { "b.bin": "x\r\ny\r\n" });
    assert.match(await conflictOf(repo, { "b.bin": "z\n" }), /b.bin.*modified/);
  });

  it("keeps a file's other permissions", async () => {
    const repo = repositoryWith();
    chmodSync(join(repo, "docs/a.md"), 0o600);
    chmodSync(join(repo, "run.sh"), 0o640);
    await push(repo, { "docs/a.md": "A\n", "x:run.sh": "#!/bin/sh\n" });
    assert.equal(lstatSync(join(repo, "docs/a.md")).mode & 0o777, 0o600);
    assert.equal(lstatSync(join(repo, "run.sh")).mode & 0o777, 0o750);
  });

  it("reads the directories that are touched, in one process for each level, and nothing else", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, each) => [`d${each % 30}/s${each % 5}/f${each}`, `${each}\n`]),
    );
    const repo = repositoryWith(files);
    const runner = plainRunner();
    const looked = await look(repo, null, runner);
    assert.deepEqual(runner.calls, ["cat-file"]);
    const landing = await landingOf(looked, { "d1/s1/f1": "new\n", "d2/s2/new": "n\n", "d3/new": "n\n" });
    assert.deepEqual(runner.calls, ["cat-file", "cat-file", "cat-file"]);
    assert.ok((await land(repo, landing, runner)).ok);
    assert.deepEqual(runner.calls.slice(3), [
      "ls-files",
      "config",
      "index-pack",
      "update-ref",
      "ls-files",
      "update-index",
    ]);
    const id = git(repo, ["rev-parse", "HEAD:d1/s1/f1"]).trim();
    assert.equal(Buffer.from((await looked.readBlobs([id, id])).get(id) ?? "").toString(), "new\n");
    await assert.rejects(looked.readTree("0".repeat(40)), /missing/);
    await assert.rejects(looked.readTree(id), /no tree/);
  });

  it("reads along what it is told will be needed, in one process, and what it is not told all the same", async () => {
    const repo = repositoryWith({ "d/s/f": "1\n", "d/with blank/g": "2\n", "e/h": "3\n" });
    git(repo, ["branch", "other"]);
    const edits = { "d/s/f": "new\n", "d/with blank/g": "new\n", "z/new": "n\n" };
    for (const [branch, isPacked] of [
      ["other", false],
      ["main", true],
      ["fresh", true],
    ] as const) {
      if (isPacked) git(repo, ["pack-refs", "--all"]);
      const runner = plainRunner();
      const looked = await look(repo, branch, runner, ["d/s/f", "z/new", "gone/f", "d", "e/h/i"]);
      assert.deepEqual(runner.calls, ["cat-file"]);
      const tree = await looked.readTree(looked.state.baseTree ?? "");
      const below = await looked.readTree(tree.find(({ name }) => Buffer.from(name).toString() === "d")?.id ?? "");
      const files = await looked.readTree(below.find(({ name }) => Buffer.from(name).toString() === "s")?.id ?? "");
      const id = files[0]?.id ?? "";
      assert.equal(Buffer.from((await looked.readBlobs([id])).get(id) ?? "").toString(), "1\n");
      assert.deepEqual(runner.calls, ["cat-file"]);
      const landing = await landingOf(looked, edits);
      assert.equal(runner.calls.length, 2, "a name with a blank is read by itself");
      const plain = await landingOf(await look(repo, branch), edits);
      assert.equal(landing.commit, plain.commit);
    }
  });
});

describe("a landing that would touch the person's work is a conflict, and nothing changes", () => {
  const cases: readonly [
    name: string,
    prepare: (repo: string) => void,
    edits: Parameters<typeof landingOf>[1],
    says: RegExp,
  ][] = [
    [
      "a modified file",
      (repo) => writeFiles(repo, { "docs/a.md": "mine\n" }),
      { "docs/a.md": "A\n" },
      /"docs\/a.md" is modified/,
    ],
    [
      "a modified file that would go",
      (repo) => writeFiles(repo, { "docs/a.md": "mine\n" }),
      { "docs/a.md": null },
      /"docs\/a.md" is modified/,
    ],
    ["a changed mode", (repo) => chmodSync(join(repo, "run.sh"), 0o755), { "run.sh": "y" }, /executable bit/],
    ["a deleted file", (repo) => rmSync(join(repo, "docs/a.md")), { "docs/a.md": "A\n" }, /deleted on disk/],
    [
      "a staged change",
      (repo) => {
        writeFiles(repo, { "docs/a.md": "mine\n" });
        git(repo, ["add", "-A"]);
        writeFiles(repo, { "docs/a.md": "a\n" });
      },
      { "docs/a.md": "A\n" },
      /something staged/,
    ],
    [
      "a staged deletion",
      (repo) => git(repo, ["rm", "-q", "--cached", "docs/a.md"]),
      { "docs/a.md": "A\n" },
      /something staged/,
    ],
    [
      "a staged new file that is not on disk",
      (repo) => {
        writeFiles(repo, { "n.txt": "mine\n" });
        git(repo, ["add", "-A"]);
        rmSync(join(repo, "n.txt"));
      },
      { "n.txt": "A\n" },
      /something staged/,
    ],
    [
      "a staged file where a directory is to be",
      (repo) => {
        writeFiles(repo, { n: "mine\n" });
        git(repo, ["add", "-A"]);
        rmSync(join(repo, "n"));
      },
      { "n/m": "A\n" },
      /place of its directory n/,
    ],
    [
      "staged files where a file is to be",
      (repo) => {
        writeFiles(repo, { "n/m": "mine\n" });
        git(repo, ["add", "-A"]);
        rmSync(join(repo, "n"), { recursive: true });
      },
      { n: "A\n" },
      /directory with staged files/,
    ],
    ["an untracked file", (repo) => writeFiles(repo, { "new.txt": "mine\n" }), { "new.txt": "A\n" }, /on disk already/],
    [
      "an ignored file",
      (repo) => writeFiles(repo, { ".git/info/exclude": "*.log\n", "x.log": "mine\n" }),
      { "x.log": "A\n" },
      /on disk already/,
    ],
    ["an untracked directory", (repo) => mkdirSync(join(repo, "new")), { new: "A\n" }, /a directory on disk/],
    [
      "an untracked file where a directory is to be",
      (repo) => writeFiles(repo, { new: "mine\n" }),
      { "new/a": "A\n" },
      /new is something that is no directory/,
    ],
    [
      "a directory that holds more than what goes",
      (repo) => writeFiles(repo, { "docs/mine": "m\n" }),
      { "docs/a.md": null, "docs/b.md": null, docs: "A\n" },
      /a directory on disk/,
    ],
    [
      "a linked directory",
      (repo) => {
        renameSync(join(repo, "docs"), join(repo, "away"));
        symlinkSync("away", join(repo, "docs"));
      },
      { "docs/a.md": "A\n" },
      /docs is something that is no directory/,
    ],
    [
      "a linked directory with a new file",
      (repo) => {
        mkdirSync(join(repo, "away"));
        symlinkSync("away", join(repo, "ln"));
      },
      { "ln/new": "A\n" },
      /ln is something that is no directory/,
    ],
    [
      "a file that has become a link",
      (repo) => {
        renameSync(join(repo, "run.sh"), join(repo, "r2"));
        symlinkSync("r2", join(repo, "run.sh"));
      },
      { "run.sh": "A\n" },
      /symbolic link on disk/,
    ],
    [
      "another repository inside",
      (repo) => makeRepository(join(repo, "inner")),
      { "inner/new.txt": "A\n" },
      /another repository/,
    ],
    [
      "a locked index",
      (repo) => writeFiles(repo, { ".git/index.lock": "" }),
      { "docs/a.md": "A\n" },
      /another git is at work/,
    ],
  ];
  for (const [name, prepare, edits, says] of cases) {
    it(name, async () => {
      const repo = repositoryWith();
      prepare(repo);
      assert.match(await conflictOf(repo, edits), says);
    });
  }

  const states: readonly [name: string, prepare: (repo: string) => void, says: RegExp][] = [
    ["merge", (repo) => plainGit(repo, ["merge", "other"]), /a merge is under way/],
    ["rebase", (repo) => plainGit(repo, ["rebase", "other"]), /a rebase of main is under way/],
    ["cherry-pick", (repo) => plainGit(repo, ["cherry-pick", "other"]), /a cherry-pick is under way/],
    ["revert", (repo) => plainGit(repo, ["revert", "--no-edit", "HEAD~1"]), /a revert is under way/],
    [
      "bisect",
      (repo) => {
        plainGit(repo, ["bisect", "start", "HEAD", "HEAD~2"]);
      },
      /a bisect (of main )?is under way/,
    ],
    [
      "am",
      (repo) => {
        const patch = git(repo, ["format-patch", "-1", "--stdout", "other"]);
        plainGit(repo, ["am"], { input: patch });
      },
      /an am is under way/,
    ],
  ];
  for (const [name, prepare, says] of states) {
    it(`a ${name} under way`, async () => {
      const repo = repositoryWith();
      git(repo, ["checkout", "-q", "-b", "other"]);
      commit(repo, "theirs", { "docs/a.md": "theirs\n" });
      git(repo, ["checkout", "-q", "main"]);
      commit(repo, "ours", { "docs/a.md": "ours\n" });
      commit(repo, "ours again", { "docs/a.md": "ours again\n" });
      prepare(repo);
      assert.match(await conflictOf(repo, { "src/x.js": "A\n" }, "main"), says);
    });
  }

  it("a branch that has moved, before or in the middle, or whose name is taken", async () => {
    const repo = repositoryWith();
    const early = await landingOf(await look(repo), { "docs/a.md": "A\n" });
    commit(repo, "meanwhile", { "src/x.js": "meanwhile\n" });
    const late = await land(repo, early);
    assert.match(late.ok ? "" : late.failure.message, /has moved/);
    const landing = await landingOf(await look(repo), { "docs/a.md": "A\n", "docs/new.md": "n\n" });
    const before = readdirSync(join(repo, "docs"));
    const raced = await land(
      repo,
      landing,
      plainRunner(([word]) => {
        if (word === "update-ref") git(repo, ["update-ref", "refs/heads/main", "HEAD~1"]);
      }),
    );
    assert.match(raced.ok ? "" : raced.failure.message, /has moved/);
    assert.deepEqual(readdirSync(join(repo, "docs")), before);
    assert.equal(read(repo, "docs/a.md"), "a\n");
    const taken = await landingOf(await look(repo, "main/sub"), { "docs/a.md": "A\n" });
    const refused = await land(repo, taken);
    assert.match(refused.ok ? "" : refused.failure.message, /cannot be moved/);
  });

  it("a branch that is checked out meanwhile, is another's name, or was never born", async () => {
    const repo = repositoryWith();
    git(repo, ["branch", "topic"]);
    const landing = await landingOf(await look(repo, "topic"), { "docs/a.md": "A\n" });
    git(repo, ["checkout", "-q", "topic"]);
    const landed = await land(repo, landing);
    assert.match(landed.ok ? "" : landed.failure.message, /checked out has changed/);
    git(repo, ["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
    await assert.rejects(look(repo, "alias"), /another name/);
    git(repo, ["checkout", "-q", "--orphan", "born-soon"]);
    const orphan = await landingOf(await look(repo, "born-soon"), { "docs/a.md": "A\n" });
    // A repository with no default branch to build on: as if it were empty.
    assert.equal(orphan.state.baseCommit, null);
    git(repo, ["checkout", "-q", "-f", "main"]);
    const linked = fresh();
    git(repo, ["worktree", "add", "-q", "--detach", linked]);
    git(linked, ["checkout", "-q", "--orphan", "unborn"]);
    assert.match(await conflictOf(repo, { "docs/new.md": "A\n" }, "unborn"), /has no commit yet/);
  });

  it("throws for a landing that no caller may ask for", async () => {
    const repo = repositoryWith();
    const landing = await landingOf(await look(repo), { "docs/a.md": "A\n" });
    const [change] = landing.changes;
    assert.ok(change);
    await assert.rejects(
      land(repo, { ...landing, changes: [{ ...change, path: ".git/hooks/pre-commit" }] }),
      /own directory/,
    );
    await assert.rejects(land(repo, { ...landing, changes: [{ ...change, path: "../x" }] }), /no name/);
    await assert.rejects(
      land(repo, { ...landing, state: { ...landing.state, oldCommit: "1".repeat(40) } }),
      /a branch that is there/,
    );
  });
});

describe("a landing that was interrupted is brought to its end by landing it again", () => {
  const stop = (word: string): ReturnType<typeof plainRunner> =>
    plainRunner(([each]) => {
      if (each === word) throw new Error("interrupted");
    });
  const edits = { "docs/a.md": "A\n", "docs/b.md": null, "docs/new.md": "new\n", "n/m/o.md": "o\n" };

  for (const word of ["index-pack", "update-ref", "update-index"]) {
    it(`before ${word}`, async () => {
      const repo = repositoryWith();
      const before = status(repo);
      const landing = await landingOf(await look(repo), edits);
      await assert.rejects(land(repo, landing, stop(word)), /interrupted/);
      if (word !== "update-index") assert.equal(status(repo), before);
      else assert.notEqual(status(repo), before);
      assert.deepEqual(await land(repo, landing), { ok: true, value: { kept: [] } });
      assert.equal(status(repo), "");
      isSound(repo, "main", landing.commit);
      assert.equal(read(repo, "docs/a.md"), "A\n");
      // And once more, which changes nothing.
      git(repo, ["checkout", "-q", "HEAD~1", "--", "docs/a.md"]);
      assert.deepEqual(await land(repo, landing), { ok: true, value: { kept: [] } });
      assert.equal(status(repo), "M  docs/a.md\n");
    });
  }

  it("with files taken aside and written beside", async () => {
    const repo = repositoryWith();
    const landing = await landingOf(await look(repo), edits);
    await assert.rejects(land(repo, landing, stop("update-index")), /interrupted/);
    const name = (path: string, end: string): string =>
      `.sallyport-${landing.commit.slice(0, 16)}-0badcafe-${landing.changes.findIndex((change) => change.path === path)}-${end}`;
    rmSync(join(repo, "docs/a.md"));
    writeFiles(repo, {
      [`docs/${name("docs/a.md", "old")}`]: "a\n",
      [`docs/${name("docs/a.md", "new")}`]: "A\n",
      [`docs/${name("docs/b.md", "old")}`]: "mine\n",
      [name("n/m/o.md", "new")]: "o\n",
    });
    const landed = await land(repo, landing);
    assert.ok(landed.ok);
    assert.deepEqual(
      landed.value.kept.map(({ path }) => path),
      ["docs/b.md"],
    );
    assert.equal(read(repo, "docs/b.md"), "mine\n");
    assert.equal(read(repo, "docs/a.md"), "A\n");
    assert.equal(status(repo), "?? docs/b.md\n");
  });

  it("what the person did in between stays", async () => {
    const repo = repositoryWith();
    const landing = await landingOf(await look(repo), { ...edits, "src/x.js": "X\n", "run.sh": "R\n" });
    await assert.rejects(land(repo, landing, stop("update-index")), /interrupted/);
    writeFiles(repo, { "docs/a.md": "mine\n", "docs/b.md": "mine too\n", "src/x.js": "staged\n" });
    git(repo, ["add", "src/x.js"]);
    rmSync(join(repo, "run.sh"));
    const landed = await land(repo, landing);
    assert.ok(landed.ok);
    assert.deepEqual(
      new Set(landed.value.kept.map(({ path }) => path)),
      new Set(["docs/a.md", "docs/b.md", "run.sh", "src/x.js"]),
    );
    assert.equal(status(repo), " M docs/a.md\n D run.sh\nM  src/x.js\n?? docs/b.md\n");
  });
});

describe("odd places", () => {
  it("names that mean something to git or to a shell", async () => {
    const repo = repositoryWith();
    const odd = ["-n", ":(top)x", "*.md", "a b/c\td", "new\nline", '"q"', "ü/日本", "d/[x]", "\\", "%41", "docs\\x"];
    const landing = await push(repo, Object.fromEntries(odd.map((path) => [path, `${path}\n`])));
    assert.equal(status(repo), "");
    for (const path of odd) assert.equal(read(repo, path), `${path}\n`);
    await push(repo, Object.fromEntries(odd.map((path, each) => [path, each % 2 === 0 ? null : "changed\n"])));
    assert.equal(status(repo), "");
    isSound(repo, "main~1", landing.commit);
  });

  it("a file that was changed in the second in which the index was written is still seen to be modified", async () => {
    const repo = repositoryWith({ ...start, "m.txt": "mine\n" });
    git(repo, ["config", "core.trustCtime", "false"]);
    const then = new Date(1_700_000_000_000);
    utimesSync(join(repo, "m.txt"), then, then);
    git(repo, ["update-index", "--refresh"]);
    writeFileSync(join(repo, "m.txt"), "mimi\n");
    for (const path of ["m.txt", ".git/index"]) utimesSync(join(repo, path), then, then);
    assert.equal(status(repo), " M m.txt\n");
    await push(repo, { "docs/a.md": "A\n" });
    assert.equal(status(repo), " M m.txt\n");
  });

  it("a partial clone without the blobs beside the new ones", async () => {
    const repo = repositoryWith();
    git(repo, ["config", "uploadpack.allowFilter", "true"]);
    const clone = fresh();
    git("/", ["clone", "-q", "--bare", "--filter=blob:none", `file://${repo}`, clone]);
    const landing = await push(clone, { "docs/new.md": "n\n" });
    assert.equal(git(clone, ["rev-parse", "main"]).trim(), landing.commit);
    git(clone, ["fsck", "--strict"]);
  });

  it("a git directory away from its work tree", async () => {
    const repo = fresh();
    const away = fresh();
    git("/", ["init", "-q", "-b", "main", `--separate-git-dir=${away}`, repo]);
    commit(repo, "first", start);
    const landing = await push(repo, { "docs/a.md": "A\n" });
    assert.deepEqual(landing.state.checkedOut, [repo]);
    assert.equal(status(repo), "");
    assert.match(await conflictOf(away, { "docs/b.md": "B\n" }, "main"), /work tree that .* does not tell/);
    assert.deepEqual((await look(away, "other")).state.checkedOut, []);
  });

  it("a bare repository as the .git of a directory in which its work trees lie", async () => {
    const root = fresh();
    git("/", ["clone", "-q", "--bare", repositoryWith(), join(root, ".git")]);
    git(root, ["worktree", "add", "-q", join(root, "main"), "main"]);
    const landing = await push(root, { "docs/a.md": "A\n" });
    assert.deepEqual(landing.state.checkedOut, [join(root, "main")]);
    assert.equal(status(join(root, "main")), "");
  });

  it("a merge that begins while something lands", async () => {
    const repo = repositoryWith();
    const landing = await landingOf(await look(repo), { "docs/a.md": "A\n" });
    const id = git(repo, ["rev-parse", "HEAD"]);
    const runner = plainRunner(([word]) => void (word === "index-pack" && writeFiles(repo, { ".git/MERGE_HEAD": id })));
    const landed = await land(repo, landing, runner);
    assert.match(landed.ok ? "" : landed.failure.message, /a merge is under way/);
    assert.deepEqual(readdirSync(join(repo, "docs")), ["a.md", "b.md"]);
    assert.equal(git(repo, ["rev-parse", "main"]), id);
  });

  it("a bare repository whose work trees are all linked", async () => {
    const repo = fresh();
    const linked = fresh();
    git("/", ["clone", "-q", "--bare", repositoryWith(), repo]);
    git(repo, ["worktree", "add", "-q", linked, "main"]);
    const landing = await push(repo, { "docs/a.md": "A\n" });
    assert.deepEqual(landing.state.checkedOut, [linked]);
    assert.equal(status(linked), "");
  });
});
