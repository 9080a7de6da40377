// Objects in a session's repository that are broken, huge or lead in a circle: staging its commits and `changes` refuse or go on, and nothing
// of it leaves the draft.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test, { type TestContext } from "node:test";
import { type Changer, newChanger } from "../fixtures/changed-session.ts";
import { isSampled } from "../fixtures/runs.ts";

interface Hostile {
  readonly name: string;
  /** Runs in the draft, after two commits that change a.txt and add b.txt. */
  readonly script: string;
  /** What git itself does with such a repository. */
  readonly plain: RegExp;
  /** Null if the commits can still be staged. */
  readonly refused: RegExp | null;
}

// The object that a commit needs, as a loose file.
const loose = `id=$(git rev-parse HEAD:b.txt); file=.git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-)`;

const cases: readonly Hostile[] = [
  {
    name: "an object that is cut off",
    script: `${loose}; chmod u+w $file; truncate -s 12 $file`,
    plain: /b\.txt|corrupt|inflate|unable|error/i,
    refused: /tool_failed/,
  },
  {
    name: "an object with the bytes of another",
    script: `${loose}; other=$(echo other | git hash-object -w --stdin); chmod u+w $file; cat .git/objects/$(echo $other | cut -c1-2)/$(echo $other | cut -c3-) > $file`,
    plain: /hash mismatch|corrupt|mismatch/i,
    refused: /tool_failed/,
  },
  {
    name: "a pack of nonsense beside an index of another",
    script: `git repack -qad; for p in .git/objects/pack/*.pack; do chmod u+w $p; size=$(stat -c %s $p); head -c $size /dev/urandom > $p; done`,
    plain: /pack|bad object|fatal|error/i,
    refused: /tool_failed|not_found/,
  },
  {
    name: "alternates that lead in a circle, and outside",
    script: `mkdir -p x/objects/info; echo $PWD/x/objects >> .git/objects/info/alternates; echo $PWD/.git/objects > x/objects/info/alternates; echo /etc >> x/objects/info/alternates; git add -A >/dev/null 2>&1 || true; git reset -q`,
    plain: /alternate: [^ ]*x\/objects/,
    refused: null,
  },
  {
    name: "a file of 70 MB in a small object",
    script: `head -c 70000000 /dev/zero > huge.bin; git add huge.bin; git commit -qm huge`,
    plain: /huge\.bin/,
    refused: /invalid_args: .*70000000 bytes/,
  },
  {
    name: "an object that claims to have a terabyte",
    script: `${loose}; chmod u+w $file; /usr/bin/python3 -c "import sys,zlib; sys.stdout.buffer.write(zlib.compress(b'blob 1099511627776\\0' + b'x' * 100))" > $file`,
    plain: /b\.txt|corrupt|error|fatal/i,
    refused: /tool_failed: .*cut off/,
  },
  {
    name: "thirty thousand files in a few objects",
    script: `tree=$(for i in {0..29}; do printf '100644 blob %s\\tf%s\\n' $(git rev-parse HEAD:b.txt) $i; done | git mktree)
      for level in 1 2 3; do tree=$(for i in {0..9}; do printf '040000 tree %s\\td%s\\n' $tree $i; done | git mktree); done
      git update-ref HEAD $(git commit-tree $tree -p HEAD -m many)`,
    plain: /d9\/d9\/d9\/f9|3000\d files changed|=> d0\/d0\/d0\/f0/,
    refused: /invalid_args: .*more than 20000 files/,
  },
  {
    name: "names that lead out of the tree, and into a repository",
    script: `id=$(git rev-parse HEAD:b.txt); entry() { printf '100644 %s\\0' "$1"; printf %s $id | /usr/bin/python3 -c "import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))"; }
      tree=$( (entry ..; entry .git; entry a/b) | git hash-object -t tree -w --literally --stdin)
      git update-ref HEAD $(git commit-tree $tree -p HEAD -m names)`,
    plain: /hasDotdot|hasDotgit|fullPathname/,
    refused: /invalid_args: .*a name that cannot land/,
  },
  {
    name: "a parent that is missing",
    script: `git update-ref --no-deref HEAD $(git cat-file commit HEAD | sed 's/^parent .*/parent 1234567890123456789012345678901234567890/' | git hash-object -t commit -w --literally --stdin)`,
    plain: /12345678/,
    refused: /tool_failed: .*Could not read 1234/,
  },
  {
    name: "a commit whose author is no author",
    script: `git update-ref HEAD $(git cat-file commit HEAD | sed 's/^author .*/author nobody/' | git hash-object -t commit -w --literally --stdin)`,
    plain: /missingEmail|bad author|author/i,
    refused: null,
  },
];

function refusal(person: Changer): string {
  const { out } = person.run(["call", "git_stage", '{"commits": "all"}', "--session", "fix"]);
  const reply = JSON.parse(out) as { ok: boolean; error?: string; message?: string };
  return reply.ok ? "" : `${reply.error}: ${reply.message}`;
}

function begin(t: TestContext): Changer {
  const person = newChanger(t, { "a.txt": "one\n" });
  person.bash(
    "fix",
    "git config gc.auto 0; echo two >> a.txt; git commit -qam first; echo b > b.txt; git add b.txt; git commit -qm second",
  );
  return person;
}

test("the control: the same commits, as git made them, are staged and land", (t) => {
  const person = begin(t);
  assert.equal(refusal(person), "");
  assert.equal(person.changes("land", "fix", "--commits", "--yes").code, 0);
  assert.equal(person.git("log", "--format=%s", "main..sallyport/fix"), "second\nfirst\n");
});

for (const { name, script, plain, refused } of cases) {
  if (!isSampled(name, String(refused === null))) continue;
  test(name, (t) => {
    const person = begin(t);
    person.bash("fix", script);
    // What plain git says in the same place.
    const said = person.run([
      "call",
      "Bash",
      JSON.stringify({
        script:
          "git fsck --full 2>&1; git show --stat HEAD 2>&1; git cat-file -p HEAD:b.txt 2>&1; git count-objects -v 2>&1",
      }),
      "--session",
      "fix",
    ]);
    assert.match(said.out, plain, "the control: git itself notices it");
    const before = person.git("for-each-ref") + person.git("count-objects", "-v");
    const answer = refusal(person);
    if (refused === null) assert.equal(answer, "");
    else assert.match(answer, refused);
    for (const words of [
      ["list"],
      ["diff", "fix"],
      ["land", "fix", "--commits", "--yes"],
      ["export", "fix", "--bundle", "b"],
    ]) {
      const done = person.changes(...words);
      assert.ok([0, 1].includes(done.code ?? -1), `${words.join(" ")}: ${done.code} ${done.err}`);
      assert.doesNotMatch(done.err, /\bat .*\.ts:\d+|Error:/, "a refusal, and not a fault");
    }
    person.git("fsck", "--strict", "--full");
    if (refused !== null) assert.equal(person.git("for-each-ref") + person.git("count-objects", "-v"), before);
    const fine = spawnSync("git", ["-C", person.project, "status", "--porcelain", "--ignored"], { encoding: "utf8" });
    assert.doesNotMatch(fine.stdout, /huge|x\//);
  });
}
