// Shell calls that must go through: what each must have printed. Every one is also compared with bash, which is given the
// same string.

import { strict as assert } from "node:assert";
import { runInShell, type ShellArgs, type ShellEntry } from "./shell-bench.ts";
import type { World } from "./world.ts";

interface ShellAllowed {
  readonly has: string | RegExp;
  readonly lacks?: RegExp;
  /** 0 where it is not written. */
  readonly exitCode?: number;
  /** A program that may not be where Shell looks; without it the case is skipped, aloud. */
  readonly needs?: string;
  /** Why bash prints something else. */
  readonly unlikeBash?: string;
}

const has = (text: string | RegExp, more: Partial<ShellAllowed> = {}): ShellAllowed => ({ has: text, ...more });
const commit = "[0-9a-f]{40}";

export const shellAllowed: Readonly<Record<string, ShellAllowed>> = {
  "shell-ok-ls": has(/^total \d+\n[^]* a\.txt\n[^]* src\n/, { unlikeBash: "`..` is the box's own directory" }),
  "shell-ok-git-log": has(/^[0-9a-f]{7,} the last commit\n[0-9a-f]{7,} the first commit\n$/),
  "shell-ok-wc-glob": has(/^ *60 src\/main\.py\n *1 src\/pkg\/m\.py\n *61 total\n$/),
  "shell-ok-head": has(/^print\(1\)[^]*print\(50\) .*\n$/),
  "shell-ok-rg": has(/^\.\/src\/main\.py:print\(1\) {2}# a pattern$/m),
  "shell-ok-git-C": has(/ {4}the last commit\n[^]* {4}the first commit\n$/),
  "shell-ok-env-prefix": has(/modified: {3}a\.txt\n/),
  "shell-ok-rg-alternation": has(/^(?=[^]*foo = 1\n)(?=[^]*const bar)/),
  "shell-ok-rg-dollar-paren": has("scripts/s.sh:echo $(date)\n"),
  "shell-ok-grep-semicolon": has(/^src\/x\.c:1:if \(a && b\) return;$/m),
  "shell-ok-grep-amp": has("1:if (a && b) return;\n"),
  "shell-ok-grep-arrow": has("src/exec.ts:1:const bar = () => {\n"),
  "shell-ok-awk-gt": has("one\nthree\n"),
  "shell-ok-jq-pipe": has('"first"\n"second"\n'),
  "shell-ok-sed-subst": has(/^hello world\nx\|y\nzebra\n/),
  "shell-ok-word-exec": has(/^const bar[^]*execFile/),
  "shell-ok-word-execfile": has('src/exec.ts:2:  execFile("/root/x");\n'),
  "shell-ok-word-executor": has("// mapped 1\n// mapped 2\n// mapped 3\n// mapped 4\n// mapped 5\n"),
  "shell-ok-path-named-etc": has("export const config = {};\n"),
  "shell-ok-pattern-etc": has("docs/hosts.md:Names are in /etc/hosts.\n"),
  "shell-ok-path-named-sys": has("# sys\n"),
  "shell-ok-root-word": has('src/exec.ts:  execFile("/root/x");\n'),
  "shell-ok-find-dot": has(/^\.\/src\/executor\/source_map\.ts$/m, { lacks: /\.py/ }),
  "shell-ok-find-newer": has(/^src\/exec\.ts$/m, { lacks: /test/ }),
  "shell-ok-find-print0": has("./x\0"),
  "shell-ok-git-show": has(/^export const a1 = 1;\n[^]*a30 = 30;\n$/),
  "shell-ok-git-show-reflog": has(/ {4}the (last|first) commit\n/),
  "shell-ok-git-branch-list": has(/^\* main [0-9a-f]{7,} the last commit\n$/),
  "shell-ok-git-remote-v": has(/^origin\thttps:\/\/example\.invalid\/x\.git \(fetch\)\n.*\(push\)\n$/),
  "shell-ok-git-stash-list": has(/^stash@\{0\}: WIP on main: .* the last commit\n$/),
  "shell-ok-git-stash-show": has(/^ a\.txt \| \d+ /),
  "shell-ok-git-config-get": has("Ada\n"),
  "shell-ok-git-config-list": has(/^file:.*\tuser\.name=Ada$/m, {
    unlikeBash: "what we say on git's command line is in it",
  }),
  "shell-ok-git-reflog": has(/ HEAD@\{0\}: /),
  "shell-ok-git-catfile": has(new RegExp(`^tree ${commit}\nparent ${commit}\nauthor Jane Doe <`)),
  "shell-ok-git-describe": has(/^v1\.0-1-g[0-9a-f]{7,}\n$/),
  "shell-ok-git-blame": has(/ 10\) export const a10 = 10;\n(?:.*\n){9}.* 20\) export const a20 = 20;\n$/),
  "shell-ok-git-status": has(/^## main\n M a\.txt\n\?\? x\.sh\n$/),
  "shell-ok-space-path": has("spaces\n"),
  "shell-ok-unicode-path": has("unicode\n"),
  "shell-ok-dq-string": has("1:hello world\n"),
  "shell-ok-concat-glob": has("src/pkg/m.py:1:foo = 1\n"),
  "shell-ok-numbers": has("hello world\nfoo;bar\nzebra\napple\nmore\n"),
  "shell-ok-python-version": has(/^Python 3\.\d+/),
  "shell-ok-which": has(/^\/usr(\/local)?\/bin\/git\n\/usr(\/local)?\/bin\/node\n$/, { needs: "node" }),
  "shell-ok-echo-glob-quoted": has("*?[]~\n"),
  "shell-ok-sort-k": has("three 1 101\ntwo 9 50\ntwo 9 50\none 10 200\n"),
  "shell-ok-sort-u": has("one 10 200\nthree 1 101\ntwo 9 50\n"),
  "shell-ok-uniq-c": has(/^ *1 one 10 200\n *2 two 9 50\n *1 three 1 101\n$/),
  // diff says 1 where there is a difference.
  "shell-ok-diff-u": has(/^--- a\.txt[^]*\n-foo;bar\n\+foo;bay\n/, { exitCode: 1 }),
  "shell-ok-tree": has(/^\.\n[^]*src\n[^]*executor\n[^]*\d+ files\n$/),
  "shell-ok-base64-d": has("hello box\n"),
  "shell-ok-xxd-l": has(/^00000000: 0001 0203 [^]*\n00000030: .*\n$/),
  "shell-ok-tr": has(""),
  "shell-ok-du": has(/^\d+K\t\.\n$/),
  "shell-ok-list": has(/\nsrc\n[^]*\/repo\n$/),
  "shell-ok-list-ignore": has(/\/repo\n$/),
  "shell-ok-grep-exit1": has("", { exitCode: 1 }),
  "shell-ok-env-LC": has("apple\ndirty\nfoo;bar\nhello world\nlast\nmore\nzebra\n"),
  "shell-ok-env-NODE-ENV": has(/^v\d+\.\d+\.\d+\n$/, { needs: "node" }),
};

/** What each entry of the result must be; only with ignore_errors may one before the last have failed. */
export async function checkShellAllowed(
  id: string,
  world: World,
  args: ShellArgs,
  results: readonly ShellEntry[],
): Promise<void> {
  const { has: expected, lacks, exitCode = 0, unlikeBash } = shellAllowed[id] as ShellAllowed;
  assert.equal(results.length, typeof args.command === "string" ? 1 : args.command.length);
  for (const entry of results) {
    assert.deepEqual(
      [entry.signal, entry.timed_out, entry.limit_hit, entry.stdout_truncated],
      [null, false, null, false],
    );
    assert.deepEqual([entry.enforced.filesystem, entry.enforced.network], ["kernel", "kernel"]);
  }
  const codes = results.map(({ exit_code }) => exit_code);
  assert.deepEqual(codes, id === "shell-ok-list-ignore" ? [1, 0] : codes.map(() => exitCode), results[0]?.stderr);
  const stdout = results.map((entry) => entry.stdout).join("");
  if (typeof expected === "string") assert.equal(stdout, expected);
  else assert.match(stdout, expected);
  if (lacks !== undefined) assert.doesNotMatch(stdout, lacks);
  if (unlikeBash !== undefined) return;
  const plain = await runInShell(world, args, ["/bin/bash", "-O", "globstar"]);
  const sorted = (text: string) => (id.startsWith("shell-ok-rg") ? text.split("\n").sort().join("\n") : text);
  assert.deepEqual([sorted(stdout), results.at(-1)?.exit_code], [sorted(plain.stdout), plain.exitCode]);
}
