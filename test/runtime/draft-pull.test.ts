// git_pull in a draft: what the project has now comes below the session's own work, or nothing changes.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { scripted } from "../fixtures/approver.ts";
import { type DraftGate, makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import { isFull } from "../fixtures/runs.ts";

const lines = (first: string, last = "end") => `${first}\n${"middle\n".repeat(10)}${last}\n`;

const files = {
  ".gitignore": "ignored\n*.log\n",
  "shared.txt": lines("one"),
  "dir/moved.txt": lines("moved"),
  "dir/other.txt": "other\n",
  "gone.txt": "gone\n",
  "mode.sh": "#!/bin/sh\n",
  "README.md": "# Project\n",
};

function commitAll(project: Project, message: string): string {
  project.git("add", "--all");
  project.git("commit", "--quiet", `--message=${message}`);
  return project.git("rev-parse", "HEAD").trim();
}

/** Everything that the agent could notice in its draft, and the layer on the disk with its times. */
async function stateOf(project: Project, gate: DraftGate): Promise<string> {
  const seen = await gate.bash(`
    set +e
    git for-each-ref; git rev-parse HEAD; git status --short --ignored; git diff; git diff --cached; git stash list
    find . -path ./.git -prune -o -printf '%p %m %l %T@\\n' | sort; cat ignored 2>/dev/null || true; find .git -type f | sort | grep -v objects
  `);
  const [name = ""] = readdirSync(join(project.state, "drafts"));
  const upper = join(project.state, "drafts", name, "upper");
  return seen + spawnSync("find", [upper, "-printf", "%P %m %s %T@ %i\\n"], { encoding: "utf8" }).stdout;
}

/** The reply must be a refusal that leaves the draft as it was. Resolves to its text. */
async function refusedPull(project: Project, gate: DraftGate): Promise<string> {
  const before = await stateOf(project, gate);
  const reply = await gate.reply("git_pull", {});
  assert.equal(reply.ok, false);
  assert.equal(await stateOf(project, gate), before);
  assert.deepEqual(readdirSync(join(project.state, "drafts")).length, 1, "nothing is left beside the draft");
  return reply.ok ? "" : `${reply.error}: ${reply.message} ${String(reply.hint)}`;
}

test("commits and uncommitted work of both sides come together, and a push lands the agent's alone", async (t) => {
  const project = makeProject(t, files);
  project.write("README.md", "# Project\nnot committed at first\n");
  const gate = openDraft(t, project, {}, { approvers: [scripted()] });
  await gate.bash(`
    git mv dir renamed && git commit -qm 'rename a directory' --author='Eve <eve@example.org>'
    sed -i 's/^end$/end of the agent/' shared.txt && chmod +x mode.sh && git commit -qam 'change the end'
    echo untracked > mine.txt; ln -s mine.txt link; chmod +x mine.txt; echo staged >> renamed/other.txt; git add renamed/other.txt
    echo own > ignored; echo log > a.log; git branch kept
    echo aside >> mode.sh; git stash -q -- mode.sh
  `);
  const kept = await gate.bash("git rev-parse kept stash");
  project.write("shared.txt", lines("one of the person"));
  project.write("dir/moved.txt", lines("moved", "end of the person"));
  project.write("dir/new.txt", "new\n");
  project.git("rm", "--quiet", "gone.txt");
  const head = commitAll(project, "second");
  project.write("README.md", "# Project\nnot committed later\n");
  project.write("also.txt", "not tracked\n");
  const before = project.digest();

  const names = ["README.md", "also.txt", "dir/moved.txt", "dir/new.txt", "gone.txt", "shared.txt"];
  const { behind, ...pulled } = await gate.result("git_pull", {});
  assert.equal(behind, undefined);
  assert.deepEqual(pulled, {
    pulled: names.map((name) => `/workspace/${name}`),
    conflicts: [],
    commitSha: head,
    rebased: 2,
  });
  assert.equal(
    await gate.bash("git log --format='%s %an %cn'; git branch --show-current; git status --short"),
    `change the end default default
rename a directory Eve default
The project as it was when this session began Sallyport Sallyport
second Ann Ann
first Ann Ann
main
 M renamed/other.txt
?? link
?? mine.txt
`,
  );
  assert.equal(
    await gate.bash(
      "cat renamed/new.txt README.md also.txt mine.txt ignored a.log; readlink link; ls; ls renamed; tail -n 1 renamed/moved.txt renamed/other.txt",
    ),
    "new\n# Project\nnot committed later\nnot tracked\nuntracked\nown\nlog\nmine.txt\n" +
      "README.md\na.log\nalso.txt\nignored\nlink\nmine.txt\nmode.sh\nrenamed\nshared.txt\n" +
      "moved.txt\nnew.txt\nother.txt\n==> renamed/moved.txt <==\nend of the person\n\n==> renamed/other.txt <==\nstaged\n",
  );
  assert.equal(await gate.bash("cat shared.txt"), lines("one of the person", "end of the agent"));
  assert.equal(
    await gate.bash("test -x mode.sh && test -x mine.txt && git fsck --strict && git rev-parse kept stash"),
    kept,
  );
  assert.equal(project.digest(), before);

  const status = await gate.result("git_status", {});
  assert.equal(status["behind"], undefined);
  assert.deepEqual((status["commits"] as unknown[]).length, 2);
  const changed = (status["unstaged"] as { path: string }[]).map(({ path }) => path);
  assert.deepEqual(
    changed.map((path) => path.replace("/workspace/", "")),
    [
      "dir/moved.txt",
      "dir/new.txt",
      "dir/other.txt",
      "link",
      "mine.txt",
      "mode.sh",
      "renamed/moved.txt",
      "renamed/new.txt",
      "renamed/other.txt",
      "shared.txt",
    ],
  );
  const staged = await gate.result("git_stage", { files: changed, message: "Work" });
  await gate.result("git_push", { commitId: staged["id"] });
  assert.equal(project.git("rev-parse", "sallyport/s1^").trim(), head);
  assert.equal(project.git("show", "sallyport/s1:shared.txt"), lines("one of the person", "end of the agent"));
  assert.equal(
    project.git("show", "sallyport/s1:README.md"),
    "# Project\nnot committed at first\n",
    "uncommitted work of the person stays theirs",
  );

  // What has landed stays so, unless the person changes the file.
  const landed = (await gate.result("git_status", {}))["unstaged"] as { path: string }[];
  assert.deepEqual(landed, []);
  project.write("mode.sh", "#!/bin/sh\nperson\n");
  const again = await gate.result("git_pull", { source: { type: "local", path: "." }, paths: ["."] });
  assert.deepEqual(again["pulled"], ["/workspace/mode.sh"]);
  assert.deepEqual((await gate.result("git_status", {}))["unstaged"], [
    { path: "/workspace/mode.sh", status: "modified" }, // its mode is the agent's
  ]);
  const nothing = await gate.result("git_pull", { source: { type: "local", path: "/workspace" } });
  assert.deepEqual(nothing["pulled"], []);
});

test("a conflict names the files and changes nothing: in a commit, in uncommitted work, and with an ignored file", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project);
  await gate.bash(
    "echo own > ignored; echo agent > README.md; git commit -qam 'agent readme'; echo agent >> gone.txt; echo x > new.txt",
  );
  project.write("README.md", "# Person\n");
  commitAll(project, "second");
  assert.match(
    await refusedPull(project, gate),
    /^conflict: What the project has now conflicts with the commit [0-9a-f]+ agent readme, in \/workspace\/README\.md\. Nothing was changed/,
  );
  await gate.bash("git reset -q --soft HEAD^; git checkout -q HEAD README.md; git commit -q --allow-empty -m empty");
  project.git("rm", "--quiet", "gone.txt");
  assert.match(
    await refusedPull(project, gate),
    /^conflict: .* work that is not committed, in \/workspace\/gone\.txt\./,
  );
  await gate.bash("git checkout -q gone.txt");
  project.write(".gitignore", "*.log\n");
  project.write("ignored", "tracked now\n");
  assert.match(await refusedPull(project, gate), /^conflict: .* git ignores, in \/workspace\/ignored\./);
  await gate.bash(
    "rm ignored; echo f > f.log; echo s > s.txt; echo 1 > two.txt; git add -f f.log s.txt two.txt; rm s.txt; echo 2 > two.txt",
  );
  assert.match(
    await refusedPull(project, gate),
    /^conflict: What is staged .* in \/workspace\/s\.txt, \/workspace\/two\.txt\. Nothing was changed/,
  );
  await gate.bash("git restore --staged s.txt; git add two.txt");
  const pulled = await gate.result("git_pull", {});
  assert.equal(pulled["rebased"], 1);
  assert.equal(
    await gate.bash("cat ignored README.md new.txt; ls gone.txt 2>&1 || git log -1 --format=%s"),
    "tracked now\n# Person\nx\nls: cannot access 'gone.txt': No such file or directory\nempty\n",
  );
});

if (isFull)
  test("what cannot be rebased is refused and says what to do", async (t) => {
    const project = makeProject(t, files);
    const gate = openDraft(t, project);
    await gate.bash("echo a > a.txt; git add -A; git commit -qm a");
    project.write("README.md", "# Person\n");
    await gate.bash("git switch -q --orphan none");
    assert.match(await refusedPull(project, gate), /HEAD of this draft has no commit/);
    await gate.bash("git commit -q --allow-empty -m root; git switch -qc other");
    assert.match(await refusedPull(project, gate), /are not based on [0-9a-f]{40}.*git rebase/);
    await gate.bash(
      "git switch -q main; git switch -qc side HEAD^; echo b > a.txt; git add -A; git commit -qm b; git merge -q main >/dev/null 2>&1 || true",
    );
    assert.match(await refusedPull(project, gate), /in the middle of a merge/);
    await gate.bash("echo both > a.txt; git commit -qam merged");
    const running = gate.reply("Bash", { script: "touch started; while [ ! -e stop ]; do sleep 0.05; done" });
    while (!(await gate.bash("ls")).includes("started")) continue;
    const reply = await gate.reply("git_pull", {});
    assert.match(JSON.stringify(reply), /A program runs in this draft/);
    await gate.bash("touch stop");
    await running;
    const pulled = await gate.result("git_pull", {});
    assert.equal(pulled["rebased"], 2, "a merge is picked as its change");
    assert.equal(
      await gate.bash("cat a.txt README.md; git log --format=%s -2; git rev-list --merges --count HEAD"),
      "both\n# Person\nmerged\nb\n0\n",
    );
    const memory = openDraft(t, project, { more: { workspace: { kind: "memory" } } }, { session: "s2" });
    assert.match(JSON.stringify(await memory.reply("git_pull", {})), /invalid_args.*source: is missing/);
  });

if (isFull)
  test("histories that were rewritten, other branches, no repository, and equal changes", async (t) => {
    const project = makeProject(t, files);
    const gate = openDraft(t, project);
    await gate.bash(
      "echo mine > mine.txt; git add -A; git commit -qm mine; echo same > same.txt; git add -A; git commit -qm same; echo wip >> mine.txt",
    );
    const pull = async () => await gate.result("git_pull", {});
    project.write("same.txt", "same\n");
    commitAll(project, "the same");
    project.git("commit", "--quiet", "--amend", "--message=rewritten");
    const first = await pull();
    assert.deepEqual([first["rebased"], first["dropped"]], [1, 1]);
    assert.equal(await gate.bash("git log --format=%s; git status --short"), "mine\nrewritten\nfirst\n M mine.txt\n");
    project.git("switch", "--quiet", "--create=elsewhere", "HEAD^");
    project.write("mine.txt", "mine\n");
    const back = await pull();
    assert.deepEqual(
      [back["pulled"], back["rebased"], back["dropped"]],
      [["/workspace/mine.txt", "/workspace/same.txt"], 0, 1],
    );
    assert.equal(
      await gate.bash(
        "git log --format=%s; git status --short; git branch --show-current; cat mine.txt; ls same.txt 2>&1 || true",
      ),
      "The project as it was when this session began\nfirst\n M mine.txt\nmain\nmine\nwip\nls: cannot access 'same.txt': No such file or directory\n",
    );

    const plain = makeProject(t, { "a.txt": "a\n", "d/b.txt": "b\n" }, false);
    const other = openDraft(t, plain);
    await other.bash("echo c > c.txt; git add -A; git commit -qm c");
    plain.write("a.txt", "a\nperson\n");
    plain.write("d/e.txt", "e\n");
    assert.deepEqual((await other.result("git_pull", {}))["pulled"], ["/workspace/a.txt", "/workspace/d/e.txt"]);
    assert.equal(
      await other.bash("cat a.txt c.txt d/e.txt; git log --format=%s"),
      "a\nperson\nc\ne\nc\nThe project as it was when this session began\n",
    );
  });

test("no program of the session's git runs in a pull, and nothing hidden comes in", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project, { hide: ["*.pem"] });
  await gate.bash("sed -i 's/^end$/end of the agent/' shared.txt; git commit -qam mine; echo big > big.txt");
  await hostileGit(gate);
  project.write("shared.txt", lines("person"));
  project.write("x.pem", "SECRET=pem\n");
  assert.equal((await gate.result("git_pull", {}))["rebased"], 1);
  assert.equal(
    await gate.bash("ls .git/ran 2>/dev/null || true; ls; cat shared.txt; git -c core.fsmonitor= status --short"),
    `README.md
big.txt
dir
gone.txt
mode.sh
shared.txt
${lines("person", "end of the agent")}?? big.txt
`,
  );
  assert.equal(
    await gate.bash("git -c core.fsmonitor= cat-file --batch-all-objects --batch | grep -ac SECRET || true"),
    "0\n",
  );
  assert.equal(existsSync(join(project.path, ".git/index.lock")), false);

  const control = openDraft(t, project, {}, { session: "s2" });
  await hostileGit(control);
  const names = await control.bash(`
    sed -i 's/^end$/end of main/' shared.txt; git status >/dev/null; git commit -qam main
    git switch -q -c side HEAD^; sed -i 's/^person$/side/' shared.txt; git commit -qam side; git rebase -q main 2>/dev/null
    cut -d ' ' -f 1 .git/ran | sort -u
  `);
  const hooks = ["post-checkout", "post-commit", "post-index-change", "post-rewrite", "pre-commit"];
  assert.equal(
    names,
    `${["clean", "fsmonitor", "merge", ...hooks, "reference-transaction", "smudge"].join("\n")}\n`,
    "control: git itself runs each",
  );

  await gate.bash("rm -f .git/packed-refs; mkfifo .git/packed-refs");
  project.write("shared.txt", lines("person again"));
  assert.match(JSON.stringify(await gate.reply("git_pull", {})), /packed-refs is a named pipe/);
});

// Two processes race here, and on a busy machine the wrong one may win.
if (isFull)
  test("what another call writes while the files move is kept, whatever becomes of the pull", async (t) => {
    const project = makeProject(t, files);
    const gate = openDraft(t, project);
    await gate.bash("echo mine > mine.txt");
    project.write("README.md", "# Person\n");
    project.write("new.txt", "new\n");
    project.git("rm", "--quiet", "gone.txt");
    const drafts = join(project.state, "drafts");
    const draft = join(drafts, readdirSync(drafts)[0] ?? "");
    const inLayer = (name: string) => join(draft, "upper", name);
    /** Writes as another call that runs already may, as soon as it is time. */
    const pullWhile = async (isTime: () => boolean) => {
      let reply: unknown = null;
      const pulling = gate.reply("git_pull", {}).then((said) => (reply = said));
      while (!isTime() && reply === null) await new Promise((resolve) => setImmediate(resolve));
      writeFileSync(inLayer("README.md"), "PRECIOUS\n");
      return JSON.stringify(await pulling);
    };
    const isMoving = () => existsSync(join(draft, "pull"));
    const seen = () => gate.bash("git status --short; cat README.md gone.txt mine.txt; ls new.txt 2>&1 || true");
    const none = "ls: cannot access 'new.txt': No such file or directory\n";

    assert.match(await pullWhile(isMoving), /"changed".*Nothing was changed by the pull/);
    assert.equal(isMoving(), false);
    assert.equal(await seen(), ` M README.md\n?? mine.txt\nPRECIOUS\ngone\nmine\n${none}`);

    // HEAD cannot be moved once the files are.
    await gate.bash("git checkout -q README.md; touch .git/refs/heads/main.lock");
    const isMoved = () => statSync(inLayer("new.txt"), { throwIfNoEntry: false })?.size === 4; // the last one
    assert.match(await pullWhile(isMoved), /main\.lock/);
    assert.equal(isMoving(), false);
    assert.equal(await seen(), ` M README.md\n?? mine.txt\nPRECIOUS\ngone\nmine\n${none}`);
    await gate.bash("rm .git/refs/heads/main.lock; git checkout -q README.md");
    await gate.result("git_pull", {});
    assert.equal(await gate.bash("cat README.md new.txt; ls gone.txt 2>/dev/null || true"), "# Person\nnew\n");
  });

/** Each writes its name to a file in the session's git directory, which every box of the draft shows at the same path. */
async function hostileGit(gate: DraftGate): Promise<void> {
  await gate.bash(`
    printf '#!/bin/sh\\necho "\${SELF:-$(basename "$0")}" >> "%s/ran"\\ncat\\n' "$PWD/.git" > .git/evil; chmod +x .git/evil
    mkdir -p .git/hooks .git/info
    for hook in reference-transaction post-checkout post-index-change pre-commit post-commit post-rewrite; do cp .git/evil .git/hooks/$hook; done
    git config core.fsmonitor "SELF=fsmonitor $PWD/.git/evil"
    git config filter.evil.clean "SELF=clean $PWD/.git/evil"
    git config filter.evil.smudge "SELF=smudge $PWD/.git/evil"
    git config merge.evil.driver "SELF=merge $PWD/.git/evil; git merge-file %A %O %B"
    echo '* filter=evil merge=evil' > .git/info/attributes
    rm -f .git/ran
  `);
}

test("a second gate waits its turn, and sees what was pulled", async (t: TestContext) => {
  const project = makeProject(t, files);
  const [one, two] = [openDraft(t, project), openDraft(t, project)];
  await one.bash("echo 1 > one.txt");
  await two.bash("echo 2 > two.txt");
  project.write("README.md", "# Person\n");
  commitAll(project, "second");
  const [pulled, listed] = await Promise.all([one.reply("git_pull", {}), two.result("list_files", {})]);
  assert.equal(pulled.ok, true, JSON.stringify(pulled));
  assert.ok(listed["files"]);
  await two.bash("true");
  assert.deepEqual((await two.result("git_status", {}))["behind"], undefined);
  assert.equal(
    await two.bash("cat README.md one.txt two.txt; git status --short"),
    "# Person\n1\n2\n?? one.txt\n?? two.txt\n",
  );
});

test("sha256, repositories that the agent made inside, and a directory that became a file", async (t) => {
  const project = makeProject(t, { "a.txt": "a\n", "d/b.txt": "b\n", ".gitignore": "*.o\n" }, false);
  project.git("init", "--quiet", "--object-format=sha256");
  project.git("add", "--all");
  project.git("commit", "--quiet", "--message=first");
  const gate = openDraft(t, project);
  await gate.bash(
    "echo c > c.txt; git add -A; git commit -qm c; mkdir inner; cd inner; git init -q; echo i > i; git add i; git -c user.name=x -c user.email=x@y commit -qm i; cd ..; mkdir e; cd e; git init -q; echo > x",
  );
  project.git("rm", "--quiet", "d/b.txt");
  project.write("d", "a file now\n");
  project.git("add", "--all");
  project.git("commit", "--quiet", "--message=second");
  const pulled = await gate.result("git_pull", {});
  assert.deepEqual(pulled["pulled"], ["/workspace/d", "/workspace/d/b.txt"]);
  assert.equal(
    await gate.bash("cat d c.txt inner/i; git -C inner log --format=%s; git log --format=%s; git status --short"),
    "a file now\nc\ni\ni\nc\nsecond\nfirst\n?? e/\n?? inner/\n",
  );
});
