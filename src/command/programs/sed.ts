// sed. Shell passes sed scripts that only edit and print. In a script of bash, the commands that sed starts are found.

import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { reads } from "../rules/shell-rule.ts";
import { starting, startScript, unknownStart } from "../rules/start-rule.ts";
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
    examples: {
      passes: [
        "sed 's/foo;bar/x|y/' a.txt",
        "sed -n 1,5p a.txt",
        "sed -e 's/a/b/' -e 's/w/e/g' a.txt",
        "sed --expr='$!N;P;D' a",
        "sed --posix 's/a/b/' a.txt",
        "sed --version",
        "sed -En '/^a/,/b$/{s|/|-|g;p}' a",
      ],
      refused: [
        "sed '1e touch x' a",
        "sed 's/.*/touch x/e' a",
        "sed 's/a/b/gw out' a",
        "sed -n 'w out' a",
        "sed '$r /etc/hostname' a",
        "sed -i s/a/b/ a",
        "sed -ni.bak p a",
        "sed s/a/b/ a --in-pl",
        "sed -f s.sed a",
        "sed -e p -fs.sed a",
        "sed --version -i",
        "sed --posix -n 'w out' a",
        "sed",
        "sed -n",
      ],
    },
  }),
  starts: starting(
    [
      ["sed '1e rm x' a", "rm x"],
      ["sed -n -e p -e '$e rm x' a", "rm x"],
      ["sed 's/.*/rm x/e' a", "…"],
      ["sed 'w out\n1e rm x' a", "rm x"],
      ["sed -i 's/a/b/g;s|x|y|w log' a"],
      ["sed -n '/a/,/b/{s/e/f/;p}' a"],
      ["sed -f s.sed a"],
    ],
    ({ args }) => {
      const read = readOptions(args, {
        values: "-e --expression -f --file -l --line-length",
        optional: "-i --in-place",
        switches: "--quiet --silent --regexp-extended --separate --null-data",
      });
      return startedByCode(read, "-e --expression", "-f --file", (code) =>
        findSedCommands(code).flatMap((command) =>
          command === null ? [unknownStart] : startScript(knownWord(command)),
        ),
      );
    },
  ),
});
