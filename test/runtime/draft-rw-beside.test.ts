// A path that is granted `rw` beside a draft: programs change both in one call, each in its own layer.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";

test("what a call writes beside the draft lands when it ends; what it writes in the draft stays there", async (t) => {
  const project = makeProject(t, { "a.txt": "one\n" });
  writeFileSync(join(project.outside, "notes"), "old\n");
  mkdirSync(join(project.outside, "repo/.git/hooks"), { recursive: true });
  const gate = openDraft(t, project, { paths: [{ path: project.outside, mode: "rw" }] });
  const before = project.digest();
  const script = `
    cd ${project.outside}
    echo new > notes; mkdir made; echo x > made/x
    echo evil > repo/.git/hooks/post-commit || true
    cd ${project.path}; echo two >> a.txt; git commit -qam inside; cat a.txt ${project.outside}/notes
  `;
  assert.equal(await gate.bash(script), "one\ntwo\nnew\n");
  assert.equal(readFileSync(join(project.outside, "notes"), "utf8"), "new\n");
  assert.equal(readFileSync(join(project.outside, "made/x"), "utf8"), "x\n");
  assert.equal(existsSync(join(project.outside, "repo/.git/hooks/post-commit")), false);
  assert.equal(project.digest(), before, "the project is as it was");
  assert.equal(await gate.bash(`cat a.txt ${project.outside}/notes`), "one\ntwo\nnew\n", "the next call sees both");
});

test("a call that runs out of time changes nothing beside the draft", async (t) => {
  const project = makeProject(t, { "a.txt": "one\n" });
  const gate = openDraft(t, project, { paths: [{ path: project.outside, mode: "rw" }] });
  const script = `echo half > ${project.outside}/half; echo kept > kept.txt; sleep 60`;
  const ended = await gate.result("Bash", { script, timeout_s: 2 });
  assert.equal(ended["timed_out"], true);
  assert.equal(existsSync(join(project.outside, "half")), false);
  assert.equal(await gate.bash("cat kept.txt"), "kept\n", "the draft keeps what was written");
});
