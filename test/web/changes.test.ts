// What a push, or a staged commit, changes: its files, their hunks, and pictures that are what would land.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { queueApprover } from "../../src/index.ts";
import type { FileHunks, QuestionView, QueueView, StagedView } from "../../src/web/api.ts";
import { rasterType } from "../../src/web/picture.ts";
import { waitingQuestion } from "../fixtures/approver.ts";
import { git } from "../fixtures/git.ts";
import { openPage, type TestPage } from "../fixtures/page.ts";
import { makeGitGates, type Tools, type GitGates } from "../fixtures/git-gates.ts";

/** A PNG by its first bytes; the rest tells one from another. */
const png = (mark: string) =>
  Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.from(`\0${mark}`)]);

interface Changes {
  readonly way: GitGates;
  readonly tools: Tools;
  readonly page: TestPage;
}

async function newChanges(t: TestContext): Promise<Changes> {
  const way = makeGitGates();
  t.after(() => way.close());
  writeFileSync(join(way.repo, "logo.png"), png("old"));
  git(way.repo, ["add", "-A"]);
  git(way.repo, ["commit", "-q", "-m", "logo"]);
  const tools = way.open({ approvers: [(answerService) => queueApprover(answerService.queue)] });
  const page = openPage(t, tools.gate);
  const watcher = await page.context.answerService.queue.watch("serve", "http://127.0.0.1:7117");
  t.after(() => watcher.leave());
  return { way, tools, page };
}

async function stageReport({ way, tools, page }: Changes): Promise<string> {
  const pulling = tools.done("git_pull", {
    source: { type: "local", path: way.repo },
    paths: ["logo.png", "analysis.json"],
  });
  await answerNext(tools, page, pulling);
  await pulling;
  const write = (path: string, bytes: Buffer) =>
    tools.done("write_file", { path, content: bytes.toString("base64"), encoding: "base64" });
  await write("logo.png", png("new"));
  await write("fresh.png", png("fresh"));
  await write("fake.png", Buffer.from("\0<svg onload=alert(1)>"));
  await tools.write("<b>evil\u202e.md", "one\ntwo\n");
  await tools.write("analysis.json", '{\n  "period": "Q4-2024",\n  "status": "final"\n}\n');
  const { id } = await tools.stage(
    ["logo.png", "fresh.png", "fake.png", "<b>evil\u202e.md", "analysis.json"],
    "Report\n\nbody",
  );
  return id;
}

/** Some calls are asked about, some are not. */
async function answerNext({ gate }: Tools, page: TestPage, call: Promise<unknown>): Promise<void> {
  const asked = await Promise.race([waitingQuestion(gate), call.then(() => null)]);
  if (asked !== null)
    await page.post(`/api/questions/${asked.id}/answer`, {
      decision: "allow",
      scope: "once",
      digest: asked.action.digest,
    });
}

const digestOf = async (response: Response) =>
  createHash("sha256")
    .update(Buffer.from(await response.arrayBuffer()))
    .digest("hex");
const sha = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

test("a push: its files without lines, then each one's lines, and both sides of a picture; a yes lands it", async (t) => {
  const changes = await newChanges(t);
  const { way, tools, page } = changes;
  const commitId = await stageReport(changes);
  const pushing = tools.done("git_push", {
    commitId,
    target: { type: "local", path: way.repo, branch: "agent/report" },
  });
  const { id, diff = [] } = await waitingQuestion(tools.gate);
  const view = await page.get<QuestionView>(`/api/questions/${id}`);
  assert.deepEqual(view.push, {
    place: way.repo,
    branch: "agent/report",
    isNewBranch: true,
    isProtected: false,
    files: 5,
    message: "Report\n\nbody\n\nSallyport-Agent: default\n",
  });
  assert.equal(view.action?.message.startsWith("Report\n\nbody"), true);
  assert.deepEqual(
    view.files.map(({ path, operation, isPicture, lines }) => [path, operation, isPicture, lines]),
    [
      ["<b>evil\u202e.md", "create", false, 2],
      ["analysis.json", "update", false, 5],
      ["fake.png", "create", false, 1],
      ["fresh.png", "create", true, 0],
      ["logo.png", "update", true, 0],
    ],
  );
  assert.ok(view.files.every((file) => !("hunks" in file)));
  const read = await page.get<FileHunks>(`/api/questions/${id}/files/1`);
  const { diff: stored } = (await page.context.answerService.queue.find(id))?.question ?? {};
  assert.deepEqual(read.hunks, stored?.[1]?.hunks);
  assert.equal(diff.length, 0, "lists leave the diff out");

  const side = (n: number, which: string) => page.ask("GET", `/api/questions/${id}/files/${n}/${which}`);
  for (const [n, which, bytes] of [
    [4, "before", png("old")],
    [4, "after", png("new")],
    [3, "after", png("fresh")],
  ] as const) {
    const response = await side(n, which);
    assert.equal(response.status, 200, `${n} ${which}`);
    assert.equal(response.headers.get("content-type"), "image/png");
    assert.equal(await digestOf(response), sha(bytes));
  }
  assert.equal((await side(3, "before")).status, 404, "it was not there");
  assert.equal((await side(2, "after")).status, 415, "a name is not what makes a picture");
  assert.equal((await side(1, "after")).status, 415);
  for (const path of ["files/5", "files/x", "files/-1", "files/1/other", "files/5/after"])
    await page.refused(404, "GET", `/api/questions/${id}/${path}`);
  assert.equal((await page.get<QueueView>("/api/queue")).staged.length, 0, "it is asked about");

  await page.post(`/api/questions/${id}/answer`, { decision: "allow", scope: "once", digest: view.digest });
  const { commitSha } = await pushing;
  assert.equal(git(way.repo, ["rev-parse", "agent/report"]).trim(), commitSha);
});

test("bytes that are not those of the diff are not shown, whoever keeps them under that name", async (t) => {
  const changes = await newChanges(t);
  const { way, tools, page } = changes;
  const commitId = await stageReport(changes);
  // The person commits another picture of the same length meanwhile: what was pulled is not what the push replaces.
  writeFileSync(join(way.repo, "logo.png"), png("now"));
  git(way.repo, ["commit", "-q", "-am", "another logo"]);
  const pushing = tools.call("git_push", {
    commitId,
    target: { type: "local", path: way.repo, branch: "agent/report" },
  });
  const { id, action } = await waitingQuestion(tools.gate);
  assert.equal((await page.ask("GET", `/api/questions/${id}/files/4/before`)).status, 404);
  assert.equal((await page.ask("GET", `/api/questions/${id}/files/4/after`)).status, 200, "the control");
  await page.post(`/api/questions/${id}/answer`, { decision: "deny", scope: "once", digest: action.digest });
  await pushing;
});

test("a staged commit that nobody has asked about: its row, its files, its pictures; and then it is gone", async (t) => {
  const changes = await newChanges(t);
  const { tools, page } = changes;
  const id = await stageReport(changes);
  const { staged } = await page.get<QueueView>("/api/queue");
  assert.deepEqual(
    staged.map((row) => ({ ...row, created: "" })),
    [{ id, session: "seed", agent: "default", created: "", message: "Report\n\nbody", files: 5 }],
  );
  const view = await page.get<StagedView>(`/api/staged/${id}`);
  assert.deepEqual(
    view.view.map(({ path }) => path),
    ["<b>evil\u202e.md", "analysis.json", "fake.png", "fresh.png", "logo.png"],
  );
  const { hunks } = await page.get<FileHunks>(`/api/staged/${id}/files/0`);
  assert.deepEqual(
    hunks[0]?.lines.map(({ sign, text }) => sign + text),
    ["+one", "+two"],
  );
  assert.equal(await digestOf(await page.ask("GET", `/api/staged/${id}/files/4/before`)), sha(png("old")));
  assert.equal(await digestOf(await page.ask("GET", `/api/staged/${id}/files/4/after`)), sha(png("new")));
  assert.equal((await page.ask("GET", `/api/staged/${id}/files/2/after`)).status, 415);
  await tools.done("git_discard", { commitId: id });
  await page.refused(404, "GET", `/api/staged/${id}`);
  assert.deepEqual((await page.get<QueueView>("/api/queue")).staged, []);
});

test("what counts as a picture is in its first bytes", () => {
  const text = (latin1: string) => Buffer.from(latin1, "latin1");
  for (const [bytes, type] of [
    [png("x"), "image/png"],
    [text("\xff\xd8\xff\xe0"), "image/jpeg"],
    [text("GIF89a..."), "image/gif"],
    [text("RIFF\x01\x02\n\x04WEBPVP8 "), "image/webp"],
    [text("\0\0\0\x1cftypavif"), "image/avif"],
    [text("<svg xmlns='http://www.w3.org/2000/svg'/>"), null],
    [text("<?xml version='1.0'?><svg/>"), null],
    [text("\x00\x89PNG\r\n\x1a\n"), null],
    [text("RIFF....WAVE"), null],
    [text("GIF"), null],
    [text(""), null],
  ] as const)
    assert.equal(rasterType(bytes), type, String(bytes));
});
