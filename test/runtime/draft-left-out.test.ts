// Files that a draft does not copy, because they are large or cannot be read.

import assert from "node:assert/strict";
import { chmodSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { limits } from "../../src/shared/limits.ts";
import { makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import { isRoot } from "../fixtures/run.ts";

const GIB = 2 ** 30;

/** Of 50 GiB, all holes but for its text. */
function writeHuge(project: Project, name: string, text: string): void {
  project.write(name, text);
  truncateSync(join(project.path, name), 50 * GIB);
}

const heads = "for f in 'data/huge one[1].bin' model; do head -c 5 \"$f\" | tr '\\0' . ; stat -c ' %s' \"$f\"; done";
const shown = `huge. ${50 * GIB}\nmodel ${50 * GIB}\n`;

for (const kind of ["copied", "live"] as const)
  test(`files of 50 GiB show through, and git does not read them: ${kind}`, async (t) => {
    const { draftFiles } = limits;
    if (kind === "live") Object.assign(limits, { draftFiles: 1 });
    t.after(() => Object.assign(limits, { draftFiles }));
    const project = makeProject(t, {
      "a.txt": "one\n",
      "data/small.txt": "s\n",
      model: "pointer\n",
      "src/b.txt": "b\n",
    });
    writeHuge(project, "data/huge one[1].bin", "huge");
    project.write("staged*.bin", "small");
    project.write("model", "another pointer\n");
    project.git("add", "staged*.bin", "model");
    for (const name of ["model", "staged*.bin"]) writeHuge(project, name, name);
    project.write("data/new.txt", "new\n");
    const gate = openDraft(t, project);
    const first = await gate.result("Bash", { script: `${heads}; git status --short; git ls-files -v data model` });
    assert.equal(first["stdout"], `${shown}H data/new.txt\nH data/small.txt\nS model\n`, JSON.stringify(first));
    assert.match(
      String(first["workspace"]),
      /: "model", "staged\*\.bin", "data\/huge one\[1\]\.bin"\. They show through/,
    );
    assert.equal((await gate.result("Bash", { script: "true" }))["workspace"], undefined);
    await gate.bash("echo two > a.txt; echo more >> data/small.txt; git add -A; git commit -qm two");
    const status = JSON.stringify(await gate.result("git_status", {}));
    assert.match(status, /data\/small\.txt/);
    assert.doesNotMatch(status, /huge|model/);
    if (kind === "live") return;
    await gate.bash("git mv src lib");
    project.write("src/b.txt", "person\n");
    assert.equal((await gate.result("git_pull", {}))["rebased"], 1);
    assert.equal(
      await gate.bash(`cat lib/b.txt a.txt; ${heads}; git status --short`),
      `person\ntwo\n${shown} D src/b.txt\n?? lib/\n`,
    );
    await gate.bash("rm 'data/huge one[1].bin'; ls data");
    assert.equal(statSync(join(project.path, "data/huge one[1].bin")).size, 50 * GIB);
  });

test("more bytes than a draft copies show through, and too many such files are refused", async (t) => {
  const { draftCopyBytes, draftLeftOut } = limits;
  t.after(() => Object.assign(limits, { draftCopyBytes, draftLeftOut }));
  Object.assign(limits, { draftCopyBytes: 250_000 });
  const project = makeProject(t, { "a.txt": "one\n" });
  for (const name of ["x1", "x2", "x3"]) project.write(`data/${name}`, name.repeat(50_000));
  const gate = openDraft(t, project);
  const first = await gate.result("Bash", { script: "wc -c data/*; git status --short; git ls-files" });
  assert.match(String(first["stdout"]), /300000 total\na\.txt\ndata\/x1\ndata\/x2\n$/);
  assert.match(String(first["workspace"]), /cannot be read: "data\/x3"\. They/);
  Object.assign(limits, { draftCopyBytes: 10, draftLeftOut: 2 });
  const refused = await openDraft(t, project, {}, { session: "s2" }).reply("Bash", { script: "true" });
  assert.match(JSON.stringify(refused), /3 files that a draft cannot copy.*data\/x1/);
});

const cannotRead = async (t: TestContext): Promise<void> => {
  const project = makeProject(t, { "a.txt": "one\n", "d/closed.txt": "closed\n", "d/open.txt": "open\n" });
  project.write("other.txt", "other\n");
  project.write("e/f/tracked.txt", "tracked\n");
  project.git("add", "e");
  for (const name of ["d/closed.txt", "other.txt", "e/f"]) chmodSync(join(project.path, name), 0);
  const gate = openDraft(t, project);
  const first = await gate.result("Bash", { script: "git status --short; cat d/open.txt; cat other.txt d/closed.txt" });
  assert.equal(first["stdout"], "open\n", JSON.stringify(first));
  assert.match(String(first["stderr"]), /other\.txt: Permission denied\n.*closed\.txt: Permission denied/);
  assert.match(String(first["workspace"]), /"d\/closed\.txt", "e\/f\/tracked\.txt", "other\.txt"/);
};

// Root reads every file. The slow suite runs this file as another user.
if (!isRoot) test("a file that cannot be read is left out, and said", cannotRead);
