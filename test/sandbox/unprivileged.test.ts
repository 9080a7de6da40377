// The sandbox contract as a user without any rights: all of it, and that of a workspace in memory, in the slow suite.

import assert from "node:assert/strict";
import test from "node:test";
import { runTestsAsUser } from "../fixtures/other-user.ts";
import { isFull } from "../fixtures/runs.ts";

const skip = process.getuid?.() !== 0 && "the tests run unprivileged already";

test("an unprivileged user has the same contract", { skip, timeout: 170_000 }, async (t) => {
  const file = isFull ? "test/sandbox/sandbox-contract.test.ts" : "test/contracts/sandbox-rights.ts";
  const { status, report, passed, failed } = await runTestsAsUser(t, [file]);
  assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
  assert.ok(passed > (isFull ? 100 : 60), `only ${passed} ran`);
  assert.match(report, /unprivileged: what others execute later/);
});
