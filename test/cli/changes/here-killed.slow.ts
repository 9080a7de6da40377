// The same before every change of the project and of the session's draft.

import assert from "node:assert/strict";
import test from "node:test";
import { killHere } from "./here-killed.ts";

test("a landing in the files that is killed at any step leaves each file whole, and the same command ends it", (t) => {
  const count = killHere(t, (change) => /^\w+ (?:project|state\/drafts)\//.test(change));
  assert.ok(count > 15, `${count} steps`);
});
