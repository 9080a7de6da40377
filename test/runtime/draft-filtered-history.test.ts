// The history in a draft whose agent may not see all of it: commits are made anew without hidden paths, and of a project below the root of
// its repository with the project alone.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { scripted } from "../fixtures/approver.ts";
import { makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import fc from "../fixtures/fast-check.ts";
import { runs } from "../fixtures/runs.ts";

const everything = "git cat-file --batch-all-objects --batch --buffer | tr '\\0' '\\n'";

/** A history with a directory that is hidden from its second commit on, until its last but one. */
function withSecrets(t: TestContext): Project {
  const project = makeProject(t, { "a.txt": "one\n", "deep/er/b.txt": "b\n" });
  const commit = (message: string) => {
    project.git("add", "--all");
    project.git("commit", "--quiet", `--message=${message}`);
  };
  project.write("deep/secrets/key.txt", "SECRET=1\n");
  project.write("a.txt", "one\ntwo\n");
  commit("second");
  project.git("tag", "--annotate", "--message=a tag", "v1");
  project.git("checkout", "--quiet", "-b", "side");
  project.write("side.txt", "SECRET=1\n".replace("SECRET", "PUBLIC"));
  project.write("deep/secrets/side.txt", "SECRET=2\n");
  commit("on a side");
  project.git("checkout", "--quiet", "main");
  project.write("a.txt", "one\ntwo\nthree\n");
  commit("third");
  project.git("merge", "--quiet", "--no-ff", "--message=merged", "side");
  project.git("rm", "-r", "--quiet", "deep/secrets");
  commit("removed");
  project.write("a.txt", "one\ntwo\nthree\nfour\n");
  commit("last");
  return project;
}

test("git works on a history without hidden paths, and no object of it names them", async (t) => {
  const project = withSecrets(t);
  const before = project.digest();
  const gate = openDraft(t, project, { hide: ["deep/secrets/**"] });
  const { stdout, workspace } = await gate.result("Bash", { script: "git log --format=%s --topo-order" });
  assert.equal(stdout, "last\nremoved\nmerged\non a side\nthird\nsecond\nfirst\n");
  assert.match(String(workspace), /commits have other ids/);
  assert.equal(
    await gate.bash("git for-each-ref --format='%(refname) %(objecttype)'; git status --short"),
    "refs/heads/main commit\nrefs/heads/side commit\nrefs/tags/v1 commit\n",
  );
  assert.equal(await gate.bash("git rev-list HEAD | tail -n 1"), project.git("rev-list", "--max-parents=0", "HEAD"));
  assert.doesNotMatch(await gate.bash(everything), /SECRET|secrets|key\.txt/);
  assert.equal(
    await gate.bash(
      "git blame -s a.txt | cut -d' ' -f2-; git show --stat --format=%an:%s HEAD~1; git log -p -S four | grep +four",
    ),
    "1) one\n2) two\n3) three\n4) four\nAnn:removed\n+four\n",
  );
  await gate.bash(
    "git fsck --strict --full --no-dangling && git gc --quiet --prune=now --aggressive && git fsck --strict",
  );
  await gate.bash(`
    echo mine > mine.txt; git add mine.txt; git commit -q -m mine
    git rebase -q --force-rebase HEAD~2; git rebase -q --rebase-merges --root; git stash list; git diff HEAD~3 > /dev/null
    git checkout -q side; git checkout -q main; git revert --no-edit HEAD~1 > /dev/null; git bisect start HEAD HEAD~2 > /dev/null; git bisect reset 2> /dev/null
  `);
  assert.equal(project.digest(), before);

  const control = openDraft(t, project, {}, { session: "s2" });
  assert.match(await control.bash(everything), /SECRET=2/, "control: without hide the objects are there");
  assert.equal(
    await control.bash("git rev-parse HEAD"),
    project.git("rev-parse", "HEAD"),
    "and the ids are the person's",
  );
});

test("work on such a history lands, and a pull brings what is new", async (t) => {
  const project = withSecrets(t);
  project.write("deep/secrets/new.txt", "SECRET=3\n");
  project.git("add", "--all");
  project.git("commit", "--quiet", "--message=hidden again");
  const approver = scripted();
  const gate = openDraft(t, project, { hide: ["deep/secrets/**"] }, { approvers: [approver] });
  assert.equal(await gate.bash("git status --short; ls deep"), "er\nsecrets\n");
  await gate.bash("echo mine > mine.txt; git add .; git commit -q -m mine");
  project.write("later.txt", "later\n");
  project.write("deep/secrets/later.txt", "SECRET=4\n");
  project.git("add", "--all");
  project.git("commit", "--quiet", "--message=later");
  const pulled = await gate.result("git_pull", {});
  assert.equal(pulled["rebased"], 1);
  assert.equal(await gate.bash("git log --format=%s -3; cat later.txt"), "mine\nlater\nhidden again\nlater\n");
  assert.doesNotMatch(await gate.bash(everything), /SECRET|secrets/);
  const { id } = await gate.result("git_stage", { commits: "all" });
  await gate.result("git_push", { commitId: id });
  assert.equal(project.git("log", "--format=%s", "main..sallyport/s1"), "mine\n");
  assert.equal(project.git("show", "--format=", "--name-only", "sallyport/s1"), "mine.txt\n");
  assert.equal(project.git("show", "sallyport/s1:deep/secrets/later.txt"), "SECRET=4\n", "what is hidden stays");
});

test("a project below the root has the history of its directory, and nothing of the others", async (t) => {
  const root = makeProject(t, { "packages/two/b.txt": "OTHER\n" });
  root.git("branch", "without");
  const commit = (message: string, files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) root.write(name, text);
    root.git("add", "--all");
    root.git("commit", "--quiet", `--message=${message}`);
  };
  commit("one", { "packages/one/a.txt": "one\n" });
  commit("two", { "packages/two/b.txt": "OTHER 2\n" });
  commit("both", {
    "packages/one/a.txt": "one\ntwo\n",
    "packages/two/b.txt": "OTHER 3\n",
    "packages/one/.env": "SECRET=1\n",
  });
  root.write("packages/one/a.txt", "one\ntwo\nthree\n");
  const before = root.digest();
  const project = { ...root, path: join(root.path, "packages/one") };
  const approver = scripted();
  const paths = [{ path: root.path, mode: "r", hide: [".env"] }];
  const gate = openDraft(t, project, { hide: [".env"], paths }, { approvers: [approver] });
  assert.equal(
    await gate.bash(
      "git log --format=%s; git blame -s HEAD~1 -- a.txt | cut -d' ' -f2-; git for-each-ref --format='%(refname)'; git ls-files",
    ),
    "The project as it was when this session began\nboth\none\n1) one\n2) two\nrefs/heads/main\na.txt\n",
  );
  assert.doesNotMatch(await gate.bash(everything), /OTHER|SECRET|\.env|b\.txt/);
  await gate.bash("git fsck --strict && git gc --quiet --prune=now && git rebase -q --root && git status --short");
  assert.equal(root.digest(), before);

  await gate.bash("echo four >> a.txt; git commit -q -a -m four");
  commit("later", { "packages/one/c.txt": "c\n" });
  assert.equal((await gate.result("git_pull", {}))["rebased"], 1);
  const { id } = await gate.result("git_stage", { commits: "all" });
  await gate.result("git_push", { commitId: id });
  assert.equal(root.git("show", "--format=%s", "--name-only", "sallyport/s1"), "four\n\npackages/one/a.txt\n");

  const blind = openDraft(t, project, {}, { session: "s2" });
  assert.equal(await blind.bash("git log --format=%s | wc -l"), "1\n", "without a grant on the root there is none");
});

test("a shallow clone without hidden paths is a shallow history", async (t) => {
  const source = withSecrets(t);
  const project = makeProject(t, {}, false);
  execFileSync("git", ["clone", "--quiet", "--depth=3", `file://${source.path}`, project.path]);
  const look = "git log --format=%s | sort; git fsck --strict --no-dangling; git gc --quiet; git log -p > /dev/null";
  const gate = openDraft(t, project, { hide: ["deep/secrets/**"] });
  const seen = await gate.bash(look);
  assert.equal(seen, project.git("log", "--format=%s").split("\n").sort().join("\n").trim() + "\n");
  assert.doesNotMatch(await gate.bash(everything), /SECRET|secrets/);
});

const name = fc.constantFrom("a", "h", "d/a", "d/h", "d/e/h", "d/e/a", "g/h/x", "g/h/y");
const change = fc.record({ path: name, text: fc.option(fc.string({ maxLength: 4 })), isMerge: fc.boolean() });

test("each commit is as it was, without the hidden paths", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
      const project = makeProject(t, { first: "first\n" });
      for (const [at, { path, text, isMerge }] of changes.entries()) {
        if (isMerge) project.git("checkout", "--quiet", "-B", "side");
        project.git("rm", "--quiet", "--ignore-unmatch", path);
        if (text !== null) project.write(path, text);
        project.git("add", "--all");
        project.git("commit", "--quiet", "--allow-empty", `--message=c${at}`);
        if (!isMerge) continue;
        project.git("checkout", "--quiet", "main");
        project.git("merge", "--quiet", "--no-ff", `--message=m${at}`, "side");
      }
      const gate = openDraft(t, project, { hide: ["h"] });
      const inside =
        "for c in $(git rev-list --topo-order --reverse HEAD); do git log -1 --format=%s%ae%at%P $c | cut -c1-30; git ls-tree -r $c; done";
      const seen = await gate.bash(inside);
      gate.close();
      await gate.closed;
      const expected = project
        .git("rev-list", "--topo-order", "--reverse", "HEAD")
        .trim()
        .split("\n")
        .map((id) => {
          const files = project.git("ls-tree", "-r", id).split("\n").slice(0, -1);
          const isSeen = (line: string) =>
            !line
              .slice(line.indexOf("\t") + 1)
              .split("/")
              .includes("h");
          return [project.git("log", "-1", "--format=%s%ae%at", id).trim(), ...files.filter(isSeen)].join("\n");
        });
      assert.equal(seen.replace(/(c\d+|m\d+|first)(ann@example\.org\d{10}).*/g, "$1$2").trim(), expected.join("\n"));
    }),
    { numRuns: Math.max(3, Math.ceil(runs(100) / 25)) },
  );
});
