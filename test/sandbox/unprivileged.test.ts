// The sandbox contract as a user without any rights. That of a workspace in memory is in the slow suite.

import assert from "node:assert/strict";
import test from "node:test";
import { runTestsAsUser } from "../fixtures/other-user.ts";

const skip = process.getuid?.() !== 0 && "the tests run unprivileged already";

test("an unprivileged user has the same contract", { skip, timeout: 170_000 }, async (t) => {
  const { status, report, passed, failed } = await runTestsAsUser(t, ["test/sandbox/sandbox-contract.test.ts"]);
  assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
  assert.ok(passed > 100, `only ${passed} ran`);
  assert.match(report, /unprivileged: guards/);
});
