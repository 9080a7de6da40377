// Replies about a draft with many changed files, or with huge ones: the first of them, how many there are, and a way to see the others.

import assert from "node:assert/strict";
import test from "node:test";
import { limits } from "../../src/shared/limits.ts";
import { makeProject, openDraft } from "../fixtures/draft-gate.ts";

const most = limits.statusEntries;
const count = most + 60;
const listed = (result: Record<string, unknown>, field: string) => (result[field] as readonly unknown[]).length;

test("many files: artifacts, status, diff, lists and pulls show the first, count all, and can be narrowed", async (t) => {
  const project = makeProject(t, { "a.txt": "a\n", ".gitignore": "cache\n" });
  const gate = openDraft(t, project);
  const script = `mkdir many cache; for i in $(seq 1000 ${999 + count}); do echo $i > many/f$i; echo $i > cache/f$i; done`;
  const made = await gate.result("Bash", { script });
  assert.deepEqual(
    [listed(made, "artifacts"), made["more_artifacts"]],
    [limits.artifactEntries, count - limits.artifactEntries],
  );
  assert.ok(Number(made["ignored"]) >= count, "ignored changes are a number");
  const status = await gate.result("git_status", {});
  assert.deepEqual([listed(status, "unstaged"), status["more"]], [most, count - most]);
  const last = `many/f${999 + count}`;
  const narrowed = await gate.result("git_status", { paths: [last] });
  assert.deepEqual(narrowed["unstaged"], [{ path: `/workspace/${last}`, status: "new" }]);
  const rest = await gate.result("git_status", { after: (status["unstaged"] as { path: string }[]).at(-1)?.path });
  assert.deepEqual([listed(rest, "unstaged"), rest["more"]], [count - most, undefined]);
  const stat = await gate.result("git_diff", { stat: true });
  assert.ok(JSON.stringify(stat).length < 30_000, JSON.stringify(stat).slice(0, 200));
  const next = /"after": ("[^"]+")/.exec(String(stat["hint"]))?.[1] ?? "null";
  const page = await gate.result("git_diff", { stat: true, after: JSON.parse(next) as string });
  const namesOf = ({ diff }: Record<string, unknown>) => String(diff).match(/^many\/\S+/gm) ?? [];
  assert.equal(new Set([...namesOf(stat), ...namesOf(page)]).size, count, "two pages have all of them");
  assert.equal(page["more"], undefined);
  assert.match(JSON.stringify(await gate.result("git_diff", { paths: [last] })), new RegExp(`${999 + count}`));
  const files = await gate.result("list_files", {});
  assert.doesNotMatch(JSON.stringify(files), /cache/);

  for (let at = 0; at < count; at += 1) project.write(`theirs/f${1000 + at}`, "theirs\n");
  const behind = await gate.result("git_status", {});
  const shown = (behind["inProject"] as { path: string }[]).map(({ path }) => path);
  assert.equal(shown.length + Number(behind["moreInProject"]), count);
  const others = await gate.result("git_status", { after: shown.at(-1) });
  assert.equal(listed(others, "inProject") + Number(others["moreInProject"]), count - shown.length);
  assert.ok(!shown.includes((others["inProject"] as { path: string }[])[0]?.path ?? ""));
  const pulled = await gate.result("git_pull", {});
  assert.deepEqual([listed(pulled, "pulled"), pulled["count"]], [most, count]);
});

test("a file of 50 GB of holes in the layer is neither read nor counted as such", async (t) => {
  const project = makeProject(t, { "a.txt": "a\n" });
  const gate = openDraft(t, project, { limits: { fsize_mb: 100_000 } });
  const made = await gate.result("Bash", {
    script: "truncate -s 50G sparse; echo b > b.txt; ls -s --block-size=1 sparse",
  });
  assert.equal(made["exit_code"], 0, JSON.stringify(made));
  const status = await gate.result("git_status", {});
  assert.match(JSON.stringify(status), /b\.txt/);
  assert.match(JSON.stringify(await gate.result("git_diff", { paths: ["b.txt"] })), /\+b/);
  assert.ok(JSON.stringify(await gate.reply("git_diff", {})).length < 100_000);
  assert.ok(JSON.stringify(await gate.reply("read_file", { path: "sparse" })).length < 200_000);
  assert.equal((await gate.reply("git_stage", { files: ["sparse"], message: "x" })).ok, false);
  assert.equal(await gate.bash("rm sparse; git status --short"), "?? b.txt\n");
});
