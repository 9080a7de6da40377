// A branch is the ref of exactly that name, wherever git itself would go on looking.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { headId, refId } from "../../../../src/git/target/local/local-refs.ts";
import { commit, git, makeRepository, plainGit } from "../../../fixtures/git.ts";
import { land, landingOf, look, openRoom, push, repositoryAt } from "./local-room.ts";

const room = openRoom();
after(room.remove);
let serial = 0;
const fresh = (): string => room.path(`r${serial++}`);

function twoCommits(): { repo: string; first: string; second: string } {
  const repo = makeRepository(fresh());
  const first = git(repo, ["rev-parse", "HEAD"]).trim();
  commit(repo, "second", { "a.txt": "two\n" });
  return { repo, first, second: git(repo, ["rev-parse", "HEAD"]).trim() };
}

const resolved = (repo: string, name: string): string =>
  plainGit(repo, ["rev-parse", "--verify", "-q", name]).stdout.trim();

describe("a branch that is not there", () => {
  const names: readonly (readonly [what: string, branch: string, make: (repo: string, first: string) => void])[] = [
    [
      "a tag of its whole name",
      "ghost",
      (repo, first) => git(repo, ["update-ref", "refs/tags/refs/heads/ghost", first]),
    ],
    [
      "another machine's branch of its whole name",
      "ghost",
      (repo, first) => git(repo, ["update-ref", "refs/remotes/refs/heads/ghost", first]),
    ],
    [
      "a packed tag of its whole name",
      "ghost",
      (repo, first) => {
        git(repo, ["update-ref", "refs/tags/refs/heads/ghost", first]);
        git(repo, ["pack-refs", "--all"]);
      },
    ],
    [
      "a tag, where a directory has the name",
      "ghost",
      (repo, first) => {
        git(repo, ["update-ref", "refs/tags/refs/heads/ghost", first]);
        mkdirSync(join(repo, ".git/refs/heads/ghost"));
      },
    ],
    [
      "a tag, where a broken file has the name",
      "ghost",
      (repo, first) => {
        git(repo, ["update-ref", "refs/tags/refs/heads/ghost", first]);
        writeFileSync(join(repo, ".git/refs/heads/ghost"), "\0".repeat(41));
      },
    ],
  ];
  for (const [what, branch, make] of names) {
    it(`is not ${what}`, async () => {
      const { repo, first, second } = twoCommits();
      make(repo, first);
      assert.equal(resolved(repo, `refs/heads/${branch}^{commit}`), first, "control: git finds it");
      const { state } = await look(repo, branch);
      assert.equal(state.oldCommit, null);
      assert.equal(state.baseCommit, second);
    });
  }

  it("is not a commit that its name ends in", async () => {
    const { repo, first } = twoCommits();
    const branch = `x-g${first.slice(0, 8)}`;
    assert.equal(resolved(repo, `refs/heads/${branch}^{commit}`), first, "control: git finds it");
    assert.equal((await look(repo, branch)).state.oldCommit, null);
  });

  it("is made as a new one, and is there then", async () => {
    const { repo, first } = twoCommits();
    git(repo, ["update-ref", "refs/tags/refs/heads/ghost", first]);
    const { commit: id } = await push(repo, { "n.txt": "n\n" }, "ghost");
    assert.equal(git(repo, ["for-each-ref", "--format=%(objectname)", "refs/heads/ghost"]).trim(), id);
    assert.equal((await look(repo, "ghost")).state.oldCommit, id);
  });

  it("is not what is checked out either, as long as that is not born", async () => {
    const repo = makeRepository(fresh());
    const id = git(repo, ["rev-parse", "HEAD"]).trim();
    git(repo, ["update-ref", "refs/tags/refs/heads/unborn", id]);
    git(repo, ["symbolic-ref", "HEAD", "refs/heads/unborn"]);
    assert.equal(resolved(repo, "refs/heads/unborn^{commit}"), id, "control: git finds it");
    const { state } = await look(repo, "other");
    assert.deepEqual([state.oldCommit, state.baseCommit], [null, null]);
  });

  it("that goes while its push waits is gone, whatever else has its name", async () => {
    const { repo, first } = twoCommits();
    git(repo, ["branch", "topic", first]);
    const landing = await landingOf(await look(repo, "topic"), { "n.txt": "n\n" });
    git(repo, ["update-ref", "refs/tags/refs/heads/topic", first]);
    git(repo, ["branch", "-q", "-D", "topic"]);
    const landed = await land(repo, landing);
    assert.match(landed.ok ? "" : landed.failure.message, /it was at .*, and now is gone/);
  });
});

describe("a branch that is there", () => {
  it("is found loose, packed, moved after it was packed, and by way of HEAD", async () => {
    const { repo, first, second } = twoCommits();
    const repository = repositoryAt(repo);
    git(repo, ["branch", "topic/ä", first]);
    assert.equal(refId("refs/heads/topic/ä", repository), first);
    git(repo, ["tag", "-a", "v1", "-m", "one"]); // a peeled line among the packed ones
    git(repo, ["pack-refs", "--all", "--prune"]);
    assert.equal(refId("refs/heads/topic/ä", repository), first);
    assert.equal(refId("refs/heads/main", repository), second);
    assert.equal(refId("refs/heads/topic", repository), null);
    assert.equal(refId("refs/heads/opic/ä", repository), null);
    assert.equal(headId(repository), second);
    git(repo, ["update-ref", "refs/heads/topic/ä", second]);
    assert.equal(refId("refs/heads/topic/ä", repository), second);
    await push(repo, { "n.txt": "n\n" }, "topic/ä");
  });

  it("may be what HEAD leads to by way of another, or what it is detached at", async () => {
    const { repo, first, second } = twoCommits();
    git(repo, ["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
    git(repo, ["symbolic-ref", "HEAD", "refs/heads/alias"]);
    assert.equal((await look(repo, "new")).state.baseCommit, second);
    git(repo, ["checkout", "-q", "--detach", first]);
    assert.equal((await look(repo, "new")).state.baseCommit, first);
  });

  it("whose commit is missing is said to be", async () => {
    const { repo } = twoCommits();
    writeFileSync(join(dirname(join(repo, ".git/refs/heads/main")), "lost"), `${"1".repeat(40)}\n`);
    await assert.rejects(look(repo, "lost"), /The object 1{40} of .* is missing/);
  });
});
