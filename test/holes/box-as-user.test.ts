// What was closed in root's boxes holds in those of an unprivileged user too: the same tests, run as one.

import assert from "node:assert/strict";
import test from "node:test";
import { runTestsAsUser } from "../fixtures/other-user.ts";

const skip = process.getuid?.() !== 0 && "the tests run unprivileged already";
const files = [
  "tools/program-path", // toolchains in a home
  "attacks/t47-programs-on-path",
  "holes/b1-kernel-files",
  "holes/b8-first-process",
  "holes/b9-device-files",
].map((name) => `test/${name}.test.ts`);

test(
  "toolchains, attacks on PATH, kernel files, the first process and device files",
  { skip, timeout: 240_000 },
  async (t) => {
    const { status, report, passed } = await runTestsAsUser(t, files);
    assert.equal(status, 0, report.slice(-10_000));
    assert.ok(passed >= 27, `only ${passed} ran`);
  },
);
