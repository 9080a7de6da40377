// A draft of a large project: what a person edits is noticed, and to look for it takes a small part of the time.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { lookPause } from "../../src/sandbox/draft-seen.ts";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";
import { until } from "../fixtures/run.ts";

interface Look {
  readonly at: number;
  readonly tookMs: number;
}

test("20,000 files: an edit and a new file are noticed, and looks are rare", { timeout: 600_000 }, async (t) => {
  const project = makeProject(t, { ".gitignore": "build\n" }, false);
  for (let index = 0; index < 20_000; index += 1) {
    const directory = join(project.path, `part-${index % 40}/directory-${index % 2_000}`);
    if (index < 2_000) mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `file-${index}.txt`), `file ${index}\n`.repeat(20));
  }
  project.git("init", "--quiet", "--initial-branch=main");
  project.git("add", "--all");
  project.git("commit", "--quiet", "--message=first");
  const gate = openDraft(t, project);
  await gate.bash("true");
  const [name = ""] = readdirSync(join(project.state, "drafts"));
  const lastLook = () => JSON.parse(readFileSync(join(project.state, "drafts", name, "looked"), "utf8")) as Look;
  await gate.bash("echo mine > mine.txt");
  const isDue = () => until("the next call looks", () => Date.now() > lastLook().at + lookPause * lastLook().tookMs);

  project.write("part-1/directory-1/file-1.txt", "edited\n");
  project.write("part-2/new.txt", "new\n");
  rmSync(join(project.path, "part-0/directory-0/file-0.txt"));
  await isDue();
  const status = await gate.result("git_status", {});
  assert.match(String(status["behind"]), /^The project has 3 changed files/);
  assert.deepEqual(status["inProject"], [
    { path: "/workspace/part-0/directory-0/file-0.txt", status: "deleted" },
    { path: "/workspace/part-1/directory-1/file-1.txt", status: "modified" },
    { path: "/workspace/part-2/new.txt", status: "new" },
  ]);

  await isDue();
  const startedMs = Date.now();
  const looks = new Map<number, Look>();
  for (let count = 0; count < 100; count += 1) {
    await gate.bash("true");
    looks.set(lastLook().at, lastLook());
  }
  const tookMs = [...looks.values()].map((look) => look.tookMs);
  const [first = 0] = tookMs;
  assert.ok(tookMs.slice(1).reduce((sum, one) => sum + one, 0) <= (Date.now() - startedMs) / lookPause, String(tookMs));
  assert.ok(first > 0);
});
