// sed. Shell passes sed scripts that only edit and print. In a script of bash, the commands that sed starts are found.

import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { reads } from "../rules/shell-rule.ts";
import { startScript, unknownStart } from "../rules/start-rule.ts";
import { readOptions } from "../rules/read-options.ts";
import { knownWord } from "../words/command-word.ts";
import { findScriptProblem, startedByCode } from "./code-texts.ts";
import { findSedCommands, findSedProblem } from "./sed-script.ts";

const sedOptions: OptionSpec = {
  values: "-e --expression -l --line-length -f --file",
  optional: "-i --in-place",
  switches:
    "-n --quiet --silent -E -r --regexp-extended -s --separate -u --unbuffered -z --null-data -b --binary --debug --follow-symlinks --posix --sandbox --help --version",
  refused: { "-f --file": "reads its script from a file", "-i --in-place": "writes files" },
  unknown: "refused",
};

export const sed: Program = program("sed", {
  aliases: "gsed ssed",
  shell: reads({
    ...sedOptions,
    operands: { first: "text", unless: "-e --expression" },
    check: (read) => findScriptProblem(read, "-e --expression", findSedProblem),
  }),
  starts: ({ args }) => {
    const read = readOptions(args, {
      values: "-e --expression -f --file -l --line-length",
      optional: "-i --in-place",
      switches: "--quiet --silent --regexp-extended --separate --null-data",
    });
    return startedByCode(read, "-e --expression", "-f --file", (code) =>
      findSedCommands(code).flatMap((command) => (command === null ? [unknownStart] : startScript(knownWord(command)))),
    );
  },
});
