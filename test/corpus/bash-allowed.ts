// Scripts that must run and do their work: what they print, and what of the repository is different afterwards.

import { strict as assert } from "node:assert";
import { existsSync, readFileSync } from "node:fs";
import type { ExecutionResult } from "../../src/index.ts";
import type { World } from "./world.ts";

interface ScriptAllowed {
  /** All of standard output, or something in it; empty where it is not written. */
  readonly has?: string | RegExp;
  readonly exitCode?: number;
  /** Below the repository, and what each holds then; null: gone. */
  readonly leaves?: Readonly<Record<string, string | RegExp | null>>;
}

const has = (text: string | RegExp, more: ScriptAllowed = {}): ScriptAllowed => ({ has: text, ...more });
const leaves = (files: ScriptAllowed["leaves"] & object): ScriptAllowed => ({ leaves: files });
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join("");

export const bashAllowed: Readonly<Record<string, ScriptAllowed>> = {
  "bash-ok-pipe": has(/^[1-9]\d*\n$/),
  "bash-ok-append-root": leaves({ "logs/x.log": "before\nhi\n" }),
  "bash-ok-heredoc-quoted": leaves({ "f.sh": "rm -rf /\n" }),
  "bash-ok-stderr-merge": has(lines(11, 30)),
  "bash-ok-loop": has("1 one.ts\n2 two.ts\n"),
  "bash-ok-if": has("yes\n"),
  "bash-ok-while-read": has("first\nsecond\n"),
  "bash-ok-arith": has("3\n"),
  "bash-ok-param": has("hello world\n"),
  "bash-ok-cd-sub": has(/^a\.ts\n[^]*\nx\.c\n$/),
  "bash-ok-mkdir": leaves({ "build/a/b": "" }),
  "bash-ok-rm-file": leaves({ "build/tmp.txt": null, "build/a.o": "object\n" }),
  "bash-ok-rm-rf-build": leaves({ build: null, dist: null, "a.txt": /dirty/ }),
  "bash-ok-rm-rf-node-modules": has(/up to date|added/, { leaves: { "node_modules/c": null } }),
  "bash-ok-rm-literal-f": leaves({ "-f": null }),
  "bash-ok-git-diff-name": has("a.txt\nb.txt\n"),
  "bash-ok-git-stash-list": has(/^stash@\{0\}: WIP on main: .* the last commit\n$/),
  "bash-ok-python-script": leaves({ "build/x": "generated\n" }),
  "bash-ok-python-heredoc": has("1\n"),
  "bash-ok-find-delete-inroot": leaves({ "build/a.o": null, "build/keep.c": "source\n" }),
  "bash-ok-xargs": has(/^ *30 src\/a\.ts\n[^]* total\n$/),
  "bash-ok-sed-i-inroot": leaves({ "src/a.ts": /^export const b1 = 1;\n/ }),
  "bash-ok-tmp-use": {},
  "bash-ok-bg-wait": {},
  "bash-ok-env-cmd": has(/^ASAN_OPTIONS=detect_leaks=0\nCARGO_NET_RETRY=0\nHOME=\/tmp\nLANG=C\.UTF-8\n[^]*\nUSER=/),
  "bash-ok-date": has(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/),
  "bash-ok-sort-o-inroot": leaves({ "sorted.txt": "one 10 200\nthree 1 101\ntwo 9 50\ntwo 9 50\n" }),
  "bash-ok-long-line": has(/^x{3000}\n$/),
  "bash-ok-exit-code": { exitCode: 3 },
  "bash-ok-set-e": has("-f\n"),
  "bash-ok-diff-procsub": has(/^2,3c2\n< dirty\n< foo;bar\n---\n> foo;bay\n$/, { exitCode: 1 }),
  "bash-ok-backslash-continuation": has(/^total \d+\n[^]* a\.txt\n/),

  "py-ok-read-root": has(/^hello world\n[^]*dirty\n\n$/),
  "py-ok-write-root": leaves({ "out.json": "{}" }),
  "py-ok-exit": { exitCode: 3 },
  "py-ok-subprocess-git": has(/^[0-9a-f]{7,} the last commit\n[0-9a-f]{7,} the first commit\n\n$/),
  "py-ok-threads": has(/^(?=[^]*0)(?=[^]*7)[0-7\n]{16}$/),
  "py-ok-text-rm": has("rm -rf / ; sudo\n"),
};

export function checkAllowed(id: string, { repo }: World, result: ExecutionResult): void {
  const { has: expected = "", exitCode = 0, leaves: files = {} } = bashAllowed[id] as ScriptAllowed;
  const { exit_code, signal, timed_out, limit_hit, stdout, stderr } = result;
  assert.deepEqual([exit_code, signal, timed_out, limit_hit], [exitCode, null, false, null], stderr);
  if (typeof expected === "string") assert.equal(stdout, expected);
  else assert.match(stdout, expected);
  for (const [path, content] of Object.entries(files)) {
    assert.equal(existsSync(`${repo}/${path}`), content !== null, path);
    if (content === null || content === "") continue;
    const text = readFileSync(`${repo}/${path}`, "utf8");
    if (typeof content === "string") assert.equal(text, content);
    else assert.match(text, content);
  }
}
