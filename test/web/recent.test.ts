import assert from "node:assert/strict";
import test from "node:test";
import { recent } from "../../src/web/recent.ts";

test("the last few are kept, the oldest goes; what is not there is asked for again", async () => {
  const asked: string[] = [];
  const read = recent(2, async (key) => {
    asked.push(key);
    return key === "none" ? undefined : key.toUpperCase();
  });
  for (const key of ["a", "b", "a", "c", "a", "b", "none", "none"]) await read(key);
  assert.deepEqual(asked, ["a", "b", "c", "b", "none", "none"]);
  assert.equal(await read("a"), "A");
});
