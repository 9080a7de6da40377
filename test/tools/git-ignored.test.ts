// What `.gitignore` names is left out of what an agent is shown, and counted. Nothing that a person reviews depends on it.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { replyText } from "../../src/runtime/reply-text.ts";
import { commit } from "../fixtures/git.ts";
import { newWorld } from "../fixtures/git-gates.ts";

const source = { type: "local", path: "." };
const pathsOf = (list: unknown) => (list as readonly { path: string }[]).map(({ path }) => path);

for (const kind of ["memory", "directory"] as const) {
  test(`${kind}: ignored files are left out and counted, unless they were pulled or are named`, async () => {
    const world = newWorld();
    const path = join(world.directories.base, "work");
    mkdirSync(path);
    const files = { ".gitignore": "target/\n*.log\nkept.log\n", "src/a.ts": "word\n", "kept.log": "word\n" };
    commit(world.repo, "project", { ...files, "src/.gitignore": "!own.log\n" });
    const tools = world.open({ workspace: kind === "memory" ? { kind } : { kind, path } });
    await tools.done("git_pull", { source, paths: ["."] });
    await tools.write("kept.log", "word\n");

    const script =
      "mkdir -p target/deep; echo word > target/deep/x; echo word | tee target/y a.log src/own.log > new.ts";
    const ran = await tools.done("Bash", { script, expect: { git_diff: ["target/y"] } });
    assert.deepEqual(pathsOf(ran["artifacts"]), ["/workspace/new.ts", "/workspace/src/own.log"]);
    assert.equal(ran["ignored"], 3);
    assert.ok(
      (ran["requirements"] as { ok: boolean }[]).every(({ ok }) => ok),
      JSON.stringify(ran["requirements"]),
    );
    assert.match(replyText({ ok: true, result: ran }), /named by \.gitignore: 3/);

    const status = await tools.done("git_status");
    assert.deepEqual(pathsOf(status["unstaged"]), ["/workspace/new.ts", "/workspace/src/own.log"]);
    assert.equal(status["ignored"], 4, "also kept.log, which was not pulled");
    const { diff, ignored } = await tools.done("git_diff");
    assert.deepEqual(
      [...String(diff).matchAll(/^\+\+\+ b\/(\S+)/gm)].map(([, name]) => name),
      ["new.ts", "src/own.log"],
    );
    assert.equal(ignored, 4);
    for (const paths of [["a.log"], ["target"], ["target/y"]]) {
      const named = await tools.done("git_diff", { paths });
      assert.match(String(named["diff"]), new RegExp(`b/${paths[0]}`), "what the call names is shown");
    }

    const found = await tools.done("search_files", { pattern: "word" });
    assert.deepEqual(pathsOf(found["matches"]), ["/workspace/new.ts", "/workspace/src/a.ts", "/workspace/src/own.log"]);
    assert.equal(found["ignored"], 4);
    assert.match(replyText({ ok: true, result: found }), /Without 4 that \.gitignore names/);
    const inside = await tools.done("search_files", { pattern: "word", path: "target" });
    assert.deepEqual(pathsOf(inside["matches"]), ["/workspace/target/deep/x", "/workspace/target/y"]);
    assert.equal((await tools.done("search_files", { pattern: "word", path: "a.log" }))["ignored"], undefined);
  });

  test(`${kind}: an ignored file that is named is staged, shown to the person, and lands`, async () => {
    const world = newWorld();
    const path = join(world.directories.base, "work");
    mkdirSync(path);
    const tools = world.open({ workspace: kind === "memory" ? { kind } : { kind, path } });
    await tools.write(".gitignore", "*\n");
    await tools.write("setup.sh", "echo hidden?\n");
    assert.deepEqual(await tools.done("git_status"), { staged: [], unstaged: [], ignored: 2 });
    const { id, files } = await tools.stage(["setup.sh"], "an ignored file");
    assert.deepEqual(
      files.map(({ sandboxPath }) => sandboxPath),
      ["/workspace/setup.sh"],
    );
    const staged = (await tools.done("git_status"))["staged"] as { id: string; files: unknown[] }[];
    assert.deepEqual(
      staged.map((one) => [one.id, one.files.length]),
      [[id, 1]],
    );
    assert.match(String((await tools.done("git_diff", { commitId: id }))["diff"]), /\+echo hidden\?/);
    await tools.write("setup.sh", "echo changed\n");
    const changed = (await tools.done("git_status"))["unstaged"];
    assert.deepEqual(changed, [{ path: "/workspace/setup.sh", status: "new" }], "what is staged is tracked");
    await tools.done("git_push", { commitId: id, target: { ...source, branch: "x" } });
    assert.deepEqual(
      tools.person.asked.at(-1)?.diff?.map((file) => file.path),
      ["setup.sh"],
    );
    await tools.write("setup.sh", "echo again\n");
    const after = await tools.done("git_status");
    assert.deepEqual(after["unstaged"], [{ path: "/workspace/setup.sh", status: "modified" }], "as what landed is");
    await tools.done("delete_file", { path: "setup.sh" });
    const gone = await tools.done("git_status");
    assert.deepEqual(gone["unstaged"], [{ path: "/workspace/setup.sh", status: "deleted" }]);
  });
}

test("a pulled file is never ignored, whatever the agent writes into .gitignore", async () => {
  const world = newWorld();
  const tools = world.open();
  await tools.done("git_pull", { source, paths: ["."] });
  await tools.write(".gitignore", "*\n");
  const ran = await tools.done("Bash", { script: "echo more >> README.md; rm analysis.json" });
  assert.deepEqual(pathsOf(ran["artifacts"]), ["/workspace/README.md", "/workspace/analysis.json"]);
  const status = await tools.done("git_status");
  assert.deepEqual(status["unstaged"], [
    { path: "/workspace/README.md", status: "modified" },
    { path: "/workspace/analysis.json", status: "deleted" },
  ]);
  assert.equal(status["ignored"], 1, "the .gitignore itself");
  assert.equal((await tools.done("search_files", { pattern: "more" }))["ignored"], 1);
});
