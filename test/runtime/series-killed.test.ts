// A series that is killed while it lands: nothing is lost, nothing is mixed, and the same push finishes it.

import assert from "node:assert/strict";
import test from "node:test";
import { landAndKill } from "./series-killed.ts";

test("a gate that is killed while it lands a series leaves old or new, the person's work, and no lock", async (t) => {
  assert.ok((await landAndKill(t, [1, 2, 3])) > 0, "some were killed");
});
