// The contract of a workspace in memory as a user without any rights.

import assert from "node:assert/strict";
import test from "node:test";
import { runTestsAsUser } from "../fixtures/other-user.ts";

const skip = process.getuid?.() !== 0 && "the tests run unprivileged already";

test("an unprivileged user has the same workspace in memory", { skip, timeout: 300_000 }, async (t) => {
  const { status, report, passed, failed } = await runTestsAsUser(t, ["test/sandbox/overlay.test.ts"]);
  assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
  assert.ok(passed > 80, `only ${passed} ran`);
  assert.match(report, /ok \d+ - unprivileged, with(?:out)? an overlay/);
});
