// Controls of the git cases: plain git on the same repository, with the same words. Each must really run the program,
// write the file, or read what is outside, or the case that it belongs to shows nothing.

import { strict as assert } from "node:assert";
import { existsSync, readFileSync } from "node:fs";
import { bare, ended, type Ended } from "./bare.ts";
import { type GitArgs, plainEnvironment, plainWords, runPlain } from "./git-bench.ts";
import { hostname } from "./git-config-situations.ts";
import { falseMessage, secretCommit } from "./git-layout-situations.ts";
import { killAll, processesOf } from "./leftovers.ts";
import type { World } from "./world.ts";

interface Control {
  readonly world: World;
  readonly args: GitArgs;
  /** Variables of the case. */
  readonly environment: Record<string, string>;
}

type Check = (control: Control) => Promise<void>;

export const gitControls: Readonly<Record<string, Check>> = {
  "git-flag-log-output-eq": makesMarker,
  "git-flag-log-output-split": makesMarker,
  "git-flag-diff-output": makesMarker,
  "git-flag-ext-diff": makesMarker,
  "git-flag-textconv": makesMarker,
  "git-flag-blame-contents": tells(({ stdout }) => stdout.includes(hostname())),
  "git-flag-blame-ignore-revs": tells(({ stderr }) => stderr.includes(hostname())),
  "git-flag-lsfiles-X": readsExclusions,
  "git-flag-help": makesMarker,
  "git-flag-show-signature": makesMarker,
  "git-flag-format-G": makesMarker,
  "git-flag-remerge-diff": makesMarker,
  "git-flag-submodule-diff": makesMarker,
  "git-flag-positional-in-args": tells(({ stdout }) => stdout.includes("+root:")),
  "git-flag-format-ctrl": tells(({ stdout }) => stdout.includes("\u001b]0;pwn\u0007")),
  "git-flag-diff-merges": makesMarker,
  "git-flag-diff-merges-on": makesMarker,
  "git-ref-flag-ext-diff": makesMarker,

  "git-cfg-fsmonitor-status": makesMarker,
  "git-cfg-fsmonitor-lsfiles": makesMarker,
  "git-cfg-diff-external": makesMarker,
  "git-cfg-textconv-blame": makesMarker,
  "git-cfg-filter-clean-diff": makesMarker,
  "git-cfg-filter-process-info": makesMarker,
  "git-cfg-hookspath": makesMarker,
  "git-cfg-showsignature-log": makesMarker,
  "git-cfg-lazy-fetch-blame": makesMarker,
  "git-cfg-pager": async (control) => {
    const argv = onTerminal(control.args);
    await ended(bare(argv, { env: { ...plainEnvironment, TERM: "xterm", CORPUS_WORLD: control.world.directory } }));
    assert.ok(existsSync(control.world.marker), "no marker was made");
  },
  "git-cfg-worktree-config": makesMarker,
  "git-cfg-key-case": makesMarker,
  "git-cfg-sshcommand": makesMarker,

  "git-layout-gitdir-file-padded": makesMarker,
  "git-layout-commondir": makesMarker,
  "git-layout-alternates": tells(({ stdout }) => stdout.includes(`+${secretCommit}`)),
  "git-layout-replace-refs": tells(({ stdout }) => stdout.includes(falseMessage)),
  "git-layout-readonly-index": rewritesIndex,

  "git-env-git_dir": makesMarker,
  "git-env-git_external_diff": makesMarker,
  "git-env-git_config_global": makesMarker,
  "git-env-git_trace": makesMarker,
  "git-env-git_exec_path": makesMarker,
  "git-env-home": makesMarker,
};

export async function runGitControl(id: string, control: Control): Promise<void> {
  try {
    await gitControls[id]?.(control);
  } finally {
    killAll(processesOf(control.world.directory));
  }
}

/** git with a terminal of its own. */
export function onTerminal(args: GitArgs): string[] {
  const words = ["/usr/bin/git", "-C", args.repo, ...plainWords(args)];
  return ["/usr/bin/script", "--quiet", "--return", "--command", words.join(" "), "/dev/null"];
}

async function makesMarker({ world, args, environment }: Control): Promise<void> {
  const { stderr } = await runPlain(world, args, environment);
  assert.ok(existsSync(world.marker), `no marker was made: ${stderr}`);
}

function tells(isTold: (printed: Ended) => boolean): Check {
  return async ({ world, args, environment }) => {
    const printed = await runPlain(world, args, environment);
    assert.ok(isTold(printed), JSON.stringify(printed));
  };
}

/** Listing what is not tracked shows that the file outside was read: the name in it is gone. */
async function readsExclusions({ world, args }: Control): Promise<void> {
  const listed = async (flags: readonly string[]) =>
    (await runPlain(world, { ...args, args: ["--others", ...flags] })).stdout.split("\n").includes(hostname());
  assert.deepEqual([await listed([]), await listed(args.args ?? [])], [true, false]);
}

async function rewritesIndex({ world, args }: Control): Promise<void> {
  const index = () => readFileSync(`${world.repo}/.git/index`);
  const before = index();
  await runPlain(world, args);
  assert.notDeepEqual(index(), before);
}
