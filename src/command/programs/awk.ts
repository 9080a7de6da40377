// awk. Shell passes awk programs that only compute and print. In a script, the commands that an awk program starts are found.

import type { JudgedOptions } from "../rules/judge-options.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { reads } from "../rules/shell-rule.ts";
import { type Started, startScript, unknownStart } from "../rules/start-rule.ts";
import { readOptions } from "../rules/read-options.ts";
import { knownWord } from "../words/command-word.ts";
import { findAwkProblem } from "./awk-program.ts";
import { findScriptProblem, startedByCode, startedByTexts } from "./code-texts.ts";

const awkOptions: OptionSpec = {
  values: "-F --field-separator -v --assign -e --source -W -f --file -E --exec -i --include -l --load",
  optional: "-L --lint -o --pretty-print -p --profile -d --dump-variables -D --debug",
  switches:
    "-b --characters-as-bytes -c --traditional -C --copyright -h -k --csv -n --non-decimal-data -N --use-lc-numeric -M --bignum -O --optimize -P --posix -r --re-interval -s --no-optimize -S --sandbox -t --lint-old -V --version --help",
  refused: {
    "-f --file": "reads its program from a file",
    "-E --exec": "reads its program from a file",
    "-i --include": "reads code from a file",
    "-l --load": "loads code from a file",
    "-o --pretty-print -p --profile -d --dump-variables": "writes a file",
    "-D --debug": "reads commands",
  },
  unknown: "refused",
  stand: "before operands",
};

export const awk: Program = program("awk", {
  aliases: "gawk mawk nawk original-awk",
  shell: reads({
    ...awkOptions,
    operands: { first: "text", unless: "-e --source" },
    check: findAwkWordProblem,
  }),
  starts: ({ args }) => {
    const read = readOptions(args, {
      values: "-F --field-separator -v --assign -e --source -f --file -E --exec -i --include -l --load -W",
      stand: "before operands",
    });
    return startedByCode(read, "-e --source", "-f --file -E --exec", startedByAwk);
  },
});

function findAwkWordProblem(read: JudgedOptions): string | null {
  const others = read.options.filter(({ name }) => name === "-W").flatMap(({ values }) => values);
  if (others.length === 0) return findScriptProblem(read, "-e --source", findAwkProblem);
  const isAsked = others.every((value) => /^(version|help|usage)$/.test(value)) && read.operands.length === 0;
  return isAsked ? null : "-W can stand for any other option";
}

/** An awk program without one of these starts nothing. */
const awkStarts = /\bsystem\b|\bgetline\b|@|\|(?!\|)/;
/** `system("x")`, `"x" | getline` and `print | "x"`, where the command is one text and nothing else. */
const awkCommand =
  /\bsystem\s*\(\s*"((?:[^"\\\n]|\\.)*)"\s*\)|(?<=^|[{;(\n])\s*"((?:[^"\\\n]|\\.)*)"\s*\|\s*getline|\|\s*"((?:[^"\\\n]|\\.)*)"(?=\s*(?:[};)\n]|$))/g;

function startedByAwk(program: string): readonly Started[] {
  if (!awkStarts.test(program) || findAwkProblem(program) === null) return [];
  const commands = [...program.matchAll(awkCommand)].map(([, ...texts]) =>
    texts
      .map((text) => text ?? "")
      .join("")
      .replaceAll(/\\(["\\/])/g, "$1"),
  );
  const rest = program.replaceAll(awkCommand, " ");
  const isKnown = !awkStarts.test(rest) || findAwkProblem(rest) === null;
  // A shell runs what awk prints to it.
  const isFed = commands.some((command) => /^(?:\S*\/)?(?:ba|da|k|z)?sh\b/.test(command));
  return [
    ...commands.flatMap((command) => startScript(knownWord(command))),
    ...(isKnown ? [] : [unknownStart]),
    ...(isKnown && !isFed ? [] : startedByTexts(program)),
  ];
}
