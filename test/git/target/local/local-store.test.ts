// What git does not take leaves nothing behind; what it took long ago stands in nobody's way.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { localTarget } from "../../../../src/git/target/local/local.ts";
import type { Landing } from "../../../../src/git/target/target.ts";
import { commit, git, makeRepository, pictureOf, plainGit } from "../../../fixtures/git.ts";
import { type Edits, land, landingOf, look, openRoom, plainRunner, push, repositoryAt } from "./local-room.ts";

const room = openRoom();
after(room.remove);
let serial = 0;
const fresh = (): string => room.path(`r: ${serial++} "q"`);

const longLine = `# ${"c".repeat(3_000)}\n*.txt text\n`;
const modules = (line: string): string => `[submodule "x"]\n\tpath = x\n\turl = https://example.org/x\n\t${line}\n`;
const refusedFiles: readonly (readonly [what: string, edits: Edits])[] = [
  ["an option as the address of a submodule", { ".gitmodules": modules("url = --upload-pack=touch marker") }],
  ["an option as its path", { ".gitmodules": modules("path = --x") }],
  ["a command as its update", { "sub/.gitmodules": modules("update = !touch marker") }],
  ["a submodule that lies outside", { ".gitmodules": '[submodule "../../x"]\n\turl = https://example.org/x\n' }],
  ["attributes with a line that git does not read", { "docs/.gitattributes": longLine }],
];
const takenFiles: readonly Edits[] = [
  { ".gitmodules": modules("branch = main"), ".gitattributes": "*.txt text\n# ä\n" },
  { ".gitattributes": `${"x".repeat(2_000)} text\n`, "long.txt": "x".repeat(5_000) },
  { ".gitmodules": "<<<<<<< HEAD\n" },
];

function looseFiles(repo: string): string[] {
  return readdirSync(join(repo, ".git/objects"), { recursive: true }).map(String).sort();
}

async function checkOf(repo: string, landing: Landing): Promise<string> {
  const context = { repository: repositoryAt(repo), branch: landing.state.branch, git: plainRunner() };
  const checked = await localTarget(context).check(landing);
  return checked.ok ? "" : `${checked.failure.error}: ${checked.failure.message}`;
}

describe("what git takes from nobody", () => {
  for (const [what, edits] of refusedFiles) {
    it(`${what} is refused before anybody is asked, and leaves nothing behind if it is landed all the same`, async () => {
      const repo = makeRepository(fresh());
      const landing = await landingOf(await look(repo), edits);
      const before = pictureOf(repo).filter((line) => !/\/objects 4/.test(line));
      assert.match(await checkOf(repo, landing), /^invalid_args: "[^"]+" (?:has|names) .*: git takes no such file\.$/);
      const landed = await land(repo, landing);
      assert.equal(landed.ok ? "" : landed.failure.error, "tool_failed");
      assert.match(landed.ok ? "" : landed.failure.message, /^[^\n]*: git(?:modules|attributes)\w+: [^\n]*$/);
      assert.deepEqual(
        pictureOf(repo).filter((line) => !/\/objects 4/.test(line)),
        before,
      );
      git(repo, ["fsck", "--strict"]);
      // Control: unchecked, they would be there.
      const plain = makeRepository(fresh());
      const runner = plainRunner();
      const unchecked: typeof runner = {
        ...runner,
        write: (repository, words, ...rest) =>
          runner.write(
            repository,
            words.filter((word) => word !== "--strict"),
            ...rest,
          ),
      };
      assert.ok((await land(plain, await landingOf(await look(plain), edits), unchecked)).ok);
      assert.notEqual(plainGit(plain, ["fsck", "--strict"]).exitCode, 0);
    });
  }

  it("control: what is like it, and good, lands", async () => {
    for (const edits of takenFiles) {
      const repo = makeRepository(fresh());
      assert.equal(await checkOf(repo, await landingOf(await look(repo), edits)), "");
      await push(repo, edits);
      git(repo, ["fsck", "--strict"]);
    }
  });
});

describe("what a repository has already is not judged", () => {
  const bases: readonly (readonly [what: string, files: Record<string, string>])[] = [
    ["attributes with a long line", { ".gitattributes": longLine }],
    ["a command as the update of a submodule", { ".gitmodules": modules("update = !cmd") }],
    [
      "an option as an address, and long attributes below",
      { ".gitmodules": modules("url = -x"), "sub/.gitattributes": longLine },
    ],
  ];
  for (const [what, files] of bases) {
    it(`${what}: everything else lands, and another of its kind does not`, async () => {
      const repo = makeRepository(fresh());
      commit(repo, "odd", files);
      assert.notEqual(plainGit(repo, ["fsck", "--strict"]).exitCode, 0);
      await push(repo, { "n.txt": "n\n", "sub/m.txt": "m\n" });
      await push(repo, { "docs/.gitattributes": "*.md text\n" });
      const before = looseFiles(repo);
      const landing = await landingOf(await look(repo), { "n.txt": "o\n", "docs/.gitmodules": modules("path = -y") });
      const landed = await land(repo, landing);
      assert.match(landed.ok ? "it landed" : landed.failure.message, /gitmodulesPath/);
      assert.deepEqual(looseFiles(repo), before);
      assert.equal(git(repo, ["status", "--porcelain"]), "");
    });
  }

  for (const [mode, name] of [
    ["120000", ".gitmodules"],
    ["100644", "git~1"],
  ]) {
    it(`a ${mode} ${name}, which no git lets in today`, async () => {
      const repo = room.path(`old${serial++}`);
      git("/", ["clone", "-q", "--bare", makeRepository(fresh()), repo]);
      const blob = git(repo, ["rev-parse", "HEAD:a.txt"]).trim();
      const input = `100644 blob ${blob}\ta.txt\n${mode} blob ${blob}\t${name}\n`;
      const tree = git(repo, ["mktree"], { input }).trim();
      git(repo, ["update-ref", "HEAD", git(repo, ["commit-tree", tree, "-m", "old"]).trim()]);
      const runner = plainRunner();
      assert.ok((await land(repo, await landingOf(await look(repo), { "n.txt": "n\n" }), runner)).ok);
      assert.equal(runner.calls.filter((word) => word === "index-pack").length, 2, "git has nothing against it");
      const landing = await landingOf(await look(repo), { "sub/.gitmodules": modules("url = -z") });
      const landed = await land(repo, landing);
      assert.match(landed.ok ? "it landed" : landed.failure.message, /gitmodulesUrl/);
    });
  }
});

describe("objects on their way", () => {
  it("a landing that ends early takes them along", async () => {
    const repo = makeRepository(fresh());
    const landing = await landingOf(await look(repo), { "n.txt": "n\n" });
    const before = looseFiles(repo);
    const runner = plainRunner(
      ([word]) => void (word === "index-pack" && writeFileSync(join(repo, ".git/MERGE_HEAD"), "")),
    );
    assert.equal((await land(repo, landing, runner)).ok, false);
    assert.deepEqual(looseFiles(repo), before);
    assert.deepEqual(
      runner.calls.filter((word) => word === "index-pack"),
      ["index-pack"],
    );
  });

  it("what a killed landing leaves is swept by git's own prune", () => {
    const repo = makeRepository(fresh());
    const left = join(repo, ".git/objects/tmp_objdir-sallyport-abcdef");
    mkdirSync(join(left, "pack"), { recursive: true });
    writeFileSync(join(left, "pack/pack-1.pack"), "x");
    utimesSync(left, 1, 1);
    git(repo, ["prune", "--expire=1.day.ago"]);
    assert.equal(existsSync(left), false);
  });

  it("go where the repository keeps its own, also where it borrows others", async () => {
    const repo = makeRepository(fresh());
    await push(repo, { "n.txt": "n\n" });
    const clone = fresh();
    git("/", ["clone", "-q", "--shared", repo, clone]);
    await push(clone, { "m.txt": "m\n" });
    assert.equal(readdirSync(join(repo, ".git/objects/pack")).length, 2);
    assert.equal(readdirSync(join(clone, ".git/objects/pack")).length, 2);
    git(clone, ["fsck", "--strict"]);
  });
});
