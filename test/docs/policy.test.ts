// The calls that docs/cli.md and docs/policy.md let `policy explain` explain: each shows effects and rules, as they say.

import assert from "node:assert/strict";
import test from "node:test";
import { newCliUser } from "../fixtures/cli.ts";
import { readDocument } from "./documents.ts";

for (const path of ["docs/cli.md", "docs/policy.md"])
  test(`the example of policy explain in ${path} explains`, (t) => {
    const markdown = readDocument(path);
    const [, rule = ""] = /^sallyport policy add '(.*push.*?)'/m.exec(markdown) ?? [];
    const [, tool = "", call = ""] = /^sallyport policy explain (\w+) '(.*)'$/m.exec(markdown) ?? [];
    const person = newCliUser(t);
    assert.equal(person.run(["policy", "add", rule]).code, 0, rule);
    const { code, out } = person.run(["policy", "explain", tool, call]);
    assert.equal(code, 1);
    assert.match(out, /deny {3}run .*git.*\n[\s\S]* deny {2}rule r-\w+ \(this project\) decides/);
    assert.match(out, /\nNothing was run, and nothing was written down\.\n$/);
  });
