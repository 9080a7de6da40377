// What takes long is not made again at once; what is quick always is.

import assert from "node:assert/strict";
import test from "node:test";
import { costly } from "../../src/web/costly.ts";
import { recent } from "../../src/web/recent.ts";

function busy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

test("quick: made anew with each key, and only then", () => {
  let [key, made] = [1, 0];
  const read = costly(
    () => key,
    () => (made += 1),
  );
  assert.deepEqual([read(), read()], [1, 1]);
  key = 2;
  assert.deepEqual([read(), read()], [2, 2]);
});

test("slow: another key is not enough for a while", () => {
  let [key, made] = [1, 0];
  const read = costly(
    () => key,
    () => {
      busy(100);
      return (made += 1);
    },
  );
  assert.equal(read(), 1);
  key = 2;
  assert.equal(read(), 1, "kept");
  busy(1_100);
  for (let tries = 0; tries < 50 && read() === 1; tries += 1) busy(200);
  assert.equal(read(), 2, "made in the end");
});

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
