import assert from "node:assert/strict";
import test from "node:test";
import { newCliUser } from "../../fixtures/cli.ts";

test("changes and each of its parts say what they do, with examples", (t) => {
  const person = newCliUser(t);
  const { code, out } = person.run(["changes", "--help"]);
  assert.equal(code, 0);
  for (const name of ["list", "diff", "land", "discard", "restore", "export"])
    assert.match(out, new RegExp(`^  ${name} `, "m"));
  assert.match(out, /Examples:\n {2}sallyport changes\n[^]*Exit code: 0/);
  for (const name of ["diff", "land", "discard", "restore", "export"]) {
    const help = person.run(["changes", name, "--help"]);
    assert.equal(help.code, 0);
    assert.match(help.out, new RegExp(`^Usage: sallyport changes ${name} [^]*Examples:\n {2}sallyport changes `), name);
  }
});

test("what there is not is wrong use", (t) => {
  const person = newCliUser(t);
  for (const args of [["nothing"], ["diff", "--nothing"], ["land", "--branch"]]) {
    const { code, err } = person.run(["changes", ...args]);
    assert.deepEqual([code, err.startsWith("sallyport: ")], [2, true], args.join(" "));
  }
});
