// The tables of facts in the documents are those that the code makes.

import assert from "node:assert/strict";
import test from "node:test";
import { withFacts } from "../../scripts/document-facts.ts";
import { documentPaths, readDocument } from "./documents.ts";

for (const path of documentPaths())
  test(`the facts of ${path} are the code's (else: node scripts/write-docs.ts)`, () => {
    const markdown = readDocument(path);
    assert.equal(markdown, withFacts(markdown));
  });

test("a table that was edited by hand is seen, and so is a name that nobody knows", () => {
  const edited = "<!-- facts: errors -->\n| `error` | when |\n<!-- end -->\n";
  assert.notEqual(withFacts(edited), edited);
  assert.throws(() => withFacts("<!-- facts: nothing -->\n<!-- end -->"), /no facts called nothing/);
});
