// A draft's life: what killed gates and holders leave behind, and how a session goes on after them.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import test from "node:test";
import { markOfThisProcess } from "../../src/process/process-mark.ts";
import { readHolder } from "../../src/sandbox/draft-holder.ts";
import { removeDraft, unfinishedDraft } from "../../src/sandbox/draft-directory.ts";
import { scripted } from "../fixtures/approver.ts";
import { makeProject, openDraft, type Project } from "../fixtures/draft-gate.ts";
import { isAlive } from "../fixtures/keeper-draft.ts";

function draftOf(project: Project): string {
  const [name = ""] = readdirSync(join(project.state, "drafts"));
  return join(project.state, "drafts", name);
}

/** Kills the holder of a project's only draft, and waits until it is gone. */
function killHolder(project: Project): void {
  const pid = readHolder(draftOf(project));
  process.kill(pid, "SIGKILL");
  while (isAlive(pid)) spawnSync("sleep", ["0.01"]);
}

const files = { ".gitignore": "node_modules\n", "a.txt": "one\n", "node_modules/dep/index.js": "1\n" };

/** The name of an unfinished draft of this process, but for some parts of its mark. */
function marked(own: string, parts: { started?: string; namespace?: string; boot?: string; at: number }): string {
  const [pid, started, namespace, boot] = markOfThisProcess().split(".");
  const mark = [pid, parts.started ?? started, parts.namespace ?? namespace, parts.boot ?? boot].join(".");
  return `${own}.${mark}-${parts.at.toString(36)}-1.begin`;
}

test("a new gate removes what killed gates were making or removing, and nothing else", async (t) => {
  const project = makeProject(t, files);
  const drafts = join(project.state, "drafts");
  const ended = spawnSync("true").pid;
  const session = `s.${ended}-abc-1.gone`;
  await openDraft(t, project, {}, { session }).bash("echo kept > kept");
  const [own = ""] = readdirSync(drafts);
  const left = [`${own}.${ended}-abc-1.begin`, `${own}.${ended}-abc-27.gone`];
  for (const name of left) {
    const closed = join(drafts, name, "work", "work");
    mkdirSync(closed, { recursive: true });
    writeFileSync(join(closed, "x"), "");
    chmodSync(closed, 0);
  }
  const building = unfinishedDraft(join(drafts, own), "begin");
  const elsewhere = marked(own, { namespace: "1", at: Date.now() });
  for (const path of [
    building,
    elsewhere,
    marked(own, { started: "1", at: Date.now() }), // the pid is that of another process now
    marked(own, { boot: "00000000", at: Date.now() }), // before the machine was restarted
    marked(own, { namespace: "1", at: Date.now() - 25 * 60 * 60 * 1000 }), // in a container that is gone
  ])
    mkdirSync(join(drafts, basename(path)));
  const gate = openDraft(t, project, {}, { session });
  assert.equal(await gate.bash("cat kept"), "kept\n");
  assert.deepEqual(
    readdirSync(drafts)
      .map((name) => join(drafts, name))
      .toSorted(),
    [join(drafts, own), building, join(drafts, elsewhere)].toSorted(),
  );
  removeDraft(building);
  removeDraft(building);
  removeDraft(join(drafts, elsewhere));
  assert.deepEqual(readdirSync(drafts), [own]);
});

test("a directory that the first command of a call removes is named, and nothing is said of the machine", async (t) => {
  const project = makeProject(t, { ...files, "sub/x": "x\n" });
  const gate = openDraft(t, project);
  const cwd = join(project.path, "sub");
  const remove = `python3 -c "import shutil; shutil.rmtree('../sub')"`;
  const reply = await gate.reply("Shell", { command: [remove, "ls"], work_dir: cwd });
  assert.ok(!reply.ok && reply.error === "changed", JSON.stringify(reply));
  assert.equal(
    reply.message,
    `${cwd} is not there any more. Nothing ran. Before it, 1 of the call's commands had run.`,
  );
  assert.doesNotMatch(JSON.stringify(reply), /doctor/);
});

test("a call whose holder is killed after it was judged starts once, with another holder", async (t) => {
  const project = makeProject(t, files);
  const approver = scripted(() => (killHolder(project), {}));
  const gate = openDraft(t, project, {}, { approvers: [approver] });
  await gate.bash("echo before > before");
  const needs = { network: true };
  const ran = await gate.result("Bash", { script: "cat before >> ran; cat >> ran", stdin: "in\n", needs });
  assert.equal(approver.asked.length, 1);
  assert.equal(ran["exit_code"], 0);
  assert.deepEqual(
    (ran["artifacts"] as { path: string; operation: string }[]).map(({ path, operation }) => `${operation} ${path}`),
    ["create /workspace/ran"],
  );
  assert.equal(await gate.bash("cat ran"), "before\nin\n");
  assert.equal((await gate.result("read_file", { path: "ran" }))["content"], "before\nin\n");
  const starts = [...gate.journal.list({ event: "tool.call.dispatched" })].filter(({ because }) =>
    because?.some((line) => line.startsWith("allowed by ann")),
  );
  assert.equal(starts.length, 1);
});
