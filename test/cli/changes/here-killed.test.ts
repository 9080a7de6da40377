// A landing in the files that is killed. Every step is in the slow suite.

import assert from "node:assert/strict";
import test from "node:test";
import { killHere, landHere, setUp } from "./here-killed.ts";

test("a landing in the files that is killed leaves each file whole, and the same command ends it", (t) => {
  assert.equal(killHere(t, (change) => /^linkSync project\/(?:a|new\/deep)\.txt$/.test(change)), 2); // prettier-ignore
});

test("a deletion is not lost when the landing was killed while the file was aside, and one that has ended leaves nothing", (t) => {
  assert.equal(killHere(t, (change) => /^unlinkSync project\/gone\/|^rmSync .*\/landing$/.test(change)), 2); // prettier-ignore
});

test("what the session changes after its landing was killed lands with the next one", (t) => {
  for (const step of ["^linkSync project/b\\.txt$", "^rmSync .*/landing$"]) {
    const person = setUp(t);
    assert.equal(landHere(person, step, 1).signal, "SIGKILL", step);
    person.bash("fix", "sed -i '6a later' a.txt");
    const again = person.changes("land", "fix", "--here", "--yes");
    assert.equal(again.code, 0, `${step}: ${again.out}${again.err}`);
    const middle = "middle\n";
    assert.equal(person.read("a.txt"), `mine\n${middle.repeat(5)}later\n${middle.repeat(5)}agent\n`, step);
    assert.match(person.changes("list").out, /^No session has work/);
  }
});
