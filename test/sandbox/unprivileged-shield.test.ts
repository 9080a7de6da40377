// Hiding in a draft as a user without any rights: programs of the draft are the same user, and can keep it from files.

import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import test from "node:test";
import { runTestsAsUser } from "../fixtures/other-user.ts";

const skip = process.getuid?.() !== 0 && "the tests run unprivileged already";

/** A directory of the user that holds one of root, with a hidden file in it. */
function makeDirectory(path: string, uid: number, mode: number): void {
  mkdirSync(`${path}/dir`, { recursive: true });
  writeFileSync(`${path}/dir/.env`, "SECRET=of another user\n");
  mkdirSync(`${path}/dir/below`);
  chownSync(path, uid, uid);
  chmodSync(`${path}/dir`, mode);
}

test("an unprivileged user's drafts hide what programs try to keep", { skip, timeout: 170_000 }, async (t) => {
  const { status, report, passed, failed } = await runTestsAsUser(t, ["test/runtime/draft-rights.test.ts"], {
    prepare(directory, uid) {
      makeDirectory(`${directory}/open`, uid, 0o755);
      makeDirectory(`${directory}/closed`, uid, 0o700);
    },
  });
  assert.equal(status, 0, `${failed.join("\n")}\n${report.slice(-20_000)}`);
  assert.ok(passed >= 10, `only ${passed} ran`);
  assert.doesNotMatch(report, /# SKIP/);
});
