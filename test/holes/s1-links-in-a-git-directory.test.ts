// S1: a push into a repository whose git directory holds links: nobody is asked, and nothing is written where they lead.
// Control for each: plain git follows the same link.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import test, { describe, it } from "node:test";
import { commit, git, makeRepository, pictureOf, plainGit } from "../fixtures/git.ts";
import { headOf, newWorld, person } from "../fixtures/git-gates.ts";

const world = newWorld();
const work = join(world.directories.root, "work");
mkdirSync(work);
const tools = world.open({ granted: [work], mode: "rw" });
let serial = 0;

interface Hostile {
  readonly name: string;
  readonly branch: string;
  readonly isCheckedOut?: boolean;
  /** Puts the link into the git directory; answers what must not change, and where it is. */
  readonly plant: (gitDirectory: string, outside: string) => void;
  /** In the git directory, as the refusal names it. */
  readonly named: string;
  /** With plain git, on the same repository. */
  readonly follow?: (repo: string, next: string) => void;
}

const moveBranch =
  (branch: string) =>
  (repo: string, next: string): void =>
    void git(repo, ["update-ref", "-m", "x", `refs/heads/${branch}`, next]);

function link(gitDirectory: string, name: string, target: string): void {
  const place = join(gitDirectory, name);
  mkdirSync(dirname(place), { recursive: true });
  if (lstatSync(place, { throwIfNoEntry: false }) !== undefined)
    renameSync(place, `${gitDirectory}.moved-${name.replaceAll("/", "-")}`);
  symlinkSync(target, place);
}

const directoryOf = (outside: string): string => {
  mkdirSync(join(outside, "directory"));
  return join(outside, "directory");
};
const fileOf = (outside: string): string => {
  writeFileSync(join(outside, "bashrc"), "# the person's own\n");
  return join(outside, "bashrc");
};

const rows: readonly Hostile[] = [
  {
    name: "the log of the branch leads to a file",
    branch: "z",
    plant: (at, outside) => link(at, "logs/refs/heads/z", fileOf(outside)),
    named: "logs/refs/heads/z",
    follow: moveBranch("z"),
  },
  {
    name: "all logs lead to a directory",
    branch: "z",
    plant: (at, outside) => link(at, "logs", directoryOf(outside)),
    named: "logs",
    follow: (repo, next) => void git(repo, ["-c", "core.logAllRefUpdates=always", "update-ref", "refs/heads/z", next]),
  },
  {
    name: "a directory of branches leads elsewhere",
    branch: "sub/z",
    plant: (at, outside) => link(at, "refs/heads/sub", directoryOf(outside)),
    named: "refs/heads/sub",
    follow: moveBranch("sub/z"),
  },
  {
    name: "the packs lie elsewhere",
    branch: "z",
    plant: (at, outside) => link(at, "objects/pack", directoryOf(outside)),
    named: "objects/pack",
    follow: (repo) => void git(repo, ["repack", "-a", "-q"]),
  },
  {
    name: "the objects lie elsewhere",
    branch: "z",
    plant: (at, outside) => {
      // Where the agent may read: outside of that it would be refused anyway.
      const elsewhere = `${at}.objects-${outside.length}`;
      renameSync(join(at, "objects"), elsewhere);
      symlinkSync(elsewhere, join(at, "objects"));
    },
    named: "objects",
  },
  {
    name: "the index is another repository's",
    branch: "main",
    isCheckedOut: true,
    plant: (at, outside) => {
      const other = makeRepository(join(outside, "other"));
      link(at, "index", join(other, ".git/index"));
    },
    named: "index",
    follow: (repo) => {
      writeFileSync(join(repo, "planted"), "x\n");
      git(repo, ["add", "planted"]);
    },
  },
  {
    name: "the log of HEAD leads to a file",
    branch: "main",
    isCheckedOut: true,
    plant: (at, outside) => link(at, "logs/HEAD", fileOf(outside)),
    named: "logs/HEAD",
    follow: (repo, next) => void git(repo, ["update-ref", "-m", "x", "HEAD", next]),
  },
  {
    name: "the packed refs are a link",
    branch: "z",
    plant: (at, outside) => link(at, "packed-refs", fileOf(outside)),
    named: "packed-refs",
  },
  {
    name: "HEAD is a link that is no ref",
    branch: "z",
    plant: (at, outside) => {
      writeFileSync(join(outside, "head"), readFileSync(join(at, "HEAD")));
      link(at, "HEAD", join(outside, "head"));
    },
    named: "HEAD",
  },
];

function makeTarget({ isCheckedOut = false }: Hostile): { repo: string; gitDirectory: string; outside: string } {
  serial += 1;
  const outside = join(world.directories.outside, String(serial));
  mkdirSync(outside);
  const repo = join(work, `target-${serial}`);
  git(work, ["clone", "-q", ...(isCheckedOut ? [] : ["--bare"]), world.repo, repo]);
  return { repo, gitDirectory: isCheckedOut ? join(repo, ".git") : repo, outside };
}

async function stagePush(repo: string, { branch, isCheckedOut = false }: Hostile): Promise<object> {
  await tools.write("note.md", `a note ${serial}\n`);
  const { id } = await tools.stage(["note.md"], "Add a note");
  return { commitId: id, target: { type: isCheckedOut ? "local" : "local-bare", path: repo, branch } };
}

const pictured = (directory: string): string[] => pictureOf(directory).filter((line) => !line.includes("/objects"));

describe("a link in the place of what a landing writes", () => {
  for (const row of rows) {
    it(`${row.name}: a conflict that names it, before anybody is asked`, async () => {
      const { repo, gitDirectory, outside } = makeTarget(row);
      row.plant(gitDirectory, outside);
      const before = pictured(outside);
      const asked = tools.person.asked.length;
      const refused = await tools.refused("git_push", await stagePush(repo, row));
      assert.equal(refused.error, "conflict");
      assert.ok(refused.message.includes(`${join(gitDirectory, row.named)} is a symbolic link`), refused.message);
      assert.equal(tools.person.asked.length, asked);
      assert.deepEqual(pictured(outside), before);
    });

    it(`${row.name}: so it is when it comes after the question`, async () => {
      const { repo, gitDirectory, outside } = makeTarget(row);
      let before: string[] = [];
      tools.person.says = () => {
        row.plant(gitDirectory, outside);
        before = pictured(outside);
        return {};
      };
      const refused = await tools.refused("git_push", await stagePush(repo, row));
      tools.person.says = () => ({});
      assert.equal(refused.error, "conflict");
      assert.notDeepEqual(before, []);
      assert.deepEqual(pictured(outside), before);
    });

    if (row.follow !== undefined)
      it(`${row.name}: control, plain git writes there`, () => {
        const { repo, gitDirectory, outside } = makeTarget(row);
        const next = git(repo, ["commit-tree", "-m", "next", "-p", "main", "main^{tree}"]).trim();
        row.plant(gitDirectory, outside);
        const before = pictured(outside);
        row.follow?.(repo, next);
        assert.notDeepEqual(pictured(outside), before);
      });
  }
});

test("the reproducer: a repository that the agent made, with a link and a name of its choosing", async () => {
  const victim = join(world.directories.outside, "victim");
  writeFileSync(victim, "# the person's own\n");
  const make = `git init -q --bare notes.git && cd notes.git && git config user.name '$(touch marker)' && git config user.email a@b && mkdir -p logs/refs/heads`;
  await tools.done("Bash", { cwd: work, script: `${make} && ln -s ${victim} logs/refs/heads/notes` });
  const push = async () => {
    await tools.write("note.md", "a note\n");
    const { id } = await tools.stage(["note.md"], "Add a note");
    return { commitId: id, target: { type: "local-bare", path: join(work, "notes.git"), branch: "notes" } };
  };
  assert.equal((await tools.refused("git_push", await push())).error, "conflict");
  assert.equal(readFileSync(victim, "utf8"), "# the person's own\n");
  // Without the link it lands, by the person's own name.
  rmSync(join(work, "notes.git/logs/refs/heads/notes"));
  await tools.done("git_push", await push());
  assert.equal(git(join(work, "notes.git"), ["log", "-1", "--format=%an", "notes"]).trim(), person.name);
  assert.match(tools.person.asked.at(-1)?.text ?? "", /not the repository's own \(user\.name = /);
});

test("links that come and go while it lands: nothing is written outside", async () => {
  const { repo, outside } = makeTarget({ branch: "z", name: "", plant: () => undefined, named: "" });
  const victim = fileOf(outside);
  mkdirSync(join(repo, "logs/refs/heads"), { recursive: true });
  mkdirSync(join(outside, "heads"));
  symlinkSync(join(outside, "heads"), join(repo, "swap"));
  symlinkSync(victim, join(repo, "swap-log"));
  const program = [
    "import ctypes, os, sys",
    "libc = ctypes.CDLL(None)",
    "os.chdir(sys.argv[1])",
    "open('plain-log', 'w').close()",
    "os.rename('plain-log', 'logs/refs/heads/z')",
    "print('go', flush=True)",
    "while True:",
    "  libc.renameat2(-100, b'swap-log', -100, b'logs/refs/heads/z', 2)",
    "  libc.renameat2(-100, b'swap', -100, b'refs/heads', 2)",
    "  libc.renameat2(-100, b'swap', -100, b'refs/heads', 2)",
  ].join("\n");
  const swapper = spawn("python3", ["-c", program, repo], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    await new Promise((resolve) => swapper.stdout.once("data", resolve));
    for (let round = 0; round < 8; round += 1) {
      await tools.write("note.md", `round ${round}\n`);
      const { id } = await tools.stage(["note.md"], "Add a note");
      await tools.call("git_push", { commitId: id, target: { type: "local-bare", path: repo, branch: "z" } });
    }
  } finally {
    swapper.kill("SIGKILL");
  }
  assert.equal(readFileSync(victim, "utf8"), "# the person's own\n");
  assert.deepEqual(readdirSync(join(outside, "heads")), []);
});

test("an ordinary repository takes the push: hooks behind a link, an old HEAD, a linked work tree", async () => {
  const repo = makeRepository(join(work, "ordinary"), { isUnborn: true });
  commit(repo, "first", { "a.txt": "a\n" });
  rmSync(join(repo, ".git/hooks"), { recursive: true, force: true });
  mkdirSync(join(repo, "hooks"));
  symlinkSync("../hooks", join(repo, ".git/hooks"));
  rmSync(join(repo, ".git/HEAD"));
  symlinkSync("refs/heads/main", join(repo, ".git/HEAD"));
  const linked = join(work, "linked");
  plainGit(repo, ["worktree", "add", "-q", "-b", "side", linked]);
  for (const [path, branch] of [
    [repo, "main"],
    [linked, "side"],
  ] as const) {
    await tools.write("note.md", `${branch}\n`);
    const { id } = await tools.stage(["note.md"], "Add a note");
    const { commitSha } = await tools.done("git_push", { commitId: id, target: { type: "local", path, branch } });
    assert.equal(headOf(repo, branch), commitSha);
    assert.equal(readFileSync(join(path, "note.md"), "utf8"), `${branch}\n`);
    assert.equal(git(path, ["status", "--porcelain"]).replace("?? hooks/\n", ""), "");
    assert.equal(existsSync(join(path, "index.lock")), false);
  }
});
