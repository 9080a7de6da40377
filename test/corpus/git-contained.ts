// Git calls that may run, and must not do what the repository or the environment wants of them. What every one is asked is
// in the test: no marker, and nothing in the world changed. Here is what each result must be besides.

import { strict as assert } from "node:assert";
import type { FailureSlug } from "../../src/index.ts";
import { git, type GitResult, plainGit } from "../fixtures/git.ts";
import { type GitArgs, plainWords } from "./git-bench.ts";
import { onTerminal } from "./git-controls.ts";
import { falseMessage, HUGE_COMMITS, secretCommit } from "./git-layout-situations.ts";
import type { World } from "./world.ts";

export interface GitContained {
  /** Held by refusing it: what would be needed is not granted. */
  readonly refused?: FailureSlug;
  readonly check?: (result: GitResult, world: World) => void;
  readonly needsRoot?: true;
  /** Plain git in the box, where it is not just the words of the call. */
  readonly hand?: (args: GitArgs) => readonly string[];
  /** In the box the hostile program does start, and is told that there is no such place. false: the box keeps it from that. */
  readonly startsInBox?: boolean;
  /** The helpers' directory is what must not be read: without it. */
  readonly hidesHelpers?: true;
  readonly checkHand?: (stdout: string) => void;
}

const works = ({ exit_code, stderr }: GitResult): void => assert.equal(exit_code, 0, stderr);

/** As git says it where nothing of the repository's configuration counts. */
function says(pattern: RegExp): GitContained {
  return {
    check(result) {
      works(result);
      assert.match(result.stdout, pattern);
    },
  };
}

const usualStatus = / M README\.md\n\?\? untracked\.txt\n$/;
const started = { startsInBox: true };
/** The blob is not there, and is not fetched. */
const missing: GitContained = {
  check: ({ exit_code, stdout }) => {
    assert.notEqual(exit_code, 0);
    assert.doesNotMatch(stdout, /^[-+]?(?:2|two)$/m);
  },
};

export const gitContained: Readonly<Record<string, GitContained>> = {
  "git-cfg-fsmonitor-status": { ...says(usualStatus), ...started },
  "git-cfg-fsmonitor-lsfiles": { ...says(/^a\.txt$/m), ...started },
  "git-cfg-diff-external": { ...says(/^\+# changed since the commit$/m), ...started },
  "git-cfg-textconv-blame": { ...says(/\) three$/m), ...started },
  "git-cfg-filter-clean-diff": { ...says(/^-2\n\+Z$/m), ...started },
  "git-cfg-filter-process-info": { ...says(usualStatus), ...started },
  "git-cfg-hookspath": says(usualStatus), // the index cannot be written, so there is no hook to run
  "git-cfg-showsignature-log": { ...says(/the last commit/), ...started },
  "git-cfg-lazy-fetch-blame": { ...missing, ...started },
  "git-cfg-diffmerges-remerge": says(/a merge/),
  "git-cfg-pager": { ...says(/the last commit/), hand: onTerminal, ...started },
  "git-cfg-alias-shadow": says(/the last commit/),
  "git-cfg-worktree-config": { ...says(usualStatus), ...started },
  "git-cfg-key-case": { ...says(usualStatus), ...started },
  "git-cfg-sshcommand": { ...missing, ...started },
  "git-cfg-credential-helper": missing,
  "git-cfg-trace2-config": says(/the last commit/),

  "git-layout-alternates": {
    refused: "fs_denied",
    hidesHelpers: true,
    checkHand: (stdout) => assert.ok(!stdout.includes(secretCommit), stdout),
  },
  "git-layout-safe-directory-in-repo": { ...says(usualStatus), needsRoot: true },
  "git-layout-replace-refs": {
    check(result, { repo }) {
      works(result);
      assert.ok(!result.stdout.includes(falseMessage));
      assert.equal(result.stdout, git(repo, ["--no-replace-objects", "show", "HEAD"]));
    },
  },
  "git-layout-grafts": {
    check(result, { repo }) {
      works(result);
      const commits = (text: string) => text.match(/^commit /gm)?.length;
      assert.equal(commits(result.stdout), 5);
      assert.equal(commits(git(repo, ["log"])), 1, "plain git sees the whole history too, so this shows nothing");
    },
  },
  "git-layout-huge-repo": {
    check({ exit_code, stdout, stdout_truncated, stdout_bytes, timed_out }, { repo }) {
      assert.deepEqual([exit_code, stdout_truncated, timed_out], [0, true, false]);
      assert.ok(Buffer.byteLength(stdout) <= 1 << 20);
      assert.equal(stdout_bytes, Buffer.byteLength(plainGit(repo, ["log"]).stdout));
      assert.match(stdout, new RegExp(`^commit [0-9a-f]{40}\n.*\n.*\n\n {4}commit ${HUGE_COMMITS}\n`));
      assert.match(stdout, /bytes left out[^]*\n {4}commit 1\n$/);
    },
    checkHand: (stdout) => assert.ok(Buffer.byteLength(stdout) <= 256 << 10),
  },
  "git-layout-readonly-index": says(usualStatus),
  "git-layout-hook-symlink-worktree": says(/^\?\? nested\/$/m),

  "git-env-git_dir": { ...says(usualStatus), ...started },
  "git-env-git_external_diff": { ...says(/^\+# changed since the commit$/m), ...started },
  "git-env-git_config_global": { ...says(usualStatus), ...started },
  "git-env-git_trace": { ...says(usualStatus), ...started }, // here git itself tries
  "git-env-git_exec_path": { ...says(/^ M README\.md$/m), ...started },
  "git-env-git_pager": says(usualStatus),
  "git-env-git_object_directory": says(usualStatus),
  "git-env-git_alternate_object_directories": says(usualStatus),
  "git-env-git_proxy_command": says(usualStatus),
  "git-env-git_template_dir": says(usualStatus),
  "git-env-home": { ...says(usualStatus), ...started },
};

/** Plain git by its name, with none of our flags. */
export function handArguments(id: string, args: GitArgs): readonly string[] {
  return gitContained[id]?.hand?.(args) ?? ["/usr/bin/git", "-C", args.repo, ...plainWords(args)];
}
