// A commit that is discarded while a person looks at its push does not land, whatever they answer.

import assert from "node:assert/strict";
import test from "node:test";
import type { Approver } from "../../src/index.ts";
import { git } from "../fixtures/git.ts";
import { makeGitGates, type Tools } from "../fixtures/git-gates.ts";

for (const isDiscarded of [true, false])
  test(isDiscarded ? "discarded meanwhile: nothing lands" : "control: left alone, it lands", async (t) => {
    const world = makeGitGates();
    t.after(() => world.close());
    const other: Tools = world.open();
    const approver: Approver = {
      name: "slow",
      async ask({ action }) {
        if (isDiscarded) await other.done("git_discard", { commitId: id });
        return { decision: "allow", digest: action.digest, scope: "once", who: "a person", reason: null };
      },
    };
    const tools = world.open({ approvers: [approver] });
    await tools.write("new.md", "new\n");
    const { id } = await tools.stage(["new.md"], "new");
    const before = git(world.repo, ["rev-parse", "main"]);
    const reply = await tools.call("git_push", { commitId: id, target: { type: "local", path: ".", branch: "main" } });
    assert.equal(reply.ok ? "landed" : reply.error, isDiscarded ? "changed" : "landed");
    assert.equal(git(world.repo, ["rev-parse", "main"]) === before, isDiscarded);
    assert.equal(tools.events("commit.pushed").length, isDiscarded ? 0 : 1);
  });
