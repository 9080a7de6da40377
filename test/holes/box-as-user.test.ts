// What was closed in root's boxes holds in those of an unprivileged user too: the same tests, run as one.

import assert from "node:assert/strict";
import test from "node:test";
import { runTestsAsUser } from "../fixtures/other-user.ts";

const skip = process.getuid?.() !== 0 && "the tests run unprivileged already";
const files = ["b1-kernel-files", "b8-first-process", "b9-device-files"].map((name) => `test/holes/${name}.test.ts`);

test("toolchains in a home, and attacks on PATH, as an unprivileged user", { skip, timeout: 240_000 }, async (t) => {
  const own = ["test/tools/program-path.test.ts", "test/attacks/t47-programs-on-path.test.ts"];
  const { status, report, passed } = await runTestsAsUser(t, own);
  assert.equal(status, 0, report.slice(-10_000));
  assert.ok(passed >= 17, `only ${passed} ran`);
});

test(
  "kernel files, the first process and device files as an unprivileged user",
  { skip, timeout: 120_000 },
  async (t) => {
    const { status, report, passed } = await runTestsAsUser(t, files);
    assert.equal(status, 0, report.slice(-10_000));
    assert.ok(passed >= 10, `only ${passed} ran`);
  },
);
