// Files of packages in the state directory: kept whole or not at all, and the oldest go when there are too many.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import test, { type TestContext } from "node:test";
import type { PackageCache } from "../../src/network/open/package-cache.ts";
import { openPackageFiles } from "../../src/store/package-files.ts";
import { until } from "../fixtures/run.ts";

function newState(t: TestContext): string {
  const state = mkdtempSync(join(tmpdir(), "sallyport-packages-"));
  t.after(() => rmSync(state, { recursive: true, force: true }));
  return state;
}

async function keep(packages: PackageCache, key: string, content: Buffer): Promise<void> {
  await pipeline(
    Readable.from([content]),
    packages.keeping(key, ["ETag", '"é"'], content.length),
    new PassThrough().resume(),
  );
}

test("a file comes back with its headers, for its owner only", async (t) => {
  const state = newState(t);
  const content = Buffer.alloc(1 << 20, "abc");
  await keep(openPackageFiles(state), "one", content);
  const kept = await openPackageFiles(state).find("one");
  assert.deepEqual(kept?.headers, ["ETag", '"é"']);
  assert.ok(kept !== null);
  assert.ok(Buffer.concat(await kept.body.toArray()).equals(content));
  assert.equal(await openPackageFiles(state).find("other"), null);
  assert.equal(statSync(join(state, "packages")).mode & 0o777, 0o700);
  assert.equal(statSync(join(state, "packages/one")).mode & 0o777, 0o600);
});

test("the files that nobody asked for longest go first, and what killed gates left behind", async (t) => {
  const state = newState(t);
  const at = (name: string) => join(state, "packages", name);
  const packages = openPackageFiles(state, 100_000);
  writeFileSync(at("x.0123.new"), "of a gate that was killed");
  writeFileSync(at("y.0123.new"), "of one that is at work");
  utimesSync(at("x.0123.new"), 1, 1);
  for (const key of ["a", "b", "c"]) await keep(packages, key, Buffer.alloc(20_000, key));
  for (const [index, key] of ["a", "b", "c"].entries()) utimesSync(at(key), 1_000 + index, 1_000 + index);
  const used = await packages.find("a");
  used?.body.destroy();
  for (const key of ["d", "e"]) await keep(packages, key, Buffer.alloc(20_000, key));
  assert.deepEqual(readdirSync(join(state, "packages")).toSorted(), ["a", "d", "e", "y.0123.new"]);
});

test("a body that ends early, or late, is passed on and not kept", async (t) => {
  const state = newState(t);
  const packages = openPackageFiles(state);
  for (const length of [4, 6]) {
    const passed = new PassThrough();
    await pipeline(Readable.from([Buffer.from("12345")]), packages.keeping("key", [], length), passed);
    assert.equal(String(passed.read()), "12345");
    await until("its file is gone", () => readdirSync(join(state, "packages")).length === 0);
  }
  const broken = packages.keeping("key", [], 5);
  broken.write("12");
  await until("it writes", () => readdirSync(join(state, "packages")).length === 1);
  broken.destroy();
  await until("its file is gone", () => readdirSync(join(state, "packages")).length === 0);
});

test("a program that leaves with the last byte has its file kept", async (t) => {
  const state = newState(t);
  const content = Buffer.alloc(100_000, "abc");
  const keeping = openPackageFiles(state).keeping("key", [], content.length);
  let left = content.length;
  keeping.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left === 0) keeping.destroy();
  });
  for (let at = 0; at < content.length; at += 10_000) keeping.write(content.subarray(at, at + 10_000));
  keeping.end();
  await new Promise((resolve) => keeping.once("close", resolve));
  const kept = await openPackageFiles(state).find("key");
  assert.ok(kept !== null && Buffer.concat(await kept.body.toArray()).equals(content));
});

test("where nothing can be written, the body is passed on all the same", async (t) => {
  const state = newState(t);
  const packages = openPackageFiles(state);
  rmSync(join(state, "packages"), { recursive: true });
  const passed = new PassThrough();
  await pipeline(Readable.from([Buffer.from("12345")]), packages.keeping("key", [], 5), passed);
  assert.equal(String(passed.read()), "12345");
});
