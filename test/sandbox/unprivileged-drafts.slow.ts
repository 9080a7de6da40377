// Drafts, native/keeper and the classes around it as a user without any rights.

import assert from "node:assert/strict";
import test from "node:test";
import { runTestsAsUser } from "../fixtures/other-user.ts";

const skip = process.getuid?.() !== 0 && "the tests run unprivileged already";

test("an unprivileged user has the same drafts", { skip, timeout: 300_000 }, async (t) => {
  const files = [
    "test/native/keeper-seed.test.ts",
    "test/sandbox/draft-holder.test.ts",
    "test/sandbox/draft-changes.test.ts",
  ];
  const { status, report, passed, failed } = await runTestsAsUser(t, files);
  assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
  assert.ok(passed >= 26, `only ${passed} ran`);
  assert.match(report, /ok \d+ - a file that cannot be read is skipped\n/);
});

test("an unprivileged user has drafts", { skip, timeout: 300_000 }, async (t) => {
  const { status, report, passed, failed } = await runTestsAsUser(t, ["test/runtime/draft.test.ts"]);
  assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
  assert.ok(passed > 10, `only ${passed} ran`);
});
