import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { openTempDirectory } from "../../src/store/temp-directory.ts";

test("it belongs to its owner alone, holds what is written, and goes whole", () => {
  const place = openTempDirectory("sallyport-throw-away-");
  assert.equal(statSync(place.path).mode & 0o777, 0o700);
  const file = place.write("a/b/script", "one two one", 0o700);
  assert.equal(statSync(file).mode & 0o777, 0o700);
  assert.equal(place.overwrite("a/b/script", "one", "six"), 2);
  assert.equal(readFileSync(file, "utf8"), "six two six");
  assert.throws(() => place.overwrite("a/b/script", "six", "longer"), TypeError);
  chmodSync(place.makeDirectory("shut"), 0);
  place.remove();
  assert.equal(existsSync(place.path), false);
});

test("a link in it leads nowhere when it goes", (t) => {
  const other = mkdtempSync(join(tmpdir(), "sallyport-other-"));
  t.after(() => rmSync(other, { recursive: true, force: true }));
  writeFileSync(join(other, "kept"), "");
  chmodSync(other, 0o500);
  const place = openTempDirectory("sallyport-throw-away-");
  symlinkSync(other, join(place.path, "link"));
  place.remove();
  assert.equal(existsSync(join(other, "kept")), true);
  assert.equal(statSync(other).mode & 0o777, 0o500);
});
