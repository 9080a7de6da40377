// Landings as a user without any rights: the overlays of users keep their marks under other names, and the gate may not read every file.

import assert from "node:assert/strict";
import test from "node:test";
import { runTestsAsUser } from "../../fixtures/other-user.ts";

const skip = process.getuid?.() !== 0 && "the tests run unprivileged already";

test("landings of an unprivileged user are the same", { skip }, async (t) => {
  const files = ["landing", "late-landing"].map((name) => `test/sandbox/layer/${name}.test.ts`);
  const { status, report, passed, failed } = await runTestsAsUser(t, files);
  assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
  assert.ok(passed > 35, `only ${passed} ran`);
});
