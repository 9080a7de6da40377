// Programs that build and measure: make, cmake, hyperfine, debuggers and tracers.

import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import { runsFreely } from "../rules/shell-rule.ts";
import {
  startCommand,
  type Started,
  startPrefixed,
  startScript,
  unknownStart,
  verbStarting,
  wrapper,
} from "../rules/start-rule.ts";
import { knownWord } from "../words/command-word.ts";
import { commandAfterLongOptions } from "./assignments.ts";

export const buildTools: readonly Program[] = [
  program("make", {
    aliases: "gmake",
    shell: runsFreely(),
    starts: ({ args }) => {
      const read = readOptions(args, {
        values: "-f --file --makefile -C --directory -E --eval -I --include-dir -o --old-file -W --what-if",
        optional: "-j --jobs -l --load-average -O --output-sync",
      });
      const files = read.valuesOf("-f", "--file", "--makefile");
      return [
        ...(files.some(({ text }) => text === "-" || text === "/dev/stdin")
          ? [{ kind: "input", read: recipesOf } as const]
          : []),
        ...read.valuesOf("-E", "--eval").flatMap(({ text }) => (text === null ? [unknownStart] : recipesOf(text))),
        ...startPrefixed(read.operands, /^(?:SHELL|\.SHELLFLAGS)=/).flatMap(() => [unknownStart]),
      ];
    },
  }),
  program("cmake", {
    starts: ({ args }) => {
      const [mode, verb, ...rest] = args;
      if (mode?.text !== "-E") return [];
      if (verb?.text === "env") return startCommand(commandAfterLongOptions(rest));
      if (verb?.text === "time") return startCommand(rest);
      return verb?.text === "chdir" ? startCommand(rest.slice(1), rest[0] ?? null) : [];
    },
  }),
  program("hyperfine", {
    starts: ({ args }) => {
      const scripts = "-p --prepare -s --setup -c --cleanup -C --conclude";
      const read = readOptions(args, {
        values: `${scripts} -w --warmup -m --min-runs -M --max-runs -r --runs -S --shell -u --time-unit -n --command-name -P --parameter-scan -L --parameter-list --export-json --export-csv --export-markdown --output --input --style --sort`,
      });
      return [...read.operands, ...read.valuesOf(...scripts.split(" "))].flatMap((script) => startScript(script));
    },
  }),
  program("perf", {
    starts: verbStarting(/^(?:stat|record|trace|mem|c2c|ftrace|kvm|sched|lock)$/, {
      options: {
        values:
          "-e --event -o --output -p --pid -t --tid -r --repeat -C --cpu -F --freq -c --count -x -I --call-graph -m --delay",
      },
    }),
  }),
  program("strace ltrace", {
    starts: wrapper({ values: "-o -e -p -u -s -E -a -P -S -I -b -X -O -n -l --trace --output" }),
  }),
  program("gdb lldb", {
    starts: ({ args }) => {
      const at = args.findIndex(({ text }) => /^--?args$/.test(text ?? "") || text === "--");
      const read = readOptions(at < 0 ? args : args.slice(0, at), {
        values: "-ex -eval-command -iex -x -command -p -pid -o -O",
        longNames: "one dash",
      });
      const typed = read.valuesOf("-ex", "-eval-command", "-iex", "-o", "-O");
      return [
        ...(at < 0 || args.length === at + 1 ? [] : [{ kind: "command", words: args.slice(at + 1) } as const]),
        ...startPrefixed(typed, /^\s*(?:shell\s+|!|platform shell\s+|make\s+)/),
      ];
    },
  }),
];

/** What a makefile runs: the lines of its recipes, and `$(shell …)`. */
function recipesOf(makefile: string): Started[] {
  const recipes = [...makefile.matchAll(/^\t[@+-]*(.*)$|^[^\t#=\n]*:[^=\n]*;[ \t]*[@+-]*(.*)$/gm)].map(
    ([, line, behind]) => line ?? behind ?? "",
  );
  const asked = [...makefile.matchAll(/\$[({]shell\s+([^)}]*)/g)].map(([, command]) => command ?? "");
  // A variable of make is unknown, and so is written as one of the shell.
  return [...recipes, ...asked].flatMap((line) => startScript(knownWord(line.replaceAll(/\$[({](\w+)[)}]/g, "$$$1"))));
}
