// Programs that run code from their arguments: interpreters, shells, package runners, wrappers; and programs whose effects
// cannot be undone.

import { baseName } from "../shared/path.ts";

const runners = new Set(
  (
    "sh bash dash zsh ksh fish csh tcsh busybox toybox env xargs eval exec source make cmake ninja " +
    "npx npm pnpm yarn bun bunx deno tsx ts-node uv uvx pip pip3 pipx poetry cargo go gem bundle rake composer mvn gradle " +
    "docker podman ssh su sudo doas pkexec runuser find awk gawk mawk nawk sed vim vi emacs rm rmdir shred unlink truncate dd " +
    ". command builtin timeout nice ionice nohup setsid stdbuf chrt taskset time watch parallel flock script strace ltrace gdb " +
    "unshare nsenter chroot systemd-run"
  ).split(" "),
);
const interpreters = /^(?:python|pypy|node|nodejs|ruby|perl|php|lua|luajit|tclsh|Rscript|java|osascript)[\d.]*$/;

/** `program` is a name or a path. */
export function runsOtherCode(program: string): boolean {
  return runners.has(baseName(program)) || interpreters.test(baseName(program));
}

const scriptByOption = new Set("awk gawk mawk nawk sed".split(" "));
const takesData = new Set("find rm rmdir shred unlink truncate dd vim vi emacs".split(" "));

/** The arguments that may be files of code for the program. */
export function codeOperands(program: string, words: readonly (string | null)[]): string[] {
  if (!runsOtherCode(program) || takesData.has(baseName(program))) return [];
  const known = words.filter((word) => word !== null);
  if (scriptByOption.has(baseName(program)))
    return known.flatMap((word, index) =>
      word === "-f" || word === "--file"
        ? known.slice(index + 1, index + 2)
        : /^(?:-f|--file=)/.test(word)
          ? [word.replace(/^(?:-f|--file=)/, "")]
          : [],
    );
  return known.map((word) => (word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word));
}
