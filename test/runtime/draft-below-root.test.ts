// A draft of a directory below the root of its repository, such as a package of a monorepo.

import assert from "node:assert/strict";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { scripted } from "../fixtures/approver.ts";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";

const files = {
  ".gitignore":
    "node_modules\n/packages/*/dist\n/packages/two/local\npackages/one/local\n**/one/made\n*.tmp\n!kept.tmp\n",
  "packages/.gitignore": "one/cache/\n",
  "packages/one/.gitignore": "own\n",
  "packages/one/a.txt": "one\n",
  "packages/two/b.txt": "two\n",
};
const ignored = ["cache/c", "dist/out", "excluded", "local/x", "made", "node_modules/dep", "own", "x.tmp"];

function makePackage(t: TestContext) {
  const root = makeProject(t, files);
  for (const name of ignored) root.write(`packages/one/${name}`, "ignored\n");
  root.write("packages/one/kept.tmp", "kept\n");
  root.write(".git/info/exclude", "/packages/one/excluded\n");
  return { root, project: { ...root, path: join(root.path, "packages/one") } };
}

test("rules from above count: what they ignore shows through, and is not committed", async (t) => {
  const { root, project } = makePackage(t);
  const gate = openDraft(t, project, { paths: [{ path: root.path, mode: "r" }] });
  const listed = "git ls-files; git status --short --ignored; cat node_modules/dep; cat ../two/b.txt";
  assert.equal(
    await gate.bash(listed),
    `.gitignore\na.txt\nkept.tmp\n!! cache/\n!! dist/\n!! excluded\n!! local/\n!! made\n!! node_modules/\n!! own\n!! x.tmp\nignored\ntwo\n`,
  );
  assert.match(await gate.bash("git log --format=%B"), /is "packages\/one" of a larger repository/);
  const { files: shown } = await gate.result("list_files", {});
  assert.equal(JSON.stringify(shown).includes("node_modules"), false);
  const { artifacts, ignored: count } = await gate.result("Bash", { script: "touch new.txt new.tmp" });
  assert.deepEqual(
    (artifacts as { path: string }[]).map(({ path }) => path),
    ["/workspace/new.txt"],
  );
  assert.equal(count, 1);
  const blind = openDraft(t, project, {}, { session: "s2" });
  assert.match(await blind.bash("git ls-files"), /node_modules/, "without a grant on the root, its rules do not count");
});

test("a push lands in the directory of the repository, and the draft then compares with that", async (t) => {
  const { root, project } = makePackage(t);
  const approver = scripted();
  const gate = openDraft(t, project, { paths: [{ path: root.path, mode: "r" }] }, { approvers: [approver] });
  await gate.bash("echo two > a.txt; mkdir b; echo b > b/b.txt");
  const { id } = await gate.result("git_stage", { files: ["a.txt", "b/b.txt"], message: "Work" });
  const pushed = await gate.result("git_push", { commitId: id });
  assert.equal(pushed["branch"], "sallyport/s1");
  assert.equal(approver.asked.length, 1);
  assert.equal(
    root.git("diff", "--name-status", "main", "sallyport/s1"),
    "M\tpackages/one/a.txt\nA\tpackages/one/b/b.txt\n",
  );
  assert.equal(root.git("show", "sallyport/s1:packages/one/a.txt"), "two\n");
  assert.deepEqual((await gate.result("git_status", {}))["unstaged"], []);
  assert.deepEqual(await gate.result("git_push", { commitId: id }), pushed);
});
