// Drafts, native/keeper and the classes around it as a user without any rights.

import assert from "node:assert/strict";
import test from "node:test";
import { makeForeignFiles, SECOND_GROUP } from "../fixtures/foreign-files.ts";
import { runTestsAsUser } from "../fixtures/other-user.ts";
import { makeSmallDisks, withSmallDisks } from "../fixtures/small-disks.ts";

const skip = process.getuid?.() !== 0 && "the tests run unprivileged already";

test("an unprivileged user has the same drafts", { skip, timeout: 900_000 }, async (t) => {
  const files = [
    "test/native/keeper-seed.test.ts",
    "test/native/keeper-compare.test.ts",
    "test/sandbox/draft-holder.test.ts",
    "test/sandbox/draft-changes.test.ts",
    "test/sandbox/draft-pull.test.ts",
  ];
  const { status, report, passed, failed } = await runTestsAsUser(t, files);
  assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
  assert.ok(passed >= 31, `only ${passed} ran`);
  assert.match(report, /ok \d+ - a file that cannot be read is skipped\n/);
});

test("an unprivileged user has drafts", { skip, timeout: 900_000 }, async (t) => {
  const { status, report, passed, failed } = await runTestsAsUser(t, [
    "test/runtime/draft.test.ts",
    "test/runtime/draft-behind.test.ts",
    "test/runtime/draft-life.test.ts",
    "test/runtime/draft-bound.test.ts",
    "test/runtime/draft-hostile.test.ts",
    "test/runtime/draft-left-out.test.ts",
    "test/runtime/draft-swapped.test.ts",
    "test/runtime/draft-pull.test.ts",
  ]);
  assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
  assert.ok(passed > 15, `only ${passed} ran`);
});

test(
  "an unprivileged user's drafts begin, hide, hint and answer in the same way",
  { skip, timeout: 900_000 },
  async (t) => {
    const { status, report, passed, failed } = await runTestsAsUser(t, [
      "test/runtime/draft-begin.test.ts",
      "test/runtime/draft-default.test.ts",
      "test/runtime/draft-hidden-later.test.ts",
      "test/runtime/draft-guard.test.ts",
      "test/runtime/draft-person-works.test.ts",
      "test/runtime/draft-programs.test.ts",
      "test/runtime/draft-hints.test.ts",
      "test/runtime/draft-bounded-replies.test.ts",
      "test/runtime/draft-below-root.test.ts",
      "test/runtime/draft-rw-beside.test.ts",
    ]);
    assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
    assert.ok(passed >= 40, `only ${passed} ran`);
  },
);

for (const [name, least] of [
  ["draft-many", 1],
  ["draft-behind", 1],
  ["draft-pull-killed", 2],
] as const)
  test(`an unprivileged user: ${name}`, { skip, timeout: 900_000 }, async (t) => {
    const { status, report, passed, failed } = await runTestsAsUser(t, [`test/runtime/${name}.slow.ts`]);
    assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
    assert.ok(passed >= least, `only ${passed} ran`);
  });

test(
  "an unprivileged user has histories without what is hidden, and drafts that are read-only",
  { skip, timeout: 900_000 },
  async (t) => {
    const files = ["test/runtime/draft-filtered-history.test.ts", "test/runtime/draft-read-only.test.ts"];
    const { status, report, passed, failed } = await runTestsAsUser(t, files);
    assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
    assert.ok(passed >= 6, `only ${passed} ran`);
  },
);

test("an unprivileged user's gates, holders and boxes are killed", { skip, timeout: 900_000 }, async (t) => {
  const { status, report, passed, failed } = await runTestsAsUser(t, ["test/runtime/draft-killed.slow.ts"]);
  assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
  assert.ok(passed >= 4, `only ${passed} ran`);
});

test("an unprivileged user's disk is full", { skip, timeout: 900_000 }, async (t) => {
  let disks = { directory: "", uid: 0 };
  const { status, report, passed, failed } = await runTestsAsUser(t, ["test/runtime/draft-full.slow.ts"], {
    prepare(directory, uid) {
      makeSmallDisks(directory, uid);
      disks = { directory, uid };
    },
    around: (command) => withSmallDisks(disks.directory, disks.uid, command),
  });
  assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
  assert.ok(passed >= 2, `only ${passed} ran`);
});

test("an unprivileged user has drafts of projects with files of others", { skip, timeout: 900_000 }, async (t) => {
  const { status, report, passed, failed } = await runTestsAsUser(t, ["test/runtime/draft-owners.test.ts"], {
    groups: [SECOND_GROUP],
    prepare(directory, uid) {
      for (const n of [1, 2, 3]) makeForeignFiles(`${directory}/${n}`, uid);
    },
  });
  assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
  assert.ok(passed >= 3, `only ${passed} ran`);
  assert.doesNotMatch(report, /# SKIP/);
});
