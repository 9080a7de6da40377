// env. Shell passes it when the command behind it would pass by itself.

import { ok, type Result } from "../../shared/result.ts";
import { joinPath, isAbsolutePath } from "../../shared/path.ts";
import { judgeOptions, type PathWord, refuseForm } from "../rules/judge-options.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { readOptions } from "../rules/read-options.ts";
import { type Form, type FormContext, judgedBy, programForm } from "../rules/shell-rule.ts";
import { startCommand, type Started, unknownStart } from "../rules/start-rule.ts";
import { type CommandWord, knownWord } from "../words/command-word.ts";
import { commandAfterAssignments } from "./assignments.ts";
import { startedByVariable } from "./command-variables.ts";

const envOptions: OptionSpec = {
  switches: "-i --ignore-environment -0 --null -v --debug --list-signal-handling --help --version",
  values: "-u --unset -S --split-string -a --argv0",
  optional: "--block-signal --default-signal --ignore-signal",
  paths: "-C --chdir",
  refused: { "-S --split-string": "makes words that nobody has judged", "-a --argv0": "gives a program another name" },
  unknown: "refused",
  stand: "before operands",
  last: "-S --split-string",
};
/** BSD's env takes -P as well. */
const anyEnvOptions: OptionSpec = { ...envOptions, values: `${envOptions.values} -P` };

export const env: Program = program("env", {
  aliases: "genv",
  shell: judgedBy(judgeEnv),
  starts: ({ args }) => startedByEnv(args),
});

function judgeEnv(args: readonly string[], { later, judgeWhole }: FormContext): Result<Form> {
  const read = judgeOptions("env", args, envOptions);
  if (!read.ok) return read;
  const words = read.value.operands[0] === "-" ? read.value.operands.slice(1) : read.value.operands;
  const start = words.findIndex((word) => !word.includes("="));
  const variables = start < 0 ? words : words.slice(0, start);
  const inner = start < 0 ? [] : words.slice(start);
  if (variables.some((word) => word.startsWith("PATH=")))
    return refuseForm(
      "env PATH=… changes which program is started.",
      "Leave it out: programs are found in fixed places.",
    );
  const own = args.slice(0, args.length - inner.length);
  const mark = later?.mark ?? null;
  const isChangedLater = mark === null ? inner.length === 0 : own.some((word) => word.includes(mark));
  if (later !== null && isChangedLater) return refuseForm("env would get words that nobody has judged.");
  if (inner.length === 0) return ok(programForm(read.value.paths, { variables }));
  const form = judgeWhole(inner, later);
  if (!form.ok) return form;
  const directory = read.value.options.findLast(({ name }) => name === "-C" || name === "--chdir")?.values[0];
  const paths = directory === undefined ? form.value.paths : form.value.paths.map((path) => pathFrom(directory, path));
  const around = programForm([...read.value.paths, ...paths], {
    inner: form.value.inner,
    variables: [...variables, ...form.value.variables],
  });
  if (form.value.kind === "program") return ok(around);
  const from = directory === undefined ? [] : [directory];
  const { paths: allPaths, inner: allInner, variables: allVariables } = around;
  return ok({
    ...form.value,
    paths: allPaths,
    inner: allInner,
    variables: allVariables,
    directories: [...from, ...form.value.directories],
  });
}

/** A path of the inner program, which env starts in another directory. */
function pathFrom(directory: string, { path, word }: PathWord): PathWord {
  return { path: isAbsolutePath(path) ? path : joinPath(directory, path), word };
}

function startedByEnv(args: readonly CommandWord[], depth = 0): Started[] {
  const read = readOptions(args, anyEnvOptions);
  const split = read.value("-S", "--split-string");
  if (split !== null) {
    const words = split.text === null || depth > 4 ? null : splitWords(split.text);
    return words === null ? [unknownStart] : startedByEnv([...words, ...read.operands], depth + 1);
  }
  const operands = read.operands[0]?.text === "-" ? read.operands.slice(1) : read.operands;
  const command = commandAfterAssignments(operands);
  const set = operands.slice(0, operands.length - command.length).flatMap(({ text }) => {
    const equals = text?.indexOf("=") ?? -1;
    return text === null || equals < 0
      ? []
      : startedByVariable(text.slice(0, equals), knownWord(text.slice(equals + 1)));
  });
  return [...startCommand(command, read.value("-C", "--chdir")), ...set];
}

/** Splits a text as env -S would; null: it holds quotes or variables that env reads in its own way. */
function splitWords(text: string): CommandWord[] | null {
  const found = text.match(/(?:[^\s"'$\\#]|"[^"$\\]*"|'[^'\\]*')+|\S/g) ?? [];
  if (found.some((word) => /^["'$\\#]$/.test(word))) return null;
  return found.map((word) => knownWord(word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2")));
}
