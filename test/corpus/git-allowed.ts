// Git calls that must go through: what each must have printed. Every one is also compared with plain git, word for word.

import { strict as assert } from "node:assert";
import type { Reply } from "../../src/index.ts";
import { gitRan, type GitArgs, runPlain } from "./git-bench.ts";
import type { World } from "./world.ts";

interface GitAllowed {
  readonly has: RegExp;
  readonly lacks?: RegExp;
  readonly needsRoot?: true;
  /** Plain git will not, or shows something else. */
  readonly isUnlikePlain?: true;
}

const has = (pattern: RegExp, lacks?: RegExp): GitAllowed => ({
  has: pattern,
  ...(lacks === undefined ? {} : { lacks }),
});
const allHistory = /the last commit[^]*foo is three[^]*weird no more[^]*foo is two[^]*the first commit/;
const oneCommit = (subject: string): GitAllowed =>
  has(new RegExp(`^commit [0-9a-f]{40}\n[^]*\n {4}${subject}\n`), /\ncommit /);
const usualStatus = has(/^ M README\.md\n\?\? untracked\.txt\n$/);

export const gitAllowed: Readonly<Record<string, GitAllowed>> = {
  "git-ok-status": usualStatus,
  "git-ok-log-oneline": has(/^[0-9a-f]{7,} the last commit\n(?:[0-9a-f]{7,} .*\n){4}$/),
  "git-ok-log-n1": oneCommit("the last commit"),
  "git-ok-log-graph": has(/^\* [0-9a-f]{7,} the last commit\n/),
  "git-ok-log-since-author": has(/the last commit[^]*the first commit/, /foo is/),
  "git-ok-log-author-email": oneCommit("foo is two"),
  "git-ok-log-author-apostrophe": oneCommit("weird no more"),
  "git-ok-log-author-unicode": oneCommit("foo is three"),
  "git-ok-log-path": has(/foo is three\n.*foo is two\n.*the first commit\n$/, /last/),
  "git-ok-log-stat": has(/ a\.txt \| 2 \+-\n/),
  "git-ok-log-patch": has(/\n-two\n\+2\n/),
  "git-ok-log-nomerges": has(allHistory),
  "git-ok-log-dash-5": has(allHistory),
  "git-ok-log-date": has(/^Date: {3}\d{4}-\d\d-\d\d$/m),
  "git-ok-log-range": has(/the last commit[^]*foo is three/, /weird/),
  "git-ok-log-symdiff": has(/a feature/, /foo is two/),
  "git-ok-diff-stat": has(/ README\.md \| 2 \+-\n a\.txt {5}\| 2 \+-\n 2 files changed/),
  "git-ok-diff-nameonly": has(/^README\.md\na\.txt\n$/),
  "git-ok-diff-U0": has(/^@@ -2 \+2 @@.*\n-two\n\+2\n$/m),
  "git-ok-show-head": has(/ {4}the last commit[^]*\n-two\n\+2\n/),
  "git-ok-show-tag": has(/^tag v1\.0\n[^]*the first release[^]*foo is two/),
  "git-ok-show-blob": has(/^export const foo = 3;\n$/),
  "git-ok-show-reflog": has(/foo is three/),
  "git-ok-show-upstream": oneCommit("the last commit"),
  "git-ok-ref-plus-hash": oneCommit("foo is three"),
  "git-ok-ref-dependabot": oneCommit("foo is three"),
  "git-ok-ref-sha": has(/^commit e1df4e5[^]*an id that is known/),
  "git-ok-ref-at-in-name": oneCommit("foo is three"),
  "git-ok-blame-L": has(/^\^?[0-9a-f]+ .* 1\) one\n.* 2\) 2\n.* 3\) three\n$/),
  "git-ok-branch": has(/^\* main\n {2}user@feature\n {2}remotes\/origin\/main\n$/m),
  "git-ok-lsfiles": has(/^a\.txt\n[^]*^weirdXname\.txt\n$/m, /untracked/),
  "git-ok-revparse": has(/^[0-9a-f]{7,}\n$/),
  "git-ok-path-space": oneCommit("the first commit"),
  "git-ok-path-unicode": has(/\) unicode\n$/),
  "git-ok-path-nextjs-catchall": oneCommit("the first commit"),
  "git-ok-path-star": oneCommit("the first commit"), // and not the commit of weirdXname.txt
  "git-ok-path-deleted-file": has(/foo is two[^]*the first commit/),
  "git-ok-path-meta": oneCommit("the first commit"),
  "git-ok-empty-repo-status": has(/^$/),
  "git-ok-worktree-linked": has(/^$/),
  "git-ok-submodule-clean": usualStatus,
  "git-ok-lfs-repo": has(allHistory),
  "git-ok-fsmonitor-true": usualStatus,
  "git-layout-dubious-ownership": { ...usualStatus, needsRoot: true, isUnlikePlain: true },
};

export async function checkGitAllowed(id: string, world: World, args: GitArgs, reply: Reply): Promise<void> {
  const { has: expected, lacks, isUnlikePlain } = gitAllowed[id] as GitAllowed;
  const result = gitRan(reply);
  assert.equal(result.exit_code, 0, result.stderr);
  assert.deepEqual(
    [result.signal, result.timed_out, result.stdout_truncated, result.op],
    [null, false, false, args.op],
  );
  assert.match(result.stdout, expected);
  if (lacks !== undefined) assert.doesNotMatch(result.stdout, lacks);
  if (isUnlikePlain === true) return;
  // Paths are taken literally, and nobody's index is refreshed.
  const plain = await runPlain(world, args, { GIT_LITERAL_PATHSPECS: "1", GIT_OPTIONAL_LOCKS: "0" });
  assert.deepEqual([result.stdout, result.exit_code], [plain.stdout, plain.exitCode]);
}
