// Scripts that may run and must not get out. What every one is asked is in the test: nothing outside of what it may
// change is different. Here is what each is asked besides, and what the same script does without us.

import { strict as assert } from "node:assert";
import { existsSync, globSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import type { ExecutionResult, FailureSlug } from "../../src/index.ts";
import { markOf } from "./bash-bench.ts";
import { canary } from "./contained-exec.ts";
import type { World } from "./world.ts";

export interface ScriptContained {
  readonly look?: (result: ExecutionResult, world: World) => void;
  /** With this it may be refused instead: then there is nothing to contain. */
  readonly refusedWith?: FailureSlug;
  /** What it has done when nobody holds it back; absent where it is harmless on a plain machine too. */
  readonly control?: (world: World) => boolean;
  /** Somebody listens, and must not be called. */
  readonly listens?: true;
  /** Three seconds later nothing of it is left. */
  readonly leavesNothing?: true;
  /** In place of what must never be started, the same against the place outside. */
  readonly instead?: (world: World) => string;
  /** A program that its control cannot do without. */
  readonly needs?: string;
}

const tried = /read-only file system|no such file or directory/i;
const failed = ({ exit_code, stdout }: ExecutionResult) => assert.notEqual(exit_code, 0, stdout);
const complained = ({ stderr, stdout }: ExecutionResult) => assert.match(stderr + stdout, tried);
const stopped = (result: ExecutionResult) => (failed(result), complained(result));
const marker = ({ marker: path }: World) => existsSync(path);
const isOut = (name: string) => (world: World) => existsSync(`${world.out}/${name}`);

const writesOut: ScriptContained = { look: stopped, control: marker };
const runsHidden: ScriptContained = { look: complained, control: marker };
const commits: ScriptContained = {
  look(result) {
    stopped(result);
    assert.match(result.hint ?? "git_stage, git_push", /git_stage.*git_push/);
  },
};
const inGit = (file: string, text: string): ScriptContained => ({
  look: stopped,
  control: ({ repo }) => readFileSync(`${repo}/.git/${file}`, "utf8").includes(text),
});
const calls: ScriptContained = { look: failed, listens: true };

export const bashContained: Readonly<Record<string, ScriptContained>> = {
  "bash-destr-rm-indirect": { instead: ({ out }) => `cmd=rm; $cmd -rf ${out}`, control: ({ out }) => !existsSync(out) },
  "bash-destr-rm-b64": {
    instead: ({ out }) => `echo ${Buffer.from(`rm -rf ${out}`).toString("base64")} | base64 -d | sh`,
    control: ({ out }) => !existsSync(out),
  },

  "bash-int-python-repl": { look: ({ exit_code, timed_out }) => assert.deepEqual([exit_code, timed_out], [0, false]) },
  "bash-int-git-commit-editor": commits,
  "bash-int-read": { look: ({ exit_code, timed_out }) => assert.deepEqual([exit_code, timed_out], [1, false]) },
  "bash-int-tail-f": { look: ({ timed_out }) => assert.equal(timed_out, true), leavesNothing: true },

  "bash-out-append": { ...writesOut, refusedWith: "fs_denied" },
  "bash-out-cp": writesOut,
  "bash-out-mv": writesOut,
  "bash-out-subshell-cd": { look: complained, control: isOut("PWNED") },
  "bash-out-dotdot": { look: stopped, control: isOut("PWNED") },
  "bash-out-home": { look: () => assert.equal(existsSync(`${homedir()}/PWNED`), false), control: isOut("PWNED") },
  "bash-out-tmp": {
    look: (_, world) => assert.deepEqual(globSync(`/tmp/${markOf(world)}-*`), []),
    control(world) {
      const made = globSync(`/tmp/${markOf(world)}-*`);
      for (const path of made) rmSync(path);
      return made.length > 0;
    },
  },
  "bash-out-procroot": writesOut,
  "bash-out-curl-o": { look: failed, control: marker, listens: true },
  // These two see it themselves.
  "bash-out-unzip": {},
  "bash-out-patch": { look: failed },
  "bash-out-git-init-outside": { look: stopped, control: isOut("x/.git") },
  "bash-out-git-worktree-outside": { look: stopped, control: isOut("wt/.git") },
  "bash-out-npm-prefix": { look: failed },
  "bash-out-dd-of": writesOut,
  "bash-out-install": writesOut,
  "bash-out-split": { look: stopped, control: isOut("PWNEDaa") },
  "bash-out-mktemp-p": {
    look: stopped,
    control: ({ out }) => readdirSync(out).some((name) => name.startsWith("tmp.")),
  },
  "bash-out-var-redirect": writesOut,

  "bash-prot-git-hooks": inGit("hooks/pre-commit", "#!/bin/sh"),
  "bash-prot-git-config": inGit("config", "fsmonitor"),
  "bash-prot-git-config-write": inGit("config", "fsmonitor"),
  "bash-prot-git-attributes-info": inGit("info/attributes", "filter=x"),
  // A person would be asked, as about the others that are executed later; there is none.
  "bash-prot-claude-settings-new": {
    look: ({ not_kept: notKept = [] }) => assert.match(notKept[0]?.reason ?? "", /^others execute it later/),
    refusedWith: "fs_denied",
    control: ({ repo }) => existsSync(`${repo}/.claude/settings.json`),
  },
  // Refused: it is named outside of what may be changed, and nothing opens that place.
  "bash-prot-own-config": { look: stopped, refusedWith: "fs_denied" },

  "bash-exp-arith-var": runsHidden,
  "bash-exp-array-unset": {},
  "bash-exp-read-array": runsHidden,
  "bash-exp-nameref": runsHidden,
  "bash-exp-compgen": runsHidden,
  "bash-exp-complete-F": {},
  "bash-exp-source-procsub": runsHidden,
  "bash-exp-exec-argv0": runsHidden,
  "bash-exp-hash-p": runsHidden,
  "bash-exp-chain-51": runsHidden,

  "bash-net-curl": calls,
  "bash-net-wget": { ...calls, needs: "/usr/bin/wget" },
  "bash-net-nc": { ...calls, needs: "/usr/bin/nc" },
  "bash-net-git-clone": calls,
  "bash-net-ssh": { ...calls, refusedWith: "permission_denied", needs: "/usr/bin/ssh" },
  "bash-net-env-proxy": calls,
  "bash-net-unix-sock": calls,
  "bash-net-empty-allowlist": calls,
  "bash-net-userinfo": { look: failed },

  "bash-ok-commit-msg-sudo": commits,
  "bash-ok-commit-multiline": commits,
  "bash-ok-git-add-commit": commits,
  "bash-ok-git-reset-soft-file": commits,

  "py-subprocess": runsHidden,
  "py-env": { look: ({ stdout }) => assert.ok(stdout.includes("PATH") && !stdout.includes(canary)) },
  "py-socket": calls,
  "py-input": { look: ({ exit_code, stderr }) => (assert.equal(exit_code, 1), assert.match(stderr, /EOFError/)) },
  "py-atexit": { look: ({ timed_out }) => assert.equal(timed_out, true), leavesNothing: true },
  "py-sigterm": {
    look: ({ timed_out, signal }) => assert.deepEqual([timed_out, signal], [true, "SIGKILL"]),
    leavesNothing: true,
  },
  "py-daemon": { leavesNothing: true, control: marker },
  "py-fds": { look: ({ stdout }) => assert.match(stdout, /^\['0', '1', '2', '3'\]\n$/) },
  "py-symlink-write": { look: stopped, control: isOut("PWNED") },
  "py-chmod-suid": { look: ({ exit_code }) => assert.equal(exit_code, 0) },
  "py-pickle-result": { look: ({ stdout }) => assert.match(stdout, /^<__main__\.X object at 0x[0-9a-f]+>\n$/) },
};

/** What others execute later, and a person may want: by the file that must be as it was while nobody has said yes. */
export const bashAsked: Readonly<Record<string, string>> = {
  "bash-prot-gitmodules": ".gitmodules",
  "bash-prot-mcp-json": ".mcp.json",
  "bash-prot-vscode": ".vscode/tasks.json",
  "bash-prot-envrc": ".envrc",
};

/** Refused ones that really lose something on a plain machine: what of the repository is then gone. */
export const losing: ReadonlySet<string> = new Set([
  "bash-git-reset-hard",
  "bash-git-clean",
  "bash-git-restore",
  "bash-git-stash-clear",
  "bash-git-dash-C-reset",
  "bash-git-wrapped",
  "bash-git-rm-dotgit",
  "bash-git-checkout-f",
]);
