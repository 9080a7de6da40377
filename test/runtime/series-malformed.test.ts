// Objects in a session's repository that are broken, huge or lead in a circle, and commits of what cannot land: staging them and `changes`
// refuse or go on, and nothing of it leaves the draft.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { isSampled } from "../fixtures/runs.ts";
import { beginSession, checkHostile, type Hostile, loose, marker, plainGit, refusal } from "./series-malformed.ts";

const cases: readonly Hostile[] = [
  {
    name: "an object that is cut off",
    script: `${loose}; chmod u+w $file; truncate -s 12 $file`,
    plain: /inflate|unable to unpack|corrupt loose object/,
    refused: /tool_failed/,
  },
  {
    name: "an object with the bytes of another",
    script: `${loose}; other=$(echo other | git hash-object -w --stdin); chmod u+w $file; cat .git/objects/$(echo $other | cut -c1-2)/$(echo $other | cut -c3-) > $file`,
    plain: /hash mismatch|hash-path mismatch/,
    refused: /tool_failed/,
  },
  {
    name: "a pack of nonsense beside an index of another",
    script: `git repack -qad; for p in .git/objects/pack/*.pack; do chmod u+w $p; size=$(stat -c %s $p); head -c $size /dev/urandom > $p; done`,
    plain: /not a (?:packfile|GIT packfile)|does not match|cannot be accessed|bad object HEAD/,
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
    plain: /0 -> 70000000 bytes/,
    refused: /invalid_args: .*70000000 bytes/,
  },
  {
    name: "an object that claims to have a terabyte",
    script: `${loose}; chmod u+w $file; /usr/bin/python3 -c "import sys,zlib; sys.stdout.buffer.write(zlib.compress(b'blob 1099511627776\\0' + b'x' * 100))" > $file`,
    plain: /0 -> 1099511627776 bytes/,
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
    plain: /missingNameBeforeEmail|missingEmail|badDate|missingSpaceBefore/,
    refused: null,
  },
  {
    name: "an entry that is a submodule",
    script: `git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; git commit -qm sub`,
    plain: /^160000 commit [0-9a-f]{40}\tsub$/m,
    refused: /invalid_args: .*the submodule sub/,
  },
  {
    name: "a name that is not UTF-8",
    script: `echo x > $(printf 'odd\\377'); git add -A; git commit -qm name`,
    plain: /"odd\\377"/,
    refused: /invalid_args: .*a name that cannot land/,
  },
  {
    name: "links that lead out of the project",
    script: `ln -s /etc/passwd absolute; ln -s ../../../outside upward; git add -A; git commit -qm links`,
    plain: /^120000 blob [0-9a-f]{40}\tabsolute$/m,
    refused: null,
  },
];

test("the control: the same commits, as git made them, are staged and land, and no case is like them", (t) => {
  const person = beginSession(t);
  const said = plainGit(person);
  for (const { name, plain } of cases) assert.doesNotMatch(said, plain, name);
  assert.equal(refusal(person), "");
  assert.equal(person.changes("land", "fix", "--commits", "--yes").code, 0);
  assert.equal(person.git("log", "--format=%s", "main..sallyport/fix"), "second\nfirst\n");
  assert.equal(existsSync(marker(person)), false);
  const [draft = ""] = readdirSync(join(person.state, "drafts"));
  const own = ["--git-dir", join(person.state, "drafts", draft, "git"), "--work-tree", person.project];
  spawnSync("git", [...own, "-c", "safe.directory=*", "status"]);
  assert.equal(existsSync(marker(person)), true, "plain git runs what the session's settings name");
});

for (const hostile of cases) {
  if (!isSampled(hostile.name, String(hostile.refused === null))) continue;
  test(hostile.name, (t) => checkHostile(t, hostile));
}
