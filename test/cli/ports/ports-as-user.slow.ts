// Ports of boxes, as a user without any rights: boxes are then in user namespaces, which `keeper reach` has to enter.

import assert from "node:assert/strict";
import test from "node:test";
import { runTestsAsUser } from "../../fixtures/other-user.ts";

const skip = process.getuid?.() !== 0 && "the tests run unprivileged already";

test("an unprivileged user sees and forwards ports", { skip, timeout: 300_000 }, async (t) => {
  const { status, report, passed, failed } = await runTestsAsUser(t, [
    "test/cli/ports/ports.test.ts",
    "test/attacks/t67-forwarded-ports.test.ts",
  ]);
  assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
  assert.ok(passed >= 6, `only ${passed} ran`);
});
