// The same at every visible step, and further.

import assert from "node:assert/strict";
import test from "node:test";
import { landAndKill } from "./series-killed.ts";

test("a gate that is killed at any visible step of landing a series leaves old or new", async (t) => {
  const steps = Array.from({ length: 20 }, (_, index) => index + 1);
  assert.ok((await landAndKill(t, steps)) > 3, "some were killed");
});
