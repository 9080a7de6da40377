// What a yes to a push is for: these bytes, this message, this target and branch, this old commit; once.

import { strict as assert } from "node:assert";
import { chmodSync, existsSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Approver, type Question, queueApprover } from "../../src/index.ts";
import { answerTo } from "../fixtures/approver.ts";
import { assertExactly, openPushBench, plain, type PushBench, type PushOptions, tryPlain } from "./push-bench.ts";
import type { World } from "./world.ts";

const targetOf = ({ repo }: World, branch: string) => ({ type: "local", path: repo, branch });
const queued: PushOptions = { approvers: [(answerService) => queueApprover(answerService.queue)], timeoutS: 1 };

/** A push that nobody has answered yet: its question, in the queue. */
async function ask(bench: PushBench, args: unknown): Promise<Question> {
  const watcher = await bench.gate.answerService.queue.watch("review");
  const known = new Set((await bench.gate.answerService.queue.waiting()).map(({ question }) => question.id));
  await bench.refused("git_push", args, "approval_timeout");
  await watcher.leave();
  const found = (await bench.gate.answerService.queue.waiting()).find(({ question }) => !known.has(question.id));
  assert.ok(found !== undefined, "it was not asked");
  return found.question;
}

function changeContents(world: World): void {
  const database = new DatabaseSync(join(world.directory, "state/staged.sqlite"));
  database.exec("UPDATE pieces SET bytes = CAST('evil' AS BLOB)");
  database.close();
}

export const pushBound: Readonly<Record<string, (world: World) => Promise<void>>> = {
  async "push-toctou-edit-after-stage"(world) {
    await using(world, {}, async (bench) => {
      await bench.write("a.md", "staged\n");
      const id = await bench.stage(["a.md"]);
      await bench.write("a.md", "rewritten\n");
      assertExactly(world.repo, await bench.push(id, "reports"), { "a.md": "staged\n" });
    });
  },
  async "push-toctou-edit-after-approve"(world) {
    await using(world, {}, async (bench) => {
      await bench.write("a.md", "reviewed\n");
      const [first, second] = [await bench.stage(["a.md"]), await bench.stage(["a.md"], "another")];
      const seen = await bench.done("Bash", {
        script: `ls ${world.directory}/state 2>&1; ls -R / 2>/dev/null | grep -c staged.sqlite`,
      });
      assert.match(String(seen["stdout"]), /No such file[^]*\n0\n/, "the worker reaches the staged bytes");
      bench.person.says = () => {
        changeContents(world);
        return {};
      };
      assertExactly(world.repo, await bench.push(first, "reports"), { "a.md": "reviewed\n" });
      await bench.refused("git_push", { commitId: second, target: targetOf(world, "other") }, "internal");
      assert.equal(bench.person.asked.length, 1, "what is not what it was is not even asked about");
      assert.notEqual(tryPlain(world.repo, "rev-parse", "--verify", "refs/heads/other").status, 0);
    });
  },
  async "push-toctou-restage-same-id"(world) {
    await using(world, queued, async (bench) => {
      await bench.write("a.md", "approved\n");
      const first = await bench.stage(["a.md"]);
      const question = await ask(bench, { commitId: first, target: targetOf(world, "reports") });
      await bench.gate.answerService.answer(question.id, answerTo(question));
      await bench.done("git_discard", { commitId: first });
      await bench.write("a.md", "another\n");
      const second = await bench.stage(["a.md"]);
      assert.notEqual(second, first);
      await bench.refused("git_push", { commitId: first, target: targetOf(world, "reports") }, "not_found");
      await bench.refused("git_push", { commitId: second, target: targetOf(world, "reports") }, "no_approver");
      assert.notEqual(tryPlain(world.repo, "rev-parse", "--verify", "refs/heads/reports").status, 0);
    });
  },
  async "push-toctou-change-target-after-approve"(world) {
    await using(world, queued, async (bench) => {
      await bench.write("a.md", "a\n");
      const id = await bench.stage(["a.md"]);
      const question = await ask(bench, { commitId: id, target: targetOf(world, "reports") });
      await bench.gate.answerService.answer(question.id, answerTo(question));
      const before = plain(world.repo, "rev-parse", "main");
      await bench.refused("git_push", { commitId: id, target: targetOf(world, "main") }, "no_approver");
      assert.equal(plain(world.repo, "rev-parse", "main"), before);
      await bench.push(id, "reports"); // the control: for that one, the answer is there
    });
  },
  async "push-toctou-approve-replay"(world) {
    await using(world, queued, async (bench) => {
      await bench.write("a.md", "a\n");
      const ids = [await bench.stage(["a.md"]), await bench.stage(["a.md"])];
      const question = await ask(bench, { commitId: ids[0], target: targetOf(world, "reports") });
      await bench.gate.answerService.answer(question.id, answerTo(question));
      await bench.push(ids[0] as string, "reports");
      const landed = plain(world.repo, "rev-parse", "refs/heads/reports");
      // The same push again is told what became of it, and does nothing; any other needs a yes of its own.
      await bench.push(ids[0] as string, "reports");
      assert.equal(plain(world.repo, "rev-parse", "refs/heads/reports"), landed);
      assert.equal([...bench.gate.journal.list({ event: "commit.pushed" })].length, 1);
      await bench.refused("git_push", { commitId: ids[0], target: targetOf(world, "again") }, "conflict");
      await bench.refused("git_push", { commitId: ids[1], target: targetOf(world, "again") }, "no_approver");
    });
  },
  async "push-toctou-symlink-swap-staging"(world) {
    const state = join(world.directory, "state");
    await using(world, {}, async (bench) => {
      await bench.write("a.md", "a\n");
      await bench.stage(["a.md"]);
    });
    const [file, elsewhere] = [join(state, "staged.sqlite"), join(world.out, "staged.sqlite")];
    renameSync(file, elsewhere);
    symlinkSync(elsewhere, file);
    assert.throws(() => openPushBench(world), /symbolic link/);
    rmSync(file);
    renameSync(elsewhere, file);
    renameSync(state, join(world.out, "state"));
    symlinkSync(join(world.out, "state"), state);
    chmodSync(join(world.out, "state"), 0o777);
    assert.throws(() => openPushBench(world), /can be written by others/);
  },
  async "push-toctou-approver-disconnect"(world) {
    const throwing: Approver = { name: "throws", ask: () => Promise.reject(new Error("gone")) };
    const hanging: Approver = { name: "hangs", ask: () => new Promise(() => undefined) };
    for (const [approver, error] of [
      [throwing, "no_approver"],
      [hanging, "approval_timeout"],
    ] as const) {
      await using(world, { approvers: [approver], timeoutS: 1 }, async (bench) => {
        await bench.write("a.md", `${approver.name}\n`);
        const commitId = await bench.stage(["a.md"]);
        await bench.refused("git_push", { commitId, target: targetOf(world, "reports") }, error);
      });
    }
    assert.notEqual(tryPlain(world.repo, "rev-parse", "--verify", "refs/heads/reports").status, 0);
  },
  async "push-toctou-default-approve"(world) {
    const answers: unknown[] = [
      undefined,
      null,
      {},
      "yes",
      1,
      true,
      { approved: true },
      { decision: "allow" },
      { decision: "yes", digest: "*" },
      [],
    ];
    for (const said of answers) {
      const approver: Approver = { name: "says", ask: () => Promise.resolve(said as never) };
      await using(world, { approvers: [approver], session: `says ${JSON.stringify(said)}` }, async (bench) => {
        await bench.write("a.md", "a\n");
        const commitId = await bench.stage(["a.md"]);
        await bench.refused("git_push", { commitId, target: targetOf(world, "reports") });
      });
    }
    assert.notEqual(tryPlain(world.repo, "rev-parse", "--verify", "refs/heads/reports").status, 0);
  },
  async "push-toctou-high-severity-main"(world) {
    await using(world, {}, async (bench) => {
      bench.person.says = () => ({ decision: "deny" });
      await bench.write("a.md", "a\n");
      const commitId = await bench.stage(["a.md"]);
      for (const [branch, severity] of [
        ["main", "high"],
        ["production", "high"],
        ["release-1", "high"],
        ["reports", "medium"],
      ]) {
        await bench.refused("git_push", { commitId, target: targetOf(world, branch as string) }, "approval_denied");
        const question = bench.person.asked.at(-1) as Question;
        assert.equal(question.severity, severity, branch);
        assert.equal(/which is PROTECTED/.test(question.text), severity === "high");
      }
    });
  },
  async "push-toctou-main-case"(world) {
    await using(world, {}, async (bench) => {
      bench.person.says = () => ({ decision: "deny" });
      await bench.write("a.md", "a\n");
      const commitId = await bench.stage(["a.md"]);
      for (const branch of ["Main", "MAIN", "refs/heads/main", "Release/1"]) {
        await bench.refused("git_push", { commitId, target: targetOf(world, branch) }, "approval_denied");
        const { severity, action } = bench.person.asked.at(-1) as Question;
        assert.deepEqual([severity, action.push?.branch], ["high", branch.replace("refs/heads/", "")], branch);
      }
      for (const branch of ["main^{}", " main", "main ", "heads/main", "ma\u200bin", "refs/tags/main"])
        await bench.refused("git_push", { commitId, target: targetOf(world, branch) }, "invalid_args");
      assert.equal(bench.person.asked.length, 4);
    });
  },
  async "push-toctou-new-branch"(world) {
    await using(world, {}, async (bench) => {
      await bench.write("a.md", "a\n");
      const { createdBranch } = await bench.done("git_push", {
        commitId: await bench.stage(["a.md"]),
        target: targetOf(world, "brand-new"),
      });
      assert.equal(createdBranch, true);
      assert.match(bench.person.asked[0]?.text ?? "", /branch +brand-new, which is NEW/);
    });
  },
  async "push-toctou-stage-no-approval"(world) {
    await using(world, { approvers: [] }, async (bench) => {
      await bench.write("a.md", "a\n");
      await bench.stage(["a.md"]);
      assert.equal(existsSync(join(world.repo, "a.md")), false);
    });
  },
};

async function using(world: World, options: PushOptions, work: (bench: PushBench) => Promise<void>): Promise<void> {
  const bench = openPushBench(world, options);
  try {
    await work(bench);
  } finally {
    bench.gate.close();
  }
}
