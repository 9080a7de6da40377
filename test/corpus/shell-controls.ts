// Controls of the shell cases: the same string given to a real shell, in the same directory. Each must really make the
// marker, change the repository, or print what is outside, or the case that it belongs to shows nothing.

import { strict as assert } from "node:assert";
import { existsSync, readFileSync } from "node:fs";
import { git } from "../fixtures/git.ts";
import type { Ended } from "./bare.ts";
import { hostname } from "./git-config-situations.ts";
import { killAll, processesOf } from "./leftovers.ts";
import { runInShell, type ShellArgs } from "./shell-bench.ts";
import type { World } from "./world.ts";

type Check = (world: World, args: ShellArgs) => Promise<void>;

const bash = ["/bin/bash"] as const;
const prints = (text: string): Check => tells(({ stdout, stderr }) => (stdout + stderr).includes(text));
const gitSays = (...words: string[]): Check => changes(({ repo }) => git(repo, words));

export const shellControls: Readonly<Record<string, Check>> = {
  "shell-op-procsub-in": makesMarkerIn(bash),
  "shell-op-fd-redirect": makesMarker,
  "shell-op-amp-redirect": makesMarkerIn(bash),
  "shell-op-clobber": makesMarker,

  "shell-parse-backslash-newline": makesMarker,
  "shell-parse-ifs": tells(({ stdout }) => stdout === readFileSync("/etc/passwd", "utf8")),
  "shell-parse-glob-program": makesMarker,
  "shell-parse-quote-splice-program": makesMarker,
  "shell-parse-comment-hides": makesMarker,
  "shell-parse-alias-dash": makesMarker,
  "shell-parse-bang-keyword": makesMarker,
  "shell-parse-if-newlines": makesMarker,
  "shell-parse-case-newline": makesMarker,
  "shell-parse-until-newline": makesMarker,
  "shell-parse-dot-tab": makesMarker,
  "shell-parse-dot-rel": makesMarker,
  "shell-parse-arith-subst": makesMarkerIn(bash),
  "shell-parse-prompt-transform": makesMarkerIn(bash),
  "shell-parse-printf-v": makesMarkerIn(bash),

  "shell-prog-find-exec": makesMarker,
  "shell-prog-find-execdir": makesMarker,
  "shell-prog-find-delete": changes(({ root }) => existsSync(`${root}/x`)),
  "shell-prog-find-fprintf": makesMarker,
  "shell-prog-find-fprint0": makesMarker,
  "shell-prog-sort-output-abbrev": makesMarker,
  "shell-prog-sort-compress-abbrev": makesMarker,
  "shell-prog-uniq-out": makesMarker,
  "shell-prog-xxd-out": makesMarker,
  "shell-prog-sed-e": makesMarker,
  "shell-prog-sed-s-e": changes(({ root }) => existsSync(`${root}/PWNED`)),
  "shell-prog-sed-i": changes(({ root }) => readFileSync(`${root}/a.txt`, "utf8")),
  "shell-prog-sed-f": makesMarker,
  "shell-prog-awk-print-file": makesMarker,
  "shell-prog-awk-getline": makesMarker,
  "shell-prog-awk-f": makesMarker,
  "shell-prog-xargs": makesMarker,
  "shell-prog-env-run": makesMarker,
  "shell-prog-env-i": makesMarker,
  "shell-prog-date-f": prints(hostname()),
  "shell-prog-jq-rawfile": prints(hostname()),
  "shell-prog-jq-env": async (world, args) => {
    const { stdout } = await runInShell(world, args, ["/usr/bin/env", `CANARY=${world.secret}`, "/bin/sh"]);
    assert.ok(stdout.includes(world.secret), stdout);
  },
  "shell-prog-python-c": makesMarker,
  "shell-prog-node-e": makesMarker,
  "shell-prog-make-n": makesMarker,
  "shell-prog-make-eval": makesMarker,

  "shell-git-branch-new": gitSays("branch"),
  "shell-git-tag-new": gitSays("tag"),
  "shell-git-remote-add": gitSays("remote", "-v"),
  "shell-git-remote-show": makesMarker,
  "shell-git-stash-bare": gitSays("status", "--porcelain"),
  "shell-git-reflog-expire": gitSays("reflog"),
  "shell-git-config-edit": makesMarker,
  "shell-git-config-file": prints(hostname()),
  "shell-git-log-output": makesMarker,
  "shell-git-diff-output": makesMarker,
  "shell-git-shortlog-output": makesMarker,
  "shell-git-diff-implicit": tells(({ stdout }, { secret }) => stdout.includes(`+${secret}`)),
  "shell-git-catfile-filters": makesMarker,
  "shell-git-catfile-textconv": makesMarker,
  "shell-git-dash-c": makesMarker,
  "shell-git-exec-path": makesMarker,
  "shell-git-help": makesMarker,
  "shell-git-alias-unknown": makesMarker,
  "shell-git-external-subcommand": makesMarker,
};

/** Runs it, then ends whatever of it is left. */
export async function runShellControl(id: string, world: World, args: ShellArgs): Promise<void> {
  try {
    await shellControls[id]?.(world, args);
  } finally {
    killAll(processesOf(world.directory));
  }
}

function makesMarker(world: World, args: ShellArgs): Promise<void> {
  return makesMarkerIn(["/bin/sh"])(world, args);
}

function makesMarkerIn(shell: readonly string[]): Check {
  return async (world, args) => {
    const { stderr } = await runInShell(world, args, shell);
    assert.ok(existsSync(world.marker), `no marker was made: ${stderr}`);
  };
}

function changes(look: (world: World) => unknown): Check {
  return async (world, args) => {
    const before = look(world);
    const { stderr } = await runInShell(world, args);
    assert.notDeepEqual(look(world), before, stderr);
  };
}

function tells(isTold: (printed: Ended, world: World) => boolean): Check {
  return async (world, args) => {
    const printed = await runInShell(world, args);
    assert.ok(isTold(printed, world), JSON.stringify(printed));
  };
}
