// Documents must not name files that are gone: every path and every relative link in them is looked up.

import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import test from "node:test";
import { anchors, documentPaths, linkTargets, namedPaths, readDocument, requiredDocuments, root } from "./documents.ts";

function brokenLinks(path: string, markdown: string): string[] {
  return linkTargets(markdown).filter((link) => {
    if (/^[a-z][a-z+.-]*:/i.test(link)) return false;
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? join(root, path) : join(root, dirname(path), decodeURI(file));
    if (relative(root, target).startsWith("..")) return true;
    if (file !== "" && !existsSync(target)) return true;
    if (anchor === undefined || (!target.endsWith(".md") && file !== "")) return false;
    const text = file === "" ? markdown : statSync(target).isFile() ? readFileSync(target, "utf8") : "";
    return !anchors(text).has(decodeURIComponent(anchor).toLowerCase());
  });
}

function missingPaths(markdown: string): string[] {
  return namedPaths(markdown).filter((path) =>
    /[*{]/.test(path) ? globSync(path, { cwd: root }).length === 0 : !existsSync(join(root, path)),
  );
}

test("the documents every project owes its readers are there", () => {
  assert.deepEqual(
    requiredDocuments.filter((path) => !existsSync(join(root, path))),
    [],
  );
});

for (const path of documentPaths().filter((name) => existsSync(join(root, name)))) {
  test(`${path} names only what exists`, () => {
    const markdown = readDocument(path);
    assert.deepEqual({ links: brokenLinks(path, markdown), paths: missingPaths(markdown) }, { links: [], paths: [] });
  });
}

test("broken links and paths are seen", () => {
  const markdown = [
    "# A heading, with `code`",
    "[gone](docs/gone.md) [no anchor](#nowhere) [outside](../x.md) [other](SECURITY.md#nowhere)",
    "`src/gone.ts` `test/gone/*.test.ts` `GONE.md`",
    "[fine](#a-heading-with-code) [fine](package.json) [fine](https://example.com/x) `scripts/prepare.js:3` `src/shared/`",
    "```sh",
    "[not read](in/a/block.md)",
    "```",
  ].join("\n");
  assert.deepEqual(brokenLinks("README.md", markdown), ["docs/gone.md", "#nowhere", "../x.md", "SECURITY.md#nowhere"]);
  assert.deepEqual(missingPaths(markdown), ["src/gone.ts", "test/gone/*.test.ts", "GONE.md"]);
});
