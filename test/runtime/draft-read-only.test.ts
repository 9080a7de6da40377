// A worker file that lets an agent see the project, and change nothing, not even in its draft.

import assert from "node:assert/strict";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import test from "node:test";
import { resolvePath } from "../../src/process/real-path.ts";
import { loadWorker } from "../../src/config/worker.ts";
import { makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";

function workerWith(project: Project, mode: "r" | "rw") {
  const file = join(project.outside, `${mode}.md`);
  const grants = `[{ path: "\${project}", mode: ${mode} }, { path: /usr, mode: r }]`;
  writeFileSync(file, `---\nname: w\ndescription: reads\nfs_grants: ${grants}\n---\nRead.\n`);
  const loaded = loadWorker(file, { home: project.outside, project: resolvePath(project.path) });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.worker;
}

test("with mode r on the project, neither programs nor tools change the draft", async (t) => {
  const project = makeProject(t, { "a.txt": "one\n", ".gitignore": "cache\n", "cache/x": "x\n" });
  project.write("a.txt", "not committed\n");
  const gate = openDraft(t, project, {}, { worker: workerWith(project, "r") });
  assert.equal(
    await gate.bash(
      "cat a.txt /workspace/a.txt; git log --format=%s -1; git status --short; git blame -s a.txt > /dev/null",
    ),
    "not committed\nnot committed\nThe project as it was when this session began\n",
  );
  for (const script of ["echo x > new.txt", "echo x > /workspace/new.txt"])
    assert.match(JSON.stringify(await gate.reply("Bash", { script })), /outside of what may be changed/, script);
  const write = (path: string) => `/usr/bin/perl -e 'open(F, ">>", "${path}") or die $!'`;
  const scripts = ["new.txt", "a.txt", "cache/x", ".git/config", "/workspace/new.txt", "/workspace/.git/HEAD"].map(
    write,
  );
  for (const script of [...scripts, "rm a.txt", "git commit --allow-empty -m x", "git checkout -b other"]) {
    const { exit_code: code, hint } = await gate.result("Bash", { script });
    assert.notEqual(code, 0, script);
    assert.match(String(hint), /worker file/, script);
  }
  const python = await gate.reply("Python", { code: "open('new.txt', 'w')" });
  assert.match(JSON.stringify(python), /Read-only file system.*worker file/);
  assert.equal(
    await gate.bash("echo x > $HOME/x && echo y > /tmp/y && cat $HOME/x"),
    "x\n",
    "HOME and /tmp are the session's",
  );
  for (const [tool, args] of [
    ["write_file", { path: "new.txt", content: "x" }],
    ["edit_file", { path: "a.txt", old_text: "not", new_text: "x" }],
    ["delete_file", { path: "a.txt" }],
  ] as const) {
    const reply = await gate.reply(tool, args);
    assert.match(JSON.stringify(reply), /fs_denied/, tool);
  }
  assert.deepEqual((await gate.result("git_status", {}))["unstaged"], []);
  assert.equal(await gate.bash("cat a.txt"), "not committed\n");

  const control = openDraft(t, project, {}, { worker: workerWith(project, "rw"), session: "s2" });
  assert.equal(await control.bash("echo x > new.txt; git add .; git commit -q -m x; git log --format=%s -1"), "x\n");
  for (const script of scripts) assert.equal((await control.result("Bash", { script }))["exit_code"], 0, script);
  await control.result("write_file", { path: "other.txt", content: "x" });
});
