// Calls that must go through. Each is looked at for having done its work: its exit code, what it printed, what it made.

import { strict as assert } from "node:assert";
import { existsSync, readFileSync, statSync } from "node:fs";
import type { ExecutionResult } from "../../src/index.ts";
import { type ExecArgs, type Run, ran } from "./bench.ts";
import type { World } from "./world.ts";
import { searched, strangeNames } from "./world-files.ts";

export interface Allowed {
  /** 0 where it is not written. */
  readonly exitCode?: number;
  readonly stdout?: string | RegExp | ((world: World) => string);
  /** The program that the machine must have; without it the case is skipped, aloud. */
  readonly needs?: string;
  readonly check?: (result: ExecutionResult, world: World, args: ExecArgs) => void;
}

/** As `grep -n` prints the one line of a.txt that has it. */
function numbered(part: string): Allowed {
  const index = searched.findIndex((line) => line.includes(part));
  return { stdout: `${index + 1}:${searched[index]}\n` };
}

const contentOf = (name: (typeof strangeNames)[number]): Allowed => ({ stdout: `content of ${name}\n` });
const hasLines = (...lines: string[]): Allowed => ({
  check: ({ stdout }) =>
    assert.deepEqual(
      lines.filter((line) => !stdout.split("\n").includes(line)),
      [],
      stdout,
    ),
});

export const allowed: Readonly<Record<string, Allowed>> = {
  "exec-ok-echo-semicolon": { stdout: "; pwd\n" },
  "exec-ok-echo-rm": { stdout: "; rm -rf /\n" },
  // The corpus permits 0 or 1; here the file has the word, so it is 0.
  "exec-ok-grep-todo": numbered("TODO"),
  "exec-ok-grep-semicolon": numbered("return x;"),
  "exec-ok-grep-subst": numbered("$(cat"),
  "exec-ok-grep-backtick": numbered("`code`"),
  "exec-ok-grep-redirect-chars": numbered("=> {"),
  "exec-ok-grep-dash-e": { stdout: "run it with --output\n" },
  "exec-ok-grep-nomatch-exit1": { exitCode: 1, stdout: "", check: ({ stderr }) => assert.equal(stderr, "") },
  "exec-ok-path-space": contentOf("my file (1).txt"),
  "exec-ok-path-quote": contentOf('it\'s "here".txt'),
  "exec-ok-path-leading-dash": contentOf("-n"),
  "exec-ok-path-dots": contentOf("a..b...c"),
  "exec-ok-env-add": hasLines("FOO=bar"),
  "exec-ok-env-path-override": hasLines("PATH=/opt/tools/bin:/usr/bin:/bin"),
  "exec-ok-env-value-meta": hasLines("MSG=a=b; $(c) | d"),
  "exec-ok-env-value-empty": hasLines("EMPTY="),
  "exec-ok-env-node-env": hasLines("NODE_ENV=test", "CI=1", "TZ=UTC"),
  "exec-ok-env-similar-names": hasLines("KEYNOTE_SPEAKER=x", "GITHUB_SHA=abc", "LDAP_HOST=h"),
  "exec-ok-empty-arg": { stdout: "[]" },
  "exec-ok-timeout-max": { stdout: "" },
  "exec-ok-many-args": {
    check: ({ stdout }, _world, { argv }) => assert.equal(stdout, `${argv.slice(1).join(" ")}\n`),
  },
  "exec-ok-sed-print": { stdout: `${searched.slice(0, 5).join("\n")}\n` },
  "exec-ok-find-name": { stdout: (world) => `${world.repo}/src/b.ts\n` },
  "exec-ok-jq-filter": { stdout: '"two"\n', needs: "/usr/bin/jq" },
  "exec-ok-binary-output": {
    check({ stdout, stdout_bytes }) {
      assert.equal(stdout_bytes, 64);
      assert.ok(stdout.length > 0 && stdout.isWellFormed());
    },
  },
  "proc-ok-fast": { stdout: "" },
  "proc-ok-just-under-timeout": { check: ({ timed_out, duration_s }) => assert.ok(!timed_out && duration_s >= 1) },
  "proc-ok-under-cap": {
    check: ({ stdout, stdout_truncated }) => assert.ok(stdout.endsWith("\n99\n100\n") && !stdout_truncated),
  },
  "proc-ok-exact-cap": {
    check: ({ stdout, stdout_truncated }) => assert.ok(stdout === "\0".repeat(1024) && !stdout_truncated),
  },
  "proc-ok-bg-then-wait": { stdout: "ok\n" },
  "proc-ok-big-but-ok": {
    check: ({ stdout, stdout_truncated }) => assert.ok(stdout.length === 200_000 && !stdout_truncated),
  },
  "proc-ok-node-starts": { stdout: "", needs: "/usr/bin/node", check: ({ stderr }) => assert.equal(stderr, "") },
  "sbx-ok-dev-null": { stdout: "" },
  "sbx-ok-dev-urandom": { stdout: "8\n" },
  // In the box's own /tmp, and not in the machine's.
  "sbx-ok-tmp": {
    stdout: /^\/tmp\/tmp\.\w+\n$/,
    check: ({ stdout }) => assert.equal(existsSync(stdout.trim()), false),
  },
  "sbx-ok-proc-self": { stdout: "Name:\tcat\n" },
  "sbx-ok-shebang": { stdout: (world) => `script ran in ${world.root}\n` },
  "sbx-ok-dot-gitignore": {
    check: (_result, world) => assert.equal(readFileSync(`${world.root}/.gitignore`, "utf8"), ".env\nx\n"),
  },
  "sbx-ok-long-path": {
    check(_result, world, { argv }) {
      const made = /mkdir -p (\S+)/.exec(argv.at(-1) ?? "")?.[1] ?? "";
      assert.ok(made.length > 900 && statSync(`${world.root}/${made}`).isDirectory());
    },
  },
};

export async function checkAllowed(id: string, world: World, args: ExecArgs, run: Run): Promise<void> {
  const { exitCode = 0, stdout, check } = allowed[id] as Allowed;
  const result = ran(await run(args));
  assert.equal(result.exit_code, exitCode, result.stderr);
  assert.deepEqual(
    [result.signal, result.timed_out, result.limit_hit, result.stdout_truncated],
    [null, false, null, false],
  );
  if (stdout instanceof RegExp) assert.match(result.stdout, stdout);
  else if (stdout !== undefined) assert.equal(result.stdout, typeof stdout === "string" ? stdout : stdout(world));
  check?.(result, world, args);
}
