// The unchanged lines of a push and of a staged commit: those of the file that would land, or none.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { queueApprover } from "../../src/index.ts";
import { limits } from "../../src/shared/limits.ts";
import type { ContextLines, FileHunks } from "../../src/web/api.ts";
import { waitingQuestion } from "../fixtures/approver.ts";
import { git } from "../fixtures/git.ts";
import { openPage } from "../fixtures/page.ts";
import { makeGitGates } from "../fixtures/git-gates.ts";
import { sessionOfDefault } from "../fixtures/session-id.ts";

const old = Array.from({ length: 100 }, (_, at) => `line ${at + 1}`);
const next = old.toSpliced(49, 1, "changed", "\u001b[2J<b>").join("\n");

/** A repository with one long file, an agent on it, and a person at the page. */
async function openLong(t: TestContext) {
  const way = makeGitGates();
  t.after(() => way.close());
  writeFileSync(join(way.repo, "long.txt"), old.join("\n"));
  git(way.repo, ["add", "-A"]);
  git(way.repo, ["commit", "-q", "-m", "long"]);
  const tools = way.open({ approvers: [(answerService) => queueApprover(answerService.queue)] });
  const page = openPage(t, tools.gate);
  const watcher = await page.context.answerService.queue.watch("serve", "http://127.0.0.1:7117");
  t.after(() => watcher.leave());
  return { way, tools, page };
}

test("the lines around a change, of a staged commit and of its push; never others", async (t) => {
  const { way, tools, page } = await openLong(t);
  const answer = async (call: Promise<unknown>) => {
    const asked = await Promise.race([waitingQuestion(tools.gate), call.then(() => null)]);
    if (asked === null) return;
    const { id, action } = asked;
    await page.post(`/api/questions/${id}/answer`, { decision: "allow", scope: "once", digest: action.digest });
    await call;
  };
  await answer(tools.done("git_pull", { source: { type: "local", path: way.repo }, paths: ["long.txt"] }));
  await tools.write("long.txt", next);
  await tools.write("new.txt", "one\n");
  const { id: commitId } = await tools.stage(["long.txt", "new.txt"], "Change");

  const check = async (at: string) => {
    const { hunks, newLines } = await page.get<FileHunks>(`${at}/files/0`);
    assert.equal(newLines, 101);
    assert.equal(hunks[0]?.newStart, 47);
    const { lines } = await page.get<ContextLines>(`${at}/files/0/lines?from=1&to=4`);
    assert.deepEqual(
      lines.map(({ sign, text, isUnterminated }) => [sign, text, isUnterminated]),
      [1, 2, 3].map((number) => [" ", `line ${number}`, false]),
    );
    const tail = await page.get<ContextLines>(`${at}/files/0/lines?from=100&to=200`);
    assert.deepEqual(
      tail.lines.map(({ text, isUnterminated }) => [text, isUnterminated]),
      [
        ["line 99", false],
        ["line 100", true],
      ],
    );
    for (const query of ["", "?from=1", "?from=0&to=2", "?from=2&to=2", "?from=x&to=2", "?from=1&to=2&more=1"])
      await page.refused(400, "GET", `${at}/files/0/lines${query}`);
    await page.refused(400, "GET", `${at}/files/0/lines?from=1&to=${limits.contextLines + 2}`);
    await page.refused(404, "GET", `${at}/files/1/lines?from=1&to=2`);
    await page.refused(404, "GET", `${at}/files/9/lines?from=1&to=2`);
    assert.equal("newLines" in (await page.get<object>(`${at}/files/1`)), false, "a new file leaves nothing out");
  };
  await check(`/api/staged/${commitId}`);

  const pushing = tools.done("git_push", { commitId, target: { type: "local", path: way.repo, branch: "agent/x" } });
  const { id, action } = await waitingQuestion(tools.gate);
  await check(`/api/questions/${id}`);
  await page.post(`/api/questions/${id}/answer`, { decision: "allow", scope: "once", digest: action.digest });
  await pushing;
});

test("a push whose staged content is gone shows its hunks, and offers no more", async (t) => {
  const { way, tools, page } = await openLong(t);
  await tools.write("long.txt", next);
  const { id: commitId } = await tools.stage(["long.txt"], "Change");
  const pushing = tools.call("git_push", { commitId, target: { type: "local", path: way.repo, branch: "agent/x" } });
  const { id, action } = await waitingQuestion(tools.gate);
  const at = `/api/questions/${id}/files/0`;
  assert.equal((await page.get<FileHunks>(at)).newLines, 101, "the control");
  page.context.staged.discard(commitId, sessionOfDefault("seed"));
  const { hunks, newLines } = await page.get<FileHunks>(at);
  assert.deepEqual([hunks.length, newLines], [1, undefined]);
  await page.refused(404, "GET", `${at}/lines?from=1&to=2`);
  await page.post(`/api/questions/${id}/answer`, { decision: "deny", scope: "once", digest: action.digest });
  await pushing;
});
