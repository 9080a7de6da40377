// Programs that start a command for words that they read: xargs and parallel. Shell passes xargs when the command
// behind it would pass whatever those words are.

import { fail, ok, type Result } from "../../shared/result.ts";
import { judgeOptions, refuseForm } from "../rules/judge-options.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import { type Form, type FormContext, judgedBy, programForm } from "../rules/shell-rule.ts";
import {
  joinedScript,
  startCommand,
  startScript,
  unknownStart,
  withMark,
  withWordsLater,
} from "../rules/start-rule.ts";

const xargsOptions: OptionSpec = {
  switches: "-0 --null -r --no-run-if-empty -t --verbose -x --exit --show-limits --help --version",
  values: "-I -L -n --max-args -P --max-procs -s --max-chars -d --delimiter -E --process-slot-var",
  optional: "-i --replace -e --eof -l --max-lines",
  paths: "-a --arg-file",
  refused: { "-p --interactive -o --open-tty": "asks at a terminal", "--process-slot-var": "sets a variable" },
  unknown: "refused",
  stand: "before operands",
};
/** BSD's xargs takes three more. */
const anyXargsOptions: OptionSpec = { ...xargsOptions, values: `${xargsOptions.values} -J -R -S` };

export const xargs: readonly Program[] = [
  program("xargs", {
    aliases: "gxargs",
    shell: judgedBy(judgeXargs),
    starts: ({ args }) => {
      const read = readOptions(args, anyXargsOptions);
      const mark = read.has("-I", "-i", "--replace", "-J")
        ? (read.value("-I", "-i", "--replace", "-J")?.text ?? "{}")
        : null;
      return startCommand(mark === null || mark === "" ? withWordsLater(read.operands) : withMark(read.operands, mark));
    },
  }),
  program("parallel", {
    starts: ({ args }) => {
      const read = readOptions(args, {
        values: "-j --jobs -N -n -L -a --arg-file -S --delay --timeout --joblog --colsep -I --tmpdir",
        stand: "before operands",
      });
      const end = read.operands.findIndex(({ text }) => text?.startsWith(":::") === true);
      const words = end < 0 ? read.operands : read.operands.slice(0, end);
      if (words.length === 0) return [unknownStart];
      const marked = words.some(({ text }) => text?.includes("{") === true)
        ? withMark(words, "{}")
        : withWordsLater(words);
      return startScript(joinedScript(marked));
    },
  }),
];

function judgeXargs(args: readonly string[], { later, judgeInner }: FormContext): Result<Form> {
  if (later !== null) return refuseForm("xargs would get words that nobody has judged.", "Start xargs by itself.");
  const read = judgeOptions("xargs", args, xargsOptions);
  if (!read.ok) return read;
  const marks = read.value.options
    .filter(({ name }) => /^(-I|-i|--replace)$/.test(name))
    .map(({ values: [mark] }) => mark ?? "{}");
  if (marks.length > 1 || marks[0] === "")
    return fail("invalid_args", "command: xargs takes one mark that it replaces.");
  const inner = read.value.operands.length === 0 ? ["echo"] : read.value.operands;
  const form = judgeInner(inner, { mark: marks[0] ?? null });
  if (!form.ok) return form;
  return ok(
    programForm([...read.value.paths, ...form.value.paths], {
      inner: form.value.inner,
      variables: form.value.variables,
    }),
  );
}
