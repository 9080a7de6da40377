// What a person makes in the project while one call of a draft runs, which may be a whole agent's day.

import assert from "node:assert/strict";
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { limits } from "../../src/shared/limits.ts";
import { isTouched } from "../../src/sandbox/draft-touched.ts";
import { readDraftRecord } from "../../src/sandbox/draft-directory.ts";
import { makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import { draftOf, isMarked, longCall } from "../fixtures/long-call.ts";
import { until } from "../fixtures/run.ts";

const files = {
  ".gitignore": "node_modules\n*.log\n",
  "a.txt": "one\n",
  "mixed/b.txt": "two\n",
  "mixed/run.log": "log\n",
  "src/deep/c.txt": "three\n",
  "node_modules/dep/index.js": "module.exports = 1;\n",
};

const look =
  "ls -A . mixed node_modules/dep; cat .env later.txt mixed/.env node_modules/dep/.env later-dir/x.txt 2> /dev/null || true; git add -A; git status --short";

function makeLater(project: Project): void {
  project.write(".env", "SECRET=root\n");
  project.write("later.txt", "later\n");
  project.write("later-dir/x.txt", "later\n");
  project.write("mixed/.env", "SECRET=mixed\n");
  project.write("mixed/more.log", "ignored\n");
  project.write("node_modules/dep/.env", "SECRET=dependency\n");
}

const later = [".env", "later.txt", "later-dir", "mixed/.env", "node_modules/dep/.env"];

test("what is hidden or new, and made while a call runs, does not get into that call, its commits or its artifacts", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project, { hide: [".env"] });
  const begun = await gate.bash("ls -A . mixed; echo mine > mine.txt");
  assert.ok(!begun.includes("later"));
  const end = await longCall(
    gate,
    project,
    `${look}; echo own > own.txt; rm a.txt`,
    "cat later.txt .env 2> /dev/null || true",
  );
  makeLater(project);
  for (const path of later) await until(`${path} is kept out`, () => isMarked(project, path));
  const result = await end();
  const stdout = String(result["stdout"]);
  assert.ok(!/SECRET|later|\.env/.test(stdout), stdout);
  assert.match(stdout, /more\.log/, "what git ignores shows through");
  assert.match(stdout, /^A {2}mine\.txt$/m);
  const changed = (result["artifacts"] as { path: string }[]).map(({ path }) => path);
  assert.deepEqual(changed.sort(), ["/workspace/a.txt", "/workspace/own.txt"]);
  assert.equal(project.read(".env"), "SECRET=root\n", "the project keeps its own");
});

test("control: without the guard all of it is there", async (t) => {
  withoutGuard(t);
  const project = makeProject(t, files);
  const gate = openDraft(t, project, { hide: [".env"] });
  await gate.bash("echo mine > mine.txt");
  const end = await longCall(gate, project, look);
  makeLater(project);
  const stdout = String((await end())["stdout"]);
  for (const secret of ["SECRET=root", "SECRET=mixed", "SECRET=dependency"]) assert.ok(stdout.includes(secret), stdout);
  assert.match(stdout, /^A {2}later\.txt$/m);
});

function withoutGuard(t: TestContext): void {
  const { draftGuardMs } = limits;
  Object.assign(limits, { draftGuardMs: 2 ** 30 });
  t.after(() => Object.assign(limits, { draftGuardMs }));
}

test("a file of the agent's own stays, whatever the person makes of that name", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project, { hide: [".env"] });
  const before = "echo own > .env; mkdir later-dir; echo own > later-dir/own.txt";
  const end = await longCall(
    gate,
    project,
    "cat .env later-dir/own.txt; ls -A later-dir; echo again > last.txt; cat last.txt",
    before,
  );
  makeLater(project);
  project.write("last.txt", "theirs\n");
  for (const path of ["later.txt", "last.txt", "mixed/.env"])
    await until(`${path} is kept out`, () => isMarked(project, path));
  const result = await end();
  assert.equal(result["stdout"], "own\nown\nown.txt\nagain\n");
  const artifacts = (result["artifacts"] as { path: string; operation: string }[]).map(
    ({ path, operation }) => `${operation} ${path}`,
  );
  assert.ok(
    artifacts.includes("create /workspace/.env") && artifacts.some((one) => one.endsWith("/workspace/last.txt")),
    artifacts.join(),
  );
  assert.ok(!artifacts.some((one) => /later\.txt|theirs|x\.txt/.test(one)), artifacts.join());
});

test("in a draft where only the gate has removed something nothing was changed, until the session makes a file of that name", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project, { hide: [".env"] });
  const running = gate.bash("until ls node_modules | grep -q go; do sleep 0.02; done");
  await until("the draft has begun", () => existsSync(`${draftOf(project)}/draft.json`));
  // The call may not have started its box yet: then the next look, at the beginning of the box's guard, finds it.
  project.write("later.txt", "later\n");
  await until("later.txt is kept out", () => isMarked(project, "later.txt"));
  project.write("node_modules/go", "");
  await running;
  const record = readDraftRecord(draftOf(project));
  assert.ok(record !== null);
  assert.equal(isTouched(draftOf(project), record.begunAt), false);
  await gate.bash("echo own > later.txt");
  rmSync(`${draftOf(project)}/touched`); // as if the gate had been killed before it noted the change
  assert.equal(isTouched(draftOf(project), record.begunAt), true);
});

test("a person who saves by other names all the time leaves the call what it had", async (t) => {
  const project = makeProject(t, files);
  const gate = openDraft(t, project);
  await gate.bash("echo mine > mine.txt");
  const end = await longCall(gate, project, "cat a.txt; ls");
  for (let round = 0; round < 40; round += 1) {
    project.write(`a.txt.${round}`, `round ${round}\n`);
    renameSync(join(project.path, `a.txt.${round}`), join(project.path, "a.txt"));
  }
  project.write("last.txt", "last\n");
  await until("last.txt is kept out", () => isMarked(project, "last.txt"));
  assert.equal((await end())["stdout"], "one\na.txt\nmine.txt\nmixed\nnode_modules\nsrc\n");
  assert.equal(readFileSync(join(project.path, "a.txt"), "utf8"), "round 39\n");
});
