// A person mends a repository in the browser alone: signed in, opened, edited, run, staged, asked about, pushed.

import assert from "node:assert/strict";
import test from "node:test";
import type { QuestionView, StatsView } from "../../../src/web/api.ts";
import type { BranchList, FileList, DraftFile, RepositoryList } from "../../../src/web/api-work.ts";
import { noExtension } from "../browser.ts";
import { runInPage } from "../in-page.ts";
import { type CallReply, openOwnGate, type OwnGate, token } from "./open-gate.ts";

const done = ({ ok, result, message }: CallReply): Record<string, unknown> => {
  assert.ok(ok, message);
  return result ?? {};
};

async function call(
  gate: OwnGate,
  tool: string,
  args: object,
): Promise<{ reply: CallReply; asked: readonly QuestionView[] }> {
  const { value, asked } = await gate.withYes(gate.ask<CallReply>("POST", "/api/work/call", { tool, arguments: args }));
  assert.equal(value.status, 200, JSON.stringify(value.body));
  return { reply: value.body, asked };
}

const write = (gate: OwnGate, path: string, text: string, hash: string | null) =>
  gate.ask<CallReply>("PUT", "/api/work/file", { path, text, hash });

async function branchHead(gate: OwnGate, branch: string): Promise<string> {
  const answer = await fetch(`${gate.emulatorUrl}/repos/octo/r0/branches/${branch}`);
  return ((await answer.json()) as { commit: { sha: string } }).commit.sha;
}

test(
  "a repository is opened, edited, tried, reviewed and pushed, and the record says who",
  { skip: noExtension },
  async (t) => {
    const gate = await openOwnGate(t);
    if (gate === null) return;
    const { ask } = gate;
    assert.equal((await gate.state()).account, null);
    assert.equal((await ask("GET", "/api/work/repositories")).status, 400, "nobody is signed in yet");
    await gate.signIn();
    const listed = await ask<RepositoryList>("GET", "/api/work/repositories?search=r0");
    assert.deepEqual(
      listed.body.repositories.map(({ name }) => name),
      ["octo/r0"],
    );
    const branches = await ask<BranchList>("GET", "/api/work/branches?repository=octo/r0");
    assert.deepEqual(branches.body.branches, ["main"]);

    const before = await branchHead(gate, "main");
    await gate.open();
    const { open } = await gate.state();
    assert.deepEqual([open?.repository, open?.branch, open?.commit, open?.changed], ["octo/r0", "main", before, 0]);
    const readme = (await ask<DraftFile>("GET", "/api/work/file?path=README.md")).body;
    assert.match(readme.text ?? "", /r0/);

    assert.ok((await write(gate, "dates.py", "def day(text):\n    return text[:10]\n", null)).body.ok);
    const lost = await write(gate, "README.md", "mine\n", "0".repeat(64));
    assert.equal(lost.body.error, "changed", "it was not what is there");
    assert.ok((await write(gate, "README.md", `${readme.text}Mended.\n`, readme.hash)).body.ok);
    const files = (await ask<FileList>("GET", "/api/work/files")).body.files;
    assert.deepEqual(
      files.map(({ path, change }) => `${path} ${change}`),
      ["README.md modified", "dates.py added"],
    );
    const changes = (await ask<{ digest: string; view: { path: string }[] }>("GET", "/api/work/changes")).body;
    assert.deepEqual(
      changes.view.map(({ path }) => path),
      ["README.md", "dates.py"],
    );
    const hunks = await ask("GET", `/api/work/changes/${changes.digest}/files/0`);
    assert.match(JSON.stringify(hunks.body), /Mended\./);

    await t.test("Bash and Python run in the box", async () => {
      const bash = done(
        (await call(gate, "Bash", { script: "grep -c return dates.py > count.txt; cat count.txt" })).reply,
      );
      assert.deepEqual([bash["stdout"], bash["exit_code"]], ["1\n", 0], JSON.stringify(bash));
      assert.deepEqual(
        (bash["artifacts"] as { path: string }[]).map(({ path }) => path),
        ["/workspace/count.txt"],
      );
      const { filesystem, network, wall_clock, memory, cpu } = bash["enforced"] as Record<string, string>;
      assert.deepEqual([filesystem, network, wall_clock, memory, cpu], ["runtime", "runtime", "runtime", "no", "no"]);
      const code = "import dates\nprint(dates.day('2026-11-19T02:00'))";
      const python = done((await call(gate, "Python", { code })).reply);
      assert.equal(python["stdout"], "2026-11-19\n", JSON.stringify(python));
      const open = (await call(gate, "Bash", { script: "true", needs: { network: true } })).reply;
      assert.equal(open.error, "net_denied", "no answer opens a network that is not there");
      done((await call(gate, "delete_file", { path: "count.txt" })).reply);
    });

    const staged = done(
      (await call(gate, "git_stage", { files: ["README.md", "dates.py"], message: "Mend the dates" })).reply,
    );
    const { reply, asked } = await call(gate, "git_push", { commitId: staged["id"] });
    const pushed = done(reply);
    const question = asked.find(({ push }) => push !== null);
    assert.deepEqual(
      question?.files.map(({ path }) => path),
      ["README.md", "dates.py"],
    );
    assert.equal(pushed["commitSha"], await branchHead(gate, "main"), "what was reviewed is what is there");
    assert.equal((await gate.state()).open?.changed, 0);

    const { body: stats } = await ask<StatsView>("GET", "/api/stats");
    assert.equal(stats.calls_without_end.length, 0);
    const { body: verified } = await ask("GET", "/api/verification");
    assert.equal(verified["ok"], true, JSON.stringify(verified));
    const log = JSON.stringify((await ask("GET", "/api/log?limit=200")).body) + JSON.stringify(stats);
    const answers = await ask("GET", "/api/log?event=approval.answered");
    assert.match(JSON.stringify(answers.body), /octo in the side panel/);
    assert.ok(!log.includes(token), "the record has no token");
    const kept = await runInPage<string>(gate.browser.worker, "chrome.storage.local.get(null).then(JSON.stringify)");
    assert.ok(!kept.includes(token), "it is in memory alone");
  },
);
