// A landing in the files that is killed. Every step is in the slow suite.

import assert from "node:assert/strict";
import test from "node:test";
import { killHere } from "./here-killed.ts";

test("a landing in the files that is killed leaves each file whole, and the same command ends it", (t) => {
  assert.equal(killHere(t, (change) => /^linkSync project\/(?:a|new\/deep)\.txt$/.test(change)), 2); // prettier-ignore
});
