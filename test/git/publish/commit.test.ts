// Commits: the bytes that git writes for the same people, dates, parents and message; nothing in a field becomes a header.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "../../fixtures/fast-check.ts";
import { type CommitContent, encodeCommit, landedMessage, type Signature } from "../../../src/git/publish/commit.ts";
import { objectId } from "../../../src/git/publish/object.ts";
import { bareRepository, formats, git, hashes, tryGit } from "./real-git.ts";
import { runs } from "../../fixtures/runs.ts";

const ada: Signature = { name: "Ada", email: "ada@example.org", timeS: 1_767_225_600, offsetMinutes: 90 };
const emptyTree = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

function encoded(change: Partial<CommitContent>): Uint8Array {
  const answer = encodeCommit({
    tree: emptyTree.sha1,
    parents: [],
    author: ada,
    committer: ada,
    message: "m",
    ...change,
  });
  assert.ok(answer.ok, answer.ok ? "" : answer.failure.message);
  return answer.value;
}

function refusal(change: Partial<CommitContent>): string {
  const answer = encodeCommit({
    tree: emptyTree.sha1,
    parents: [],
    author: ada,
    committer: ada,
    message: "m",
    ...change,
  });
  return answer.ok ? "" : answer.failure.message;
}

const zone = (minutes: number): string =>
  `${minutes < 0 ? "-" : "+"}${String(Math.floor(Math.abs(minutes) / 60)).padStart(2, "0")}${String(Math.abs(minutes) % 60).padStart(2, "0")}`;

// No dot: git before 2.44 takes it off the ends.
const nameGiven = fc
  .array(
    fc.constantFrom("A", "da", " ", "<", ">", "\n", ",", ":", '"', "\\", "'", ";", "ü", "日", "😀", "-", "\t", "\x1f"),
    { maxLength: 8 },
  )
  .map((parts) => `${parts.join("")}`);

for (const format of formats) {
  const repository = bareRepository(format);
  assert.equal(git(repository, ["mktree"]), emptyTree[format]);
  const first = git(repository, ["commit-tree", emptyTree[format], "-m", "first"], "", {
    ...environmentOf("AUTHOR", ada),
    ...environmentOf("COMMITTER", ada),
  });

  test(`${format}: people, dates, parents and message as git commit-tree writes them`, async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        nameGiven,
        nameGiven,
        fc.integer({ min: 100_000_001, max: 2_000_000_000 }),
        // Git itself takes -0001 for "no zone given".
        fc.integer({ min: -14 * 60, max: 14 * 60 }).filter((minutes) => minutes !== -1),
        fc
          .string({ unit: "binary", minLength: 1 })
          .filter(
            (text) =>
              !text.includes("\0") &&
              text.isWellFormed() &&
              !/\p{Noncharacter_Code_Point}/u.test(text) &&
              /[\p{L}\p{N}\p{P}]/u.test(text.replace(/\p{Default_Ignorable_Code_Point}/gu, "")) &&
              !text.startsWith("-"),
          ),
        fc.boolean(),
        async (name, email, timeS, offsetMinutes, message, hasParent) => {
          const author: Signature = { name, email, timeS, offsetMinutes };
          const answer = encodeCommit({
            tree: emptyTree[format],
            parents: hasParent ? [first] : [],
            author,
            committer: ada,
            message,
          });
          const theirs = tryGit(
            repository,
            ["commit-tree", emptyTree[format], ...(hasParent ? ["-p", first] : []), "-m", message],
            "",
            { ...environmentOf("AUTHOR", author), ...environmentOf("COMMITTER", ada) },
          );
          // An empty name makes git look the account's up; ours never does.
          if (!answer.ok) {
            refused += 1;
            assert.ok(theirs.exitCode !== 0 || name === "", JSON.stringify({ name, message, theirs: theirs.stderr }));
            return;
          }
          assert.equal(theirs.exitCode, 0, theirs.stderr);
          assert.equal(
            await objectId(hashes[format], "commit", answer.value),
            theirs.stdout.toString().trim(),
            JSON.stringify(author),
          );
        },
      ),
      { numRuns: runs(150) },
    );
    assert.ok(refused < 75, `${refused} of 150 were refused`);
  });
}

function environmentOf(
  role: "AUTHOR" | "COMMITTER",
  { name, email, timeS, offsetMinutes }: Signature,
): Record<string, string> {
  return {
    [`GIT_${role}_NAME`]: name,
    [`GIT_${role}_EMAIL`]: email,
    [`GIT_${role}_DATE`]: `${timeS} ${zone(offsetMinutes)}`,
  };
}

test("trailers stand where git interpret-trailers would put them", () => {
  const repository = bareRepository("sha1");
  const messages = [
    "title",
    "title\n",
    "title\n\nbody",
    "title\n\nbody\n\nSigned-off-by: Ada <ada@example.org>",
    "fix: thing",
    "title\n\nA: b\n continued\nC: d\n",
    "title\n\nA: b\nnot one\n",
    "title\n\nbody\n\n\n",
  ];
  for (const message of messages) {
    const ours = landedMessage(message, "claude");
    const theirs = tryGit(
      repository,
      ["interpret-trailers", "--no-divider", "--trailer", "Sallyport-Agent: claude"],
      message.trimEnd() + "\n",
    );
    assert.equal(ours.ok ? ours.value : "", theirs.stdout.toString(), JSON.stringify(message));
  }
});

test("a trailer stays one line, whatever the agent is called", () => {
  const text = Buffer.from(
    encoded({ trailers: [{ key: "Sallyport-Agent", value: "x\nSigned-off-by: Ada\r\u2028y" }] }),
  ).toString();
  assert.ok(text.endsWith("\n\nm\n\nSallyport-Agent: x Signed-off-by: Ada y\n"), text);
});

test("a name or an address cannot add a header or another person", () => {
  const evil = { ...ada, name: "Ada <root@example.org> 0 +0000\ncommitter Eve", email: "a>\nparent 0" };
  const lines = Buffer.from(encoded({ author: evil }))
    .toString()
    .split("\n");
  assert.deepEqual(lines.slice(1), [
    "author Ada root@example.org 0 +0000committer Eve <aparent 0> 1767225600 +0130",
    "committer Ada <ada@example.org> 1767225600 +0130",
    "",
    "m",
    "",
  ]);
});

test("the message is left alone but for the line feed at its end", () => {
  for (const message of ["a", "a\n", "a\n\n\n", "  a  ", "# not a comment\r\n"]) {
    const text = Buffer.from(encoded({ message })).toString();
    assert.ok(text.endsWith(`\n\n${message.endsWith("\n") ? message : `${message}\n`}`), JSON.stringify(message));
  }
});

test("what git could not read back is refused", () => {
  assert.match(refusal({ message: " \n\t" }), /message: is empty/);
  assert.match(refusal({ message: "a\0b" }), /message: holds a NUL/);
  assert.match(refusal({ message: "\ud800" }), /message: holds half/);
  assert.match(refusal({ message: "a\ufffe" }), /Unicode rules out/);
  assert.match(refusal({ author: { ...ada, name: " <> " } }), /author: the name is empty/);
  assert.match(refusal({ committer: { ...ada, name: "a\0" } }), /committer: holds a NUL/);
  assert.match(refusal({ author: { ...ada, timeS: 1.5 } }), /whole seconds/);
  assert.match(refusal({ author: { ...ada, timeS: -1 } }), /whole seconds/);
  assert.match(refusal({ author: { ...ada, offsetMinutes: 24 * 60 } }), /whole minutes/);
  assert.match(refusal({ trailers: [{ key: "a b", value: "c" }] }), /no name for a trailer/);
  assert.match(refusal({ trailers: [{ key: "A", value: " \n " }] }), /A has no value/);
});
