// Interpreters and compilers. Shell starts them with any words, because the box bounds them. In a script their code is
// not read: if it holds words that start programs, something unknown is started, and each text in it may be a command.

import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { runsFreely } from "../rules/shell-rule.ts";
import { type Started, type StartRule, unknownStart } from "../rules/start-rule.ts";
import { readOptions } from "../rules/read-options.ts";
import { isInputFile, startedByTexts } from "./code-texts.ts";

/** Words with which a language starts programs, or runs a text as code. */
const scriptStarts =
  /\b(?:subprocess|os\s*\.\s*(?:exec|spawn|posix_spawn)\w*|pty|system|popen\d?|__import__|child_\w+|spawn(?:Sync)?|shell_exec|passthru|proc_open|os\.execute|Open3|Deno\.(?:run|Command)|Bun\.spawn\w*)\b|\bexec(?:File)?(?:Sync)?\s*\(|\bBun\.\$/;
const perlStarts = /`|\bqx\b|%x|\bopen\b[^;]*\||\bexec\b|\beval\b|\bspawn\b/;

function interpreter(options: string, spec: OptionSpec, starts = [scriptStarts]): StartRule {
  const names = options.split(" ");
  return ({ args }) => {
    const code = (text: string): readonly Started[] =>
      starts.some((test) => test.test(text)) ? [unknownStart, ...startedByTexts(text)] : [];
    const read = readOptions(args, spec);
    const values = read.valuesOf(...names);
    if (values.length > 0) return values.flatMap(({ text }) => (text === null ? [] : code(text)));
    const [file] = read.operands;
    return file === undefined || isInputFile(file) ? [{ kind: "input", read: code }] : [];
  };
}

/** Languages that take code behind -e, --eval, -p, --print, -r or --run. */
export const evalStarting = interpreter("-e --eval -p --print -r --run -pe", {
  values: "-e --eval -p --print -r --run --require --import --loader",
  stand: "before operands",
});

export const interpreters: readonly Program[] = [
  program("python python3", {
    aliases: "python2 pypy pypy3",
    shell: runsFreely(),
    starts: interpreter("-c", { values: "-c -m -W -X", last: "-c -m", stand: "before operands" }),
  }),
  program("perl ruby", {
    starts: interpreter(
      "-e -E",
      { values: "-e -E", optional: "-i -0 -F -M -I -l -C -x -r", stand: "before operands" },
      [scriptStarts, perlStarts],
    ),
  }),
  program("node", {
    aliases: "nodejs",
    shell: runsFreely(),
    starts: evalStarting,
  }),
  program("deno php lua luajit tclsh Rscript julia groovy", { starts: evalStarting }),
  program("java javac", {
    shell: runsFreely(),
  }),
];
