// Programs that encode, print and tell about the machine: base64 xxd hexdump echo printf date printenv which type uname
// id whoami pwd realpath dirname basename.

import { fail, ok, type Result } from "../../shared/result.ts";
import { pathWords, refuseForm, showWord } from "../rules/judge-options.ts";
import { type Program, program } from "../rules/program.ts";
import { type Form, type FormContext, judgedBy, programForm, reads } from "../rules/shell-rule.ts";

export const systemInformation: readonly Program[] = [
  program("base64", {
    shell: reads({
      values: "-w --wrap",
      switches: "-d -D --decode -i --ignore-garbage --help --version",
      refused: { "-o --output": "writes a file" },
      operands: "paths",
    }),
  }),
  program("xxd", {
    shell: judgedBy(readXxd),
  }),
  program("hexdump", {
    shell: reads({
      values: "-e --format -n --length -s --skip",
      optional: "-L --color",
      paths: "-f --format-file",
      longNames: "exact",
      operands: "paths",
    }),
  }),
  program("echo printf", {
    shell: reads({
      operands: "text",
    }),
  }),
  program("date", {
    shell: reads({
      values: "-d --date --rfc-3339",
      optional: "-I --iso-8601",
      paths: "-f --file -r --reference",
      switches: "-u --utc --universal -R --rfc-email --resolution --debug --help --version",
      refused: { "-s --set": "sets the clock" },
      unknown: "refused",
      operands: "text",
      check: ({ operands }) => {
        const setting = operands.find((word) => !word.startsWith("+"));
        return setting === undefined ? null : `${showWord(setting)} sets the clock; a format begins with a +`;
      },
    }),
  }),
  program("printenv which uname id whoami pwd dirname basename", {
    shell: reads({
      operands: "text",
    }),
  }),
  program("realpath", {
    shell: reads({
      paths: "--relative-to --relative-base",
      switches:
        "-e --canonicalize-existing -m --canonicalize-missing -L --logical -P --physical -q --quiet -s --strip --no-symlinks -z --zero --help --version",
      operands: "paths",
    }),
  }),
  program("type", {
    shell: judgedBy(readType),
  }),
];

// xxd takes long names with one dash, and values joined or not. It writes to its second operand.
const xxdSwitch =
  /^--?(a|autoskip|b|bits|C|capitalize|d|e|E|EBCDIC|h|help|i|include|p|ps|postscript|plain|r|revert|u|uppercase|upper|v|version)$/;
const xxdValue = /^--?(c|cols|g|groupsize|group|l|len|n|name|o|offset|s|seek|skip|R)(\+?-?\d\w*)?$/;

function readXxd(args: readonly string[], { later }: FormContext): Result<Form> {
  let at = 0;
  // The first operand ends the options: in `xxd a -r`, -r is a file.
  for (; args[at]?.startsWith("-") === true && args[at] !== "-"; at++) {
    const word = args[at] ?? "";
    if (word === "--") {
      at++;
      break;
    }
    const value = xxdValue.exec(word);
    if (value === null && !xxdSwitch.test(word)) {
      return refuseForm(`xxd ${showWord(word)} is not an option that Shell lets through.`);
    }
    if (value !== null && value[2] === undefined) at++;
  }
  const operands = args.slice(at);
  if (operands.length > 1 || later !== null) return refuseForm("xxd writes to its second operand.");
  return ok(programForm(pathWords(operands)));
}

function readType(args: readonly string[], { isInside }: FormContext): Result<Form> {
  if (isInside) return refuseForm("type is no program: Shell answers it, and nothing can start it.", "Use which.");
  if (args.length === 0) return fail("invalid_args", "command: type needs a name.");
  const option = args.find((word) => word.startsWith("-"));
  if (option !== undefined)
    return fail("invalid_args", `command: type ${showWord(option)} is not answered here.`, {
      hint: "Give names alone.",
    });
  return ok({ kind: "type", names: args });
}
