// The way out, end to end: pulled, written, staged, reviewed, pushed; and what lands is, byte for byte, what was reviewed.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { describe } from "node:test";
import { renderDiff } from "../../src/git/publish/diff-text.ts";
import type { Question } from "../../src/index.ts";
import { git, makeRepository } from "../fixtures/git.ts";
import {
  headOf,
  newWorld,
  person,
  seedFiles,
  type StagedReply,
  type Tools,
  type GitGates,
} from "../fixtures/git-gates.ts";

const report = "# Q4 2024 Report\n\n## Summary\nRevenue increased by 15% compared to Q3.\n";
const revenue = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="15"/></svg>';
const analysis = '{\n  "period": "Q4-2024",\n  "status": "final",\n  "metrics": {\n    "revenue": 1500000\n  }\n}\n';
const paths = ["/workspace/report.md", "/workspace/analysis.json", "/workspace/charts/revenue.svg"];
const written: Readonly<Record<string, string>> = {
  "report.md": report,
  "analysis.json": analysis,
  "charts/revenue.svg": revenue,
};
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

async function writeReport(tools: Tools): Promise<void> {
  await tools.write("report.md", report);
  await tools.write("charts/revenue.svg", revenue);
  await tools.write("analysis.json", analysis);
}

/** All of what landed is what the question showed: its diff is git's own, and leads from the old tree to the new one. */
function assertLanded(repository: string, sha: string, { action, diff }: Question): void {
  const { push } = action;
  assert.ok(push !== undefined && diff !== undefined);
  assert.equal(push.commit, sha);
  assert.equal(git(repository, ["fsck", "--strict", "--no-dangling"]), "");
  const shown = git(repository, ["show", "--format=", "--full-index", "-M", "--no-color", sha]);
  assert.equal(Buffer.from(renderDiff(diff)).toString(), shown);
  assert.equal(git(repository, ["cat-file", "commit", sha]).includes(push.message), true);
}

describe("the seed's example session", () => {
  for (const type of ["local", "local-bare"] as const) {
    test(`into a ${type} repository`, async () => {
      const world = newWorld();
      const path = type === "local" ? world.repo : world.bare;
      const target = { type, path, branch: "reports" };
      const tools = world.open();
      const before = headOf(path, "main");

      const pulled = await tools.done("git_pull", { source: { type, path }, paths: ["templates/", "analysis.json"] });
      assert.deepEqual(pulled, {
        pulled: ["/workspace/analysis.json", "/workspace/templates/chart.svg", "/workspace/templates/report.md"],
        conflicts: [],
        commitSha: before,
      });
      assert.equal(await tools.text("templates/report.md"), seedFiles["templates/report.md"]);
      assert.deepEqual(await tools.done("git_status"), { staged: [], unstaged: [] });

      await writeReport(tools);
      assert.deepEqual(await tools.done("git_status"), {
        staged: [],
        unstaged: [
          { path: "/workspace/analysis.json", status: "modified" },
          { path: "/workspace/charts/revenue.svg", status: "new" },
          { path: "/workspace/report.md", status: "new" },
        ],
      });

      const staged = await tools.stage(paths);
      assert.match(staged.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const { id, createdAt } = staged;
      assert.deepEqual(staged, {
        id,
        message: "Add quarterly report",
        files: paths.map((sandboxPath) => {
          const text = written[sandboxPath.slice("/workspace/".length)] as string;
          const operation = sandboxPath.endsWith("analysis.json") ? "update" : "create";
          return { sandboxPath, operation, contentHash: sha256(text), size: text.length };
        }),
        createdAt,
      });
      assert.deepEqual(await tools.done("git_status"), { staged: [staged], unstaged: [] });

      const { diff } = (await tools.done("git_diff", { commitId: id })) as { diff: string };
      await tools.write("report.md", "rewritten after staging\n");
      await tools.done("delete_file", { path: "charts/revenue.svg" });
      assert.equal((await tools.done("git_diff", { commitId: id }))["diff"], diff);
      assert.deepEqual((await tools.done("git_status"))["unstaged"], [{ path: "/workspace/report.md", status: "new" }]);
      assertApplies(world, diff);
      assert.equal(tools.person.asked.length, 0, "nothing was asked until now");

      const pushed = await tools.done("git_push", { commitId: id, target });
      const sha = headOf(path, "reports");
      assert.deepEqual(pushed, {
        commitSha: sha,
        branch: "reports",
        createdBranch: true,
        previousSha: null,
        target: path,
        filesChanged: 3,
      });
      const [question] = tools.person.asked;
      assert.equal(tools.person.asked.length as number, 1);
      assert.ok(question !== undefined);
      assert.deepEqual(question.action.push, {
        place: path,
        branch: "reports",
        isNewBranch: true,
        isProtected: false,
        oldCommit: null,
        commit: sha,
        message: "Add quarterly report\n\nSallyport-Agent: default\n",
        newOn: { branch: "main", commit: headOf(path, "main"), along: null },
        author: `${person.name} <${person.email}>`,
        files: [
          { path: "analysis.json", operation: "update", size: analysis.length },
          { path: "charts/revenue.svg", operation: "create", size: revenue.length },
          { path: "report.md", operation: "create", size: report.length },
        ],
        warnings: [],
      });
      assert.match(question.text, /branch +reports, which is NEW/);
      assert.equal(question.severity, "medium");
      assertLanded(path, sha, question);
      for (const [name, text] of Object.entries(written)) assert.equal(git(path, ["show", `${sha}:${name}`]), text);
      assert.equal(git(path, ["rev-parse", `${sha}^`]).trim(), before);
      assert.equal(headOf(path, "main"), before);

      assert.deepEqual((await tools.done("git_status"))["staged"], []);
      assert.deepEqual(await tools.done("git_push", { commitId: id, target }), pushed, "again: the same answer");
      assert.equal(tools.person.asked.length as number, 1);
      assert.deepEqual(tools.events("commit.pushed"), [{ commit: id, sha, place: path, branch: "reports", old: null }]);
      assert.equal(tools.events("commit.staged").length, 1);
      assert.equal(tools.events("files.pulled").length, 1);
      assert.equal(tools.gate.journal.verify().ok, true);
    });
  }
});

/** In a fresh clone, with git itself. */
function assertApplies(world: GitGates, diff: string): void {
  const clone = join(world.directories.outside, "clone");
  git(world.directories.outside, ["clone", "-q", world.repo, clone]);
  git(clone, ["apply", "--index", "-"], { input: diff });
  for (const [name, text] of Object.entries(written)) assert.equal(readFileSync(join(clone, name), "utf8"), text);
}

test("a branch that is checked out: its files follow, and what was the person's own is still there", async () => {
  const world = newWorld();
  const tools = world.open();
  writeFileSync(join(world.repo, "notes.txt"), "untracked\n");
  writeFileSync(join(world.repo, "README.md"), "# Reports, changed by hand\n");
  writeFileSync(join(world.repo, "todo.txt"), "staged\n");
  git(world.repo, ["add", "todo.txt"]);
  await writeReport(tools);
  const { id } = await tools.stage(paths);
  const pushed = await tools.done("git_push", { commitId: id, target: { type: "local", path: "." } });
  const [question] = tools.person.asked;
  assert.equal(question?.severity, "high");
  assert.match(question?.text ?? "", /branch +main, which is PROTECTED/);
  assert.deepEqual([pushed["branch"], pushed["createdBranch"]], ["main", false]);
  assertLanded(world.repo, headOf(world.repo, "main"), question as Question);
  for (const [name, text] of Object.entries(written)) assert.equal(readFileSync(join(world.repo, name), "utf8"), text);
  assert.equal(readFileSync(join(world.repo, "notes.txt"), "utf8"), "untracked\n");
  assert.equal(readFileSync(join(world.repo, "README.md"), "utf8"), "# Reports, changed by hand\n");
  assert.equal(git(world.repo, ["status", "--porcelain"]), " M README.md\nA  todo.txt\n?? notes.txt\n");
});

test("a file of the person's in the way is a conflict, and nothing has changed", async () => {
  const world = newWorld();
  const tools = world.open();
  await writeReport(tools);
  const { id } = await tools.stage(paths);
  const before = headOf(world.repo, "main");
  writeFileSync(join(world.repo, "report.md"), "the person's own, untracked\n");
  const refused = await tools.refused("git_push", { commitId: id, target: { type: "local", path: "." } });
  assert.equal(refused.error, "conflict");
  assert.match(JSON.stringify(refused), /report\.md/);
  assert.equal(headOf(world.repo, "main"), before);
  assert.equal(git(world.repo, ["status", "--porcelain"]), "?? report.md\n");
  assert.equal(((await tools.done("git_status"))["staged"] as unknown[]).length, 1, "it is there to try again");
});

test("the author is the person, the agent is in a trailer, and the dates are those of staging", async () => {
  const world = newWorld();
  const tools = world.open();
  await tools.write("report.md", report);
  const staged = await tools.stage(["report.md"], "Add the report\n\nWith its summary.");
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const { commitSha } = await tools.done("git_push", {
    commitId: staged.id,
    target: { type: "local", path: ".", branch: "x" },
  });
  const format = "%an|%ae|%cn|%ce|%at|%ct|%(trailers:key=Sallyport-Agent,valueonly,separator=%x2C)|%s";
  const seconds = Math.floor(Date.parse(staged.createdAt) / 1000);
  assert.equal(
    git(world.repo, ["log", "-1", `--format=${format}`, String(commitSha)]).trim(),
    [person.name, person.email, person.name, person.email, seconds, seconds, "default", "Add the report"].join("|"),
  );
});

test("what waits: several staged commits survive the gate, belong to their session, and go one by one", async () => {
  const world = newWorld();
  const first = world.open();
  await writeReport(first);
  const ids: string[] = [];
  for (const path of paths) ids.push((await first.stage([path], `Add ${path}`)).id);
  first.gate.close();

  const again = world.open();
  const staged = (await again.done("git_status"))["staged"] as StagedReply[];
  assert.deepEqual(
    staged.map(({ id }) => id),
    ids,
  );
  const other = world.open({ session: "another" });
  assert.deepEqual(((await other.done("git_status")) as { staged: unknown[] }).staged, []);
  const target = { type: "local", path: ".", branch: "reports" };
  for (const tool of ["git_diff", "git_discard", "git_push"]) {
    const args = tool === "git_push" ? { commitId: ids[0], target } : { commitId: ids[0] };
    assert.equal((await other.refused(tool, args)).error, "not_found", tool);
  }

  assert.deepEqual(await again.done("git_discard", { commitId: ids[1] }), {});
  assert.equal((await again.refused("git_discard", { commitId: ids[1] })).error, "not_found");
  await again.done("git_push", { commitId: ids[2], target });
  await again.done("git_push", { commitId: ids[0], target });
  assert.equal(git(world.repo, ["log", "--format=%s", "main..reports"]), `Add ${paths[0]}\nAdd ${paths[2]}\n`);
  assert.equal(
    git(world.repo, ["ls-tree", "-r", "--name-only", "reports", "report.md", "charts"]),
    "charts/revenue.svg\nreport.md\n",
  );
  assert.deepEqual((await again.done("git_status"))["staged"], []);
  assert.equal(again.events("commit.discarded").length, 1);
});

test("after a push the workspace is compared with what landed", async () => {
  const world = newWorld();
  const tools = world.open();
  await tools.done("git_pull", { source: { type: "local", path: "." }, paths: ["."] });
  await tools.write("report.md", report);
  await tools.done("delete_file", { path: "README.md" });
  const { id } = await tools.stage(["report.md", "README.md"]);
  const target = { type: "local", path: ".", branch: "x" };
  await tools.done("git_push", { commitId: id, target });
  assert.deepEqual((await tools.done("git_status"))["unstaged"], []);
  await tools.write("report.md", `${report}more\n`);
  assert.deepEqual((await tools.done("git_status"))["unstaged"], [
    { path: "/workspace/report.md", status: "modified" },
  ]);
  const next = await tools.stage(["report.md"]);
  assert.equal(next.files[0]?.operation, "update");
  await tools.done("git_push", { commitId: next.id, target });
  assert.equal(git(world.repo, ["show", "x:report.md"]), `${report}more\n`);
});

test("a deletion is staged by naming it, and lands as one", async () => {
  const world = newWorld();
  const tools = world.open();
  await tools.done("git_pull", { source: { type: "local", path: "." }, paths: ["templates"] });
  await tools.done("delete_file", { path: "templates/chart.svg" });
  assert.deepEqual((await tools.done("git_status"))["unstaged"], [
    { path: "/workspace/templates/chart.svg", status: "deleted" },
  ]);
  assert.equal((await tools.refused("git_stage", { files: ["never.txt"], message: "x" })).error, "not_found");
  const staged = await tools.stage(["templates/chart.svg"], "Remove a template");
  assert.deepEqual(staged.files, [
    { sandboxPath: "/workspace/templates/chart.svg", operation: "delete", contentHash: "", size: 0 },
  ]);
  const { diff } = (await tools.done("git_diff", { commitId: staged.id })) as { diff: string };
  assert.match(diff, /^deleted file mode 100644$/m);
  const { commitSha } = await tools.done("git_push", { commitId: staged.id, target: { type: "local", path: "." } });
  assertLanded(world.repo, String(commitSha), tools.person.asked[0] as Question);
  assert.equal(git(world.repo, ["ls-tree", "-r", "--name-only", "main", "templates"]), "templates/report.md\n");
  assert.equal(existsSync(join(world.repo, "templates/chart.svg")), false);
});

test("links, the executable bit, binary files, CRLF and a missing line feed land as they are", async () => {
  const world = newWorld();
  const tools = world.open();
  const bytes = Buffer.from([0, 255, 1, 254, 10, 13]);
  await tools.done("write_file", { path: "run.sh", content: "#!/bin/sh\n", executable: true });
  await tools.done("write_file", { path: "logo.png", content: bytes.toString("base64"), encoding: "base64" });
  await tools.write("dos.txt", "one\r\ntwo\r\nno end");
  const linked = await tools.done("Bash", { script: "mkdir -p docs && ln -s ../run.sh docs/link" });
  assert.equal(linked["exit_code"], 0);
  const { id } = await tools.stage(["run.sh", "logo.png", "dos.txt", "docs/link"]);
  const { commitSha } = await tools.done("git_push", { commitId: id, target: { type: "local", path: "." } });
  const listed = git(world.repo, ["ls-tree", "-r", String(commitSha), "run.sh", "docs/link", "dos.txt"]);
  assert.deepEqual(
    [...listed.matchAll(/^(\d+) \S+ \S+\t(.+)$/gm)].map(([, mode, path]) => `${mode} ${path}`),
    ["120000 docs/link", "100644 dos.txt", "100755 run.sh"],
  );
  assert.equal(git(world.repo, ["cat-file", "blob", `${String(commitSha)}:docs/link`]), "../run.sh");
  assert.equal(git(world.repo, ["cat-file", "blob", `${String(commitSha)}:dos.txt`]), "one\r\ntwo\r\nno end");
  assert.deepEqual(readFileSync(join(world.repo, "logo.png")), bytes);
  assertLanded(world.repo, String(commitSha), tools.person.asked[0] as Question);
  assert.equal(tools.person.asked[0]?.diff?.find(({ path }) => path === "logo.png")?.isBinary, true);
  assert.equal(git(world.repo, ["status", "--porcelain"]), "");
});

test("a repository with sha256, and one without a commit", async () => {
  const world = newWorld();
  const tools = world.open();
  await writeReport(tools);
  const modern = makeRepository(join(world.directories.root, "modern"), { init: ["--object-format=sha256"] });
  const empty = makeRepository(join(world.directories.root, "empty"), { isUnborn: true });
  for (const repository of [modern, empty]) {
    const { id } = await tools.stage(paths);
    const pushed = await tools.done("git_push", {
      commitId: id,
      target: { type: "local", path: repository, branch: "main" },
    });
    const question = tools.person.asked.at(-1) as Question;
    assert.match(String(pushed["commitSha"]), repository === modern ? /^[0-9a-f]{64}$/ : /^[0-9a-f]{40}$/);
    assertLanded(repository, String(pushed["commitSha"]), question);
    for (const name of Object.keys(written)) await tools.write(name, `${written[name] as string}again\n`);
  }
});
