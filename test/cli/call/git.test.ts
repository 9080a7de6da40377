// `sallyport git`, typed as people type git.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import test, { type TestContext } from "node:test";
import { defaultConfigText } from "../../../src/config/default.ts";
import { newCliUser, type CliUser } from "../../fixtures/cli.ts";

/** With the built-in defaults: Git is granted, the project is seen. In memory, so that git shows the person's own repository. */
function personWithRepository(t: TestContext): CliUser {
  const person = newCliUser(t, null);
  writeFileSync(person.configFile, `${defaultConfigText}workspace: { kind: memory }\n`);
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: person.project });
  mkdirSync(`${person.project}/src`);
  writeFileSync(`${person.project}/a.txt`, "one\ntwo\n");
  writeFileSync(`${person.project}/src/b.txt`, "three\n");
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "first");
  writeFileSync(`${person.project}/a.txt`, "one\ntwo\nmore\n");
  return person;
}

test("operation, flags, revision and path are taken apart as git takes them", (t) => {
  const person = personWithRepository(t);
  assert.equal(person.run(["git", "status"]).out, " M a.txt\n");
  assert.match(person.run(["git", "log", "--oneline", "-n", "5"]).out, /^[0-9a-f]{7} first\n$/);
  assert.match(person.run(["git", "log", "--format=%s", "HEAD", "--", "src"]).out, /^first\n$/);
  assert.equal(person.run(["git", "show", "HEAD:src/b.txt"]).out, "three\n");
  assert.match(person.run(["git", "diff", "--stat"]).out, /a\.txt \| 1 \+/);
  assert.match(person.run(["git", "blame", "-L", "1,1", "a.txt"]).out, /one\n$/);
  assert.equal(person.run(["git", "ls-files"]).out, "a.txt\nsrc/b.txt\n");
});

test("git's own exit code is ours; what the tool refuses is 126; another operation is wrong use", (t) => {
  const person = personWithRepository(t);
  assert.equal(person.run(["git", "log", "no-such-branch"]).code, 128);
  const refused = person.run(["git", "log", "--output=made"]);
  assert.equal(refused.code, 126);
  assert.match(refused.err, /does not take "--output=made"/);
  assert.equal(existsSync(`${person.project}/made`), false);
  const pushed = person.run(["git", "push"]);
  assert.equal(pushed.code, 2);
  assert.match(pushed.err, /not one of the read-only operations/);
});
