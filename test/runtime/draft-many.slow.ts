// Drafts of many files.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { scripted } from "../fixtures/approver.ts";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";

test("a project of 100,000 files", { timeout: 300_000 }, async (t) => {
  const project = makeProject(t, { "a.txt": "one\n" });
  for (let directory = 0; directory < 1_000; directory += 1) {
    const path = join(project.path, `d${directory % 10}/e${directory}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < 100; file += 1) writeFileSync(join(path, `f${file}`), `${file}\n`);
  }
  project.git("add", "--all");
  project.git("commit", "--quiet", "--message=many");
  const gate = openDraft(t, project, {}, { approvers: [scripted(() => ({}))] });
  let last = performance.now();
  const lap = (what: string) => {
    t.diagnostic(`${what}: ${Math.round(performance.now() - last)} ms`);
    last = performance.now();
  };
  assert.equal(await gate.bash("git ls-files | wc -l; git status --short"), "100001\n");
  lap("first call");
  await gate.bash("for d in d1/*; do echo changed > $d/f1; done");
  lap("a call that changes 100 files");
  const status = await gate.result("git_status", {});
  assert.equal((status["unstaged"] as unknown[]).length + Number(status["more"] ?? 0), 100);
  lap("git_status");
  assert.match(JSON.stringify(await gate.result("git_diff", { stat: true })), /d1\/e1\/f1/);
  lap("git_diff");
  const { id } = await gate.result("git_stage", { files: ["d1/e1/f1"], message: "x" });
  lap("git_stage");
  await gate.result("git_push", { commitId: id });
  lap("git_push");
  assert.equal(project.git("show", "sallyport/s1:d1/e1/f1"), "changed\n");
  assert.equal(project.git("status", "--short"), "");
});

test("100,000 files made by one call", { timeout: 300_000 }, async (t) => {
  const gate = openDraft(t, makeProject(t, { "a.txt": "one\n", ".gitignore": "ignored\n" }));
  await gate.bash("true");
  const script =
    "for d in {1..1000}; do mkdir -p ignored/$d; cd ignored/$d; touch {1..100}; cd ../..; done; touch last";
  const made = await gate.result("Bash", { script });
  assert.equal(made["exit_code"], 0, JSON.stringify(made).slice(0, 2000));
  assert.ok((made["artifacts"] as unknown[]).length <= 100);
  assert.ok(JSON.stringify(made).length < 100_000);
  assert.equal(await gate.bash("find ignored -type f | wc -l; rm -r ignored; git status --short"), "100000\n?? last\n");
});
