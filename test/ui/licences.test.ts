// The page and the extension go to people with the licences of what they contain.

import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { licenceOf, licencesFile } from "../../scripts/bundled-licences.ts";
import { noExtension } from "../extension/browser.ts";
import { noBrowser } from "./fixture.ts";

const root = join(import.meta.dirname, "../..");

for (const [directory, skip] of [
  ["ui", noBrowser],
  ["extension", noExtension],
] as const)
  test(`dist/${directory} has the licence of each package that is in it`, { skip }, () => {
    const built = join(root, "dist", directory);
    const text = readFileSync(join(built, licencesFile), "utf8");
    for (const name of ["preact", "highlight.js"])
      assert.ok(text.includes(readFileSync(join(root, "node_modules", name, "LICENSE"), "utf8").trim()), name);
    const code = globSync("**/*.js", { cwd: built }).map((file) => readFileSync(join(built, file), "utf8"));
    assert.ok(
      code.some((script) => script.includes("__k")) && code.some((script) => script.includes("hljs")),
      "the control: both are in it",
    );
    assert.doesNotMatch(text, /\/node_modules\/|\/home\/|\/tmp\//, "nothing of the machine that built it");
  });

test("a package without a licence text ends the build", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-licence-"));
  t.after(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, "package.json"), JSON.stringify({ name: "x", version: "1.0.0", license: "MIT" }));
  assert.throws(() => licenceOf(directory), /x is in the bundle, and has no licence text/);
  writeFileSync(join(directory, "LICENSE"), "Do what you like.\n");
  assert.equal(licenceOf(directory), "x 1.0.0 (MIT)\n\nDo what you like.");
});
