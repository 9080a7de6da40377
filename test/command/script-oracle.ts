// Real bash as the oracle of the script reader: mutated scripts run in an empty box where no program can be found, and
// bash tells every command that it would have started.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Word } from "../../src/action/effect.ts";
import { trickyScripts } from "./tricky-scripts.ts";

const more = [
  "x=1; y=$x; a $y",
  "f() { a \"$@\"; }; f b; f 'c d'",
  "cd /tmp && a; (cd /; b); c",
  "for i in 1 2; do a $i; done; b",
  "a 'x y' \"z w\" \\$q",
  "if a; then b; else c; fi; { d; e; } | f",
  "a {1..3} {x,y}{z,w}; b ~/c ~",
  "case a in (a) b;; (*) c;; esac",
  "a <<E1; b <<'E2'\n$(c)\nE1\n$(d)\nE2\ne",
  'x=(a b); ${x[0]} y; "${x[@]}"',
  "eval 'a; b'; eval \"c $x\"",
  "trap 'a' EXIT; b",
  "a() { b; }; a; a() { c; }; a; unset -f a; a",
  "x=a; x+=b; $x; ${x}c d",
  "a=$(b) c=$(d) e; f=$(g)",
  "[[ a == a ]] && b || c; (( 1 )) && d",
  "a | b | c && d; ! e | f",
  "a; exit; b",
  'set -- a b; "$@"; $1 $2',
  "a > o1 2>&1 < /dev/null; > o2; b >> $(c)",
  "printf -v x a; $x; read y <<< b; $y",
  "x='a[$(b)]'; : $((x)); unset 'c[$(d)]'",
  "a $'b\\tc' $\"d\" \"\" ''",
  "shopt -s extglob; a @(b|c) +(d)",
  "a ${x:=b} ${y:+c} ${#x} ${x%b} ${x//b/$(d)}",
  "while a; do b; break; done; until c; do d; break; done",
  "coproc a; wait; time b; time -p c",
  "select x in a b; do c; break; done <<< 1",
  "a & b & wait; c",
  "function f { a; }; f; g() ( b ); g",
  "IFS=,; x=a,b; $x; c$IFS-d",
  "alias a=b; a; shopt -s expand_aliases; alias c=d\nc",
  "mapfile -C 'a b' -c 1 x <<< y",
  'echo "$(a; echo "$(b)")" "`c "d"`"',
  "a \\\n  b \\\n  c # d\ne",
  "let 'x=1' 'y=a[$(b)]'; ((z[$(c)]=1))",
  "PS4='$(a)'; set -x; b",
  "x='$(a)'; : ${x@P} ${!x*}",
  "exec 3>o; a >&3; b 3>&-; exec {fd}<&0; c",
];
const bases = [...trickyScripts.filter(([, names]) => names !== null).map(([script]) => script), ...more];
const tokens =
  '$( ) " \' ` { } ( ) ; && || | <( $(( )) \\ ${ $\' # ! & a = * x=1 ~ [[ ]] {a,b} eval <<< >( if then fi do done $x "$x" cd / ;; f(){ -- [ ]'.split(
    " ",
  );
const spaced = [
  "\n",
  " ",
  "\t",
  "<<E\n",
  "\nE\n",
  "<<'E'\n",
  "> o ",
  "time ",
  "! ",
  "\\\n",
  "$IFS",
  "${x:-",
  "$(a)",
  "`b`",
  "; c",
  ' "d e" ',
];

/** The same scripts for the same seed. */
export function* mutatedScripts(seed: number, count: number): Generator<string> {
  let state = seed >>> 0;
  const below = (most: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % most;
  };
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  for (let made = 0; made < count;) {
    let script = pick(bases);
    for (let left = below(4); left > 0; left--) {
      const at = below(script.length + 1);
      const kind = below(4);
      if (kind === 0) script = script.slice(0, at) + pick(tokens) + script.slice(at);
      else if (kind === 1) script = script.slice(0, at) + pick(spaced) + script.slice(at);
      else if (kind === 2) script = script.slice(0, at) + script.slice(at + 1 + below(3));
      else script = `${script.slice(0, at)}${pick([";", "\n", " ", "$(", "("])}${pick(bases)}`;
    }
    made++;
    yield script;
  }
}

// One write each, because commands of a pipeline write at the same time.
const handler = `() { printf '%s\\001\\001' "$@" $'\\002\\002' >> "$RECORD"; return $((RANDOM & 1)); }`;
const driver =
  'for script in /in/*; do RECORD=/out/${script##*/} /usr/bin/timeout -s KILL 1 /bin/bash --noprofile --norc "$script" < /dev/null > /dev/null 2>&1; done';

/** For each script, the argument lists that bash would have started. */
export function commandsInBash(scripts: readonly string[]): string[][][] {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-oracle-"));
  try {
    const [from, to] = [join(directory, "in"), join(directory, "out")];
    for (const path of [from, to]) mkdirSync(path);
    for (const [index, script] of scripts.entries()) writeFileSync(join(from, `${index}`.padStart(6, "0")), script);
    const box =
      "--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev --tmpfs /tmp --chdir /tmp --unshare-all --die-with-parent --clearenv --setenv PATH /nonexistent --setenv HOME /home/me";
    const words = [
      ...box.split(" "),
      "--ro-bind",
      from,
      "/in",
      "--bind",
      to,
      "/out",
      "--setenv",
      "BASH_FUNC_command_not_found_handle%%",
      handler,
    ];
    const ended = spawnSync("/usr/bin/bwrap", [...words, "/bin/bash", "--noprofile", "--norc", "-c", driver], {
      encoding: "utf8",
    });
    if (ended.error !== undefined || (ended.status !== 0 && ended.stderr.includes("bwrap")))
      throw new Error(ended.stderr);
    const found: string[][][] = scripts.map(() => []);
    for (const name of readdirSync(to)) {
      const calls = readFileSync(join(to, name), "utf8").split("\u0002\u0002\u0001\u0001").slice(0, -1);
      const lists = calls.map((call) => call.split("\u0001\u0001").slice(0, -1));
      if (/^\d{6}$/.test(name)) found[Number(name)] = lists;
    }
    return found;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Whether an argument list is one of those that were read; a null stands for any words. */
export function isListed(argv: readonly string[], commands: readonly (readonly Word[])[]): boolean {
  return commands.some((words) => fits(words, argv));
}

function fits(words: readonly Word[], argv: readonly string[]): boolean {
  if (words.length === 0) return argv.length === 0;
  if (words[0] === null) {
    const rest = words.slice(1);
    return argv.some((_, index) => fits(rest, argv.slice(index))) || fits(rest, []);
  }
  return argv.length > 0 && words[0] === argv[0] && fits(words.slice(1), argv.slice(1));
}
