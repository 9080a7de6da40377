// Revisions: what git takes is taken, but for shell characters, blanks and what cannot be seen; a dash in front never is.

import assert from "node:assert/strict";
import test, { after } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { parseRevision } from "../../src/git/revision.ts";
import { makeTestDirectories } from "../fixtures/gate.ts";
import { commit, git, makeRepository, openGitGate, plainGit, ranGit } from "../fixtures/git.ts";
import { runs } from "../fixtures/runs.ts";

const directories = makeTestDirectories();
const repo = makeRepository(`${directories.root}/repo`);
commit(repo, "fix bug one", { "src/a b.ts": "x\n" });
git(repo, ["tag", "-a", "v1.0", "-m", "release"]);
git(repo, ["branch", "topic"]);
commit(repo, "third", { "a.txt": "changed\n" });
git(repo, ["checkout", "-q", "topic"]);
commit(repo, "on topic", { "t.txt": "t\n" });
git(repo, ["merge", "-q", "--no-ff", "-m", "merged", "main"]);
git(repo, ["branch", "--set-upstream-to=main"]);
const gate = openGitGate(directories);
after(() => {
  gate.close();
  directories.remove();
});

const accepts = (text: string): boolean => parseRevision(text).ok;
const short = git(repo, ["rev-parse", "--short", "HEAD"]).trim();

const revisions = [
  "HEAD",
  "@",
  "main",
  "HEAD~2",
  "HEAD^",
  "HEAD^2",
  "HEAD^2~1",
  "HEAD^{tree}",
  "HEAD^{/fix bug}",
  "HEAD^{}",
  "v1.0",
  "v1.0^{commit}",
  "v1.0^{}",
  "tags/v1.0",
  "refs/heads/main",
  "heads/topic",
  "HEAD@{0}",
  "HEAD@{1}",
  "@{-1}",
  "@{u}",
  "topic@{upstream}",
  "main@{0}",
  "HEAD@{now}",
  "main@{1 second ago}",
  ":/fix (bug) one",
  ":/third",
  "HEAD:src/a b.ts",
  "main:a.txt",
  ":a.txt",
  ":0:a.txt",
  "HEAD:",
  "HEAD:./a.txt",
  "^main",
  "main..topic",
  "main...topic",
  "main..",
  "..main",
  "HEAD^!",
  "HEAD^@",
  "HEAD^-1",
  "HEAD^-",
  short,
  `v1.0-2-g${short}`,
  "@{u}..HEAD",
  "HEAD@{0}..main@{0}",
];

for (const text of revisions) {
  test(`takes ${text}, and git knows what it means`, () => {
    assert.equal(plainGit(repo, ["rev-parse", "--end-of-options", text]).exitCode, 0, "the fixture has it");
    assert.ok(accepts(text), JSON.stringify(parseRevision(text)));
  });
}

const refused: [string, RegExp][] = [
  ["", /empty/],
  ["-p", /dash/],
  ["--output=x", /dash/],
  ["HEAD..--output=x", /dash/],
  ["HEAD...-x", /dash/],
  ["-x..HEAD", /dash/],
  ["/etc/passwd", /slash/],
  ["../../etc/passwd", /slash/],
  ["HEAD --output=x", /blank/],
  ["HEAD\t", /control/],
  ["HEAD\n", /control/],
  ["HEAD\0", /control/],
  ["HEAD\u202e", /invisible/],
  ["HEAD\u200b", /invisible/],
  ["HEAD@{1\u001b[2J}", /control/],
  ["\ud800", /invisible/],
  ["`id`", /shell/],
  ["$(id)", /shell/],
  ["a|b", /shell/],
  ["a;b", /shell/],
  ["a&b", /shell/],
  ["a>b", /shell/],
  ["a<b", /shell/],
  ["a*", /shell/],
  ["{a,b}", /shell/],
  ["HEAD!", /shell/],
  ["HEAD@{1", /brace/],
  ["HEAD^{/x", /brace/],
  ["a".repeat(201), /longer/],
];

for (const [text, why] of refused) {
  test(`refuses ${JSON.stringify(text.slice(0, 40))}, says why and what would pass`, () => {
    const parsed = parseRevision(text);
    assert.ok(!parsed.ok);
    assert.equal(parsed.failure.error, "invalid_args");
    assert.match(parsed.failure.message, /^ref: /);
    assert.match(parsed.failure.message, why);
    assert.match(parsed.failure.hint ?? "", /HEAD~2/);
  });
}

// By decision: what a shell would read as more than a name, blanks, and what a person cannot see.
const excluded = /[\s|&;<>()$`\\"'*?[\]{}!\p{Cc}\p{Cf}]/u;
const unit = fc.constantFrom(
  "a",
  "Z",
  "0",
  "feature",
  "lodash-4.17.21",
  "/",
  ".",
  "-",
  "_",
  "+",
  "#",
  "@",
  "%",
  "=",
  ",",
  "ü",
  "日本",
  "🚀",
  "é",
  "^",
  "~",
  ":",
  "..",
  "@{",
  ".lock",
  " ",
  "$",
  "'",
  "(",
  "!",
  "{",
  "}",
  "\u200d",
  "&",
);
const name = fc.array(unit, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));

test("every name that git takes for a branch and that holds none of the excluded characters is taken, and names the commit", async () => {
  const names = fc
    .sample(name, 500)
    .filter((text) => plainGit(repo, ["check-ref-format", `refs/heads/${text}`]).exitCode === 0);
  const head = git(repo, ["rev-parse", "HEAD"]).trim();
  // Each under a number of its own, so that `a` and `a/b` can both be there.
  const refs = names.map((text, index) => `n${index}/${text}`);
  git(repo, ["update-ref", "--stdin"], {
    input: refs.map((ref) => `create "refs/heads/${ref.replace(/["\\]/g, "\\$&")}" ${head}\n`).join(""),
  });
  const known = git(repo, ["cat-file", "--batch-check"], { input: refs.map((ref) => `${ref}\n`).join("") })
    .trim()
    .split("\n");
  const ordinary = refs.filter((ref) => !excluded.test(ref));
  assert.ok(ordinary.length > 40, `only ${ordinary.length} ordinary names of ${names.length}`);
  for (const [index, ref] of refs.entries()) {
    assert.equal(known[index], `${head} commit ${known[index]?.split(" ")[2]}`, ref);
    assert.equal(accepts(ref), !excluded.test(ref), JSON.stringify(ref));
  }
  for (const ref of ordinary.slice(0, 25)) {
    assert.equal((await ranGit(gate, repo, { op: "rev_parse", args: ["--verify"], ref })).stdout, `${head}\n`, ref);
  }
});

test("`git check-ref-format --branch` takes a bare name: so do we", () => {
  const most = runs(300, 50);
  let taken = 0;
  for (const text of fc.sample(name, most)) {
    if (excluded.test(text) || plainGit(repo, ["check-ref-format", "--branch", text]).exitCode !== 0) continue;
    taken += 1;
    assert.ok(accepts(text), JSON.stringify(text));
  }
  assert.ok(taken > most / 15, `only ${taken}`);
});

test("a ref that begins with a dash can be named in full, never by its bare name", async () => {
  git(repo, ["update-ref", "refs/heads/--output=x", "HEAD"]);
  assert.ok(!accepts("--output=x"));
  assert.equal(
    (await ranGit(gate, repo, { op: "rev_parse", args: ["--symbolic-full-name"], ref: "refs/heads/--output=x" }))
      .stdout,
    "refs/heads/--output=x\n",
  );
});

test("whatever is taken, git never reads it as an option", () => {
  const soup = fc
    .array(
      fc.oneof(unit, fc.constantFrom("-", "--", "-p", "--stdin", "--output=x", "HEAD", "@{1}", "^{/x}", ":/", "..")),
      { minLength: 1, maxLength: 5 },
    )
    .map((parts) => parts.join(""));
  const numRuns = runs(300, 100);
  let taken = 0;
  fc.assert(
    fc.property(soup, (text) => {
      if (!accepts(text)) return;
      taken += 1;
      assert.doesNotMatch(text, /^-/);
      // The hardest case: without --end-of-options, as rev-parse and blame get it.
      const { exitCode, stderr } = plainGit(repo, ["log", "-n", "1", "--format=%H", text, "--"]);
      assert.ok(exitCode === 0 || exitCode === 128, `${JSON.stringify(text)}: ${exitCode}, ${stderr}`);
      assert.doesNotMatch(stderr, /option|argument:|usage:/i);
    }),
    { numRuns },
  );
  assert.ok(taken > numRuns / 6, `only ${taken}`);
});
