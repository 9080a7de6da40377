// Replies with many files: the first of them, how many there are, and a way to see the others.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createRegistry, registerBashTool, registerShellTool } from "../../src/index.ts";
import { replyText } from "../../src/runtime/reply-text.ts";
import { limits } from "../../src/shared/limits.ts";
import { makeTestDirectories, openGate } from "../fixtures/gate.ts";
import { commit } from "../fixtures/git.ts";
import { type GitGates, newWorld, type Tools } from "../fixtures/git-gates.ts";

const most = limits.statusEntries;
const count = most + 60;
const names = Array.from({ length: count }, (_, index) => `many/f${String(index).padStart(4, "0")}`);
const source = { type: "local", path: "." };
const kinds = ["memory", "directory"] as const;

function open(world: GitGates, kind: (typeof kinds)[number], session = "one"): Tools {
  const path = join(world.directories.base, "work");
  mkdirSync(path, { recursive: true });
  return world.open({ session, workspace: kind === "memory" ? { kind } : { kind, path } });
}

const textOf = async (tools: Tools, tool: string, args: object = {}) => replyText(await tools.call(tool, args));
const listed = (result: Record<string, unknown>, field: string) => (result[field] as readonly unknown[]).length;

for (const kind of kinds) {
  test(`${kind}: a pull of many files names the first, and counts all`, async () => {
    const world = newWorld();
    commit(world.repo, "many", Object.fromEntries(names.map((name) => [name, `${name}\n`])));
    const tools = open(world, kind);
    const pulled = await tools.done("git_pull", { source, paths: ["many"] });
    assert.deepEqual([listed(pulled, "pulled"), pulled["count"], pulled["more"]], [most, count, count - most]);
    assert.equal(await tools.text(names.at(-1) as string), `${names.at(-1)}\n`, "all of them came");
    assert.deepEqual(await tools.done("git_status"), { staged: [], unstaged: [] }, "and all of them count as pulled");

    await tools.done("Bash", { script: "for f in many/*; do echo changed > $f; done" });
    const again = { source, paths: ["many"], onConflict: "overwrite" };
    const text = await textOf(tools, "git_pull", again);
    assert.match(text, new RegExp(`f0019, … \\(${count} in all; these are the first 20\\)`));
    assert.ok(!text.includes("f0020") && text.length < 4_000, `${text.length} characters`);
  });

  test(`${kind}: many changed files: status, diff and artifacts show the first, and can be narrowed`, async () => {
    const world = newWorld();
    const tools = open(world, kind);
    const script = `mkdir many; for i in $(seq 0 ${count - 1}); do printf -v n 'many/f%04d' $i; echo $n > $n; done`;
    const last = names.at(-1) as string;
    const made = await tools.done("Bash", { script, expect: { git_diff: [last], files: [last] } });
    assert.deepEqual(
      [listed(made, "artifacts"), made["more_artifacts"]],
      [limits.artifactEntries, count - limits.artifactEntries],
    );
    const met = (made["requirements"] as { name: string; ok: boolean }[]).filter(({ ok }) => !ok);
    assert.deepEqual(met, [], "what is not listed was changed all the same");

    const status = await tools.done("git_status");
    assert.deepEqual([listed(status, "unstaged"), status["more"]], [most, count - most]);
    const text = await textOf(tools, "git_status");
    assert.match(text, new RegExp(`^Not staged: new /workspace/many/f0000, .*\\(${count} in all;`));
    assert.ok(text.length < 2_000, `${text.length} characters`);
    const narrowed = await tools.done("git_status", { paths: [last, "/workspace/many/f0001"] });
    assert.deepEqual(
      (narrowed["unstaged"] as { path: string }[]).map(({ path }) => path),
      ["/workspace/many/f0001", `/workspace/${last}`],
    );

    const rest = await tools.done("git_status", { after: (status["unstaged"] as { path: string }[]).at(-1)?.path });
    assert.deepEqual([listed(rest, "unstaged"), rest["more"]], [count - most, undefined], "the next page");
    assert.equal((await tools.refused("git_status", { after: "../x" })).error, "invalid_args");

    const staged = (await tools.done("git_stage", { files: names, message: "all" })) as Record<string, unknown>;
    assert.deepEqual([listed(staged, "files"), staged["moreFiles"]], [most, count - most]);
    const [shown] = (await tools.done("git_status"))["staged"] as Record<string, unknown>[];
    assert.deepEqual(shown, staged);
    const pushed = await tools.done("git_push", { commitId: staged["id"], target: { ...source, branch: "all" } });
    assert.equal(pushed["filesChanged"], count, "all of it is staged and lands");
    assert.equal(tools.person.asked.at(-1)?.diff?.length, count, "and a person sees all of it");
  });

  test(`${kind}: a diff has whole files up to its bound, and says what is left out`, async () => {
    const world = newWorld();
    commit(world.repo, "old", { "src/a.ts": "one\ntwo\n", "src/b.ts": "same\n", "gone.txt": "x\n" });
    const tools = open(world, kind);
    await tools.done("git_pull", { source, paths: ["src", "gone.txt"] });
    const long = `${"long line\n".repeat(limits.diffCharacters / 10)}`;
    await tools.write("long.txt", long);
    await tools.write("src/a.ts", "one\n2\n3\n");
    await tools.write("z.txt", "last\n");
    await tools.done("delete_file", { path: "gone.txt" });

    const whole = await tools.done("git_diff");
    const files = [...String(whole["diff"]).matchAll(/^diff --git a\/(\S+)/gm)].map(([, name]) => name);
    assert.deepEqual(files, ["gone.txt", "src/a.ts", "z.txt"], "what fits, and nothing in part");
    assert.deepEqual([whole["more"], whole["leftOut"]], [1, [`long.txt | +${limits.diffCharacters / 10} -0`]]);
    assert.match(String(whole["hint"]), /"paths".*"stat"/);
    const text = await textOf(tools, "git_diff");
    assert.match(text, /\+last\nLeft out: long\.txt \| \+6000 -0\nHint: /);

    const named = await tools.done("git_diff", { paths: ["long.txt"] });
    assert.equal(named["more"], undefined);
    assert.equal(String(named["diff"]).split("\n+long line").length - 1, limits.diffCharacters / 10);
    const mixed = await tools.done("git_diff", { paths: ["long.txt", "src", "src/b.ts"] });
    assert.equal(mixed["more"], undefined, "a named file has room of its own");
    assert.match(String(mixed["diff"]), /b\/long\.txt[^]*b\/src\/a\.ts/);
    const part = await tools.done("git_diff", { paths: ["/workspace/src/", "gone.txt"] });
    assert.deepEqual(Object.keys(part), ["diff"]);
    assert.match(String(part["diff"]), /a\/gone\.txt[^]*a\/src\/a\.ts/);
    assert.ok(!String(part["diff"]).includes("z.txt"));

    const stat = "gone.txt | +0 -1\nlong.txt | +6000 -0\nsrc/a.ts | +2 -1\nz.txt | +1 -0\n4 files changed, +6003 -2\n";
    assert.deepEqual(await tools.done("git_diff", { stat: true }), { diff: stat });
    const page = await tools.done("git_diff", { stat: true, after: "/workspace/long.txt" });
    assert.deepEqual(page, { diff: "src/a.ts | +2 -1\nz.txt | +1 -0\n2 files changed, +3 -1\n" });
    const { id } = await tools.stage(["src/a.ts", "z.txt"]);
    const ofCommit = await tools.done("git_diff", { commitId: id, paths: ["src"], stat: true });
    assert.deepEqual(ofCommit, { diff: "src/a.ts | +2 -1\n1 file changed, +2 -1\n" });
    assert.deepEqual(await tools.done("git_diff", { paths: ["src/b.ts"] }), { diff: "" });

    for (const args of [{ paths: ["nothing"] }, { commitId: id, paths: ["long.txt"] }])
      assert.equal((await tools.refused("git_diff", args)).error, "not_found");
    for (const args of [{ paths: ["../x"] }, { paths: [] }, { stat: 1 }])
      assert.equal((await tools.refused("git_diff", args)).error, "invalid_args");
  });
}

test("a file that is too long for any diff is left out, with the way to read it", async () => {
  const tools = open(newWorld(), "memory");
  await tools.done("Bash", { script: `yes 123456789 | head -c ${limits.namedDiffCharacters} > big.txt` });
  const { diff, more, hint } = await tools.done("git_diff", { paths: ["big.txt"] });
  assert.deepEqual([diff, more], ["", 1]);
  assert.match(String(hint), /read_file/);
});

test("many staged commits share one list of files, and a list has 200 names unless the call asks for more", async () => {
  const tools = open(newWorld(), "memory");
  await tools.done("Bash", { script: `mkdir many; for f in ${names.join(" ")}; do echo > $f; done` });
  await tools.stage(names.slice(0, most - 1), "first");
  await tools.stage(names.slice(-3), "second");
  const staged = (await tools.done("git_status"))["staged"] as Record<string, unknown>[];
  assert.deepEqual(
    staged.map((one) => [one["message"], listed(one, "files"), one["moreFiles"]]),
    [
      ["first", most - 1, undefined],
      ["second", 1, 2],
    ],
  );
  const page = await tools.done("list_files");
  assert.deepEqual([listed(page, "files"), page["more"]], [200, true]);
  const after = (page["files"] as { path: string }[]).at(-1)?.path;
  const rest = await tools.done("list_files", { after });
  assert.deepEqual([listed(rest, "files"), rest["more"]], [count - 200, false]);
});

test("each command of Shell has its own list, and what cannot be kept is counted too", async (t) => {
  const directories = makeTestDirectories();
  const registry = createRegistry();
  registerShellTool(registry);
  registerBashTool(registry);
  const gate = openGate(directories, { tools: ["*"], policy: {} }, { registry });
  t.after(() => {
    gate.close();
    directories.remove();
  });
  const make = "import sys\nfor i in range(int(sys.argv[1])): open('f%s-%d' % (sys.argv[1], i), 'w')\n";
  const written = await gate.call({ tool: "Bash", args: { script: "cat > make.py", stdin: make } });
  assert.ok(written.ok, JSON.stringify(written));
  const shell = { command: ["python3 make.py 150", "python3 make.py 1"], work_dir: "/workspace" };
  const done = await gate.call({ tool: "Shell", args: shell });
  assert.ok(done.ok, JSON.stringify(done));
  const results = done.result["results"] as Record<string, unknown>[];
  assert.deepEqual(
    results.map((one) => [listed(one, "artifacts"), one["more_artifacts"]]),
    [
      [100, 50],
      [1, undefined],
    ],
  );
  const script = "for i in $(seq 130); do mkfifo pipe$i; done";
  const ran = await gate.call({ tool: "Bash", args: { script } });
  assert.ok(ran.ok, JSON.stringify(ran));
  assert.deepEqual([listed(ran.result, "not_kept"), ran.result["more_not_kept"]], [100, 30]);
  assert.match(replyText(ran), /Not kept: 110 more/);
});
