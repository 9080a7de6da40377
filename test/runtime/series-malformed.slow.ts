// Hostile repositories of a session on which git itself waits, or works for a long time.

import assert from "node:assert/strict";
import test from "node:test";
import { beginSession, checkHostile, loose, plainGit, refusal } from "./series-malformed.ts";

test("a pipe in the place of an object: git waits for it until its time is over", (t) => {
  checkHostile(t, {
    name: "a pipe",
    script: `${loose}; rm -f $file; mkfifo $file`,
    plain: /cat-file ended with 124/,
    refused: /tool_failed: .*was not done in its time/,
  });
});

test("a pack of 200 MB that no commit to land needs does not stand in the way, and does not come along", (t) => {
  const person = beginSession(t);
  person.bash("fix", `for i in {1..200}; do head -c 1000000 /dev/urandom > f$i; done; git add f*; git commit -qm big; git reset -q --hard HEAD~1; git repack -qad --keep-unreachable`); // prettier-ignore
  assert.match(plainGit(person), /^size-pack: (?:19|20)\d{4}$/m, "the control: it is there");
  assert.equal(refusal(person), "");
  assert.equal(person.changes("land", "fix", "--commits", "--yes").code, 0);
  assert.match(person.git("count-objects", "-v"), /^size: \d{1,3}$/m);
  assert.equal(person.git("rev-list", "--count", "main..sallyport/fix"), "2\n");
});
