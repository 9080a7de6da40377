// Programs that search and query text: grep egrep rg ag jq yq.

import type { JudgedOptions } from "../rules/judge-options.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { reads } from "../rules/shell-rule.ts";
import { optionStarting } from "../rules/start-rule.ts";

const RUNS = "starts another program";

const rgOptions: OptionSpec = {
  values:
    "-e --regexp -A --after-context -B --before-context -C --context -m --max-count -d --max-depth --maxdepth -M --max-columns -r --replace -E --encoding -j --threads -g --glob --iglob -t --type -T --type-not --type-add --type-clear --color --colors --context-separator --field-context-separator --field-match-separator --path-separator --sort --sortr --engine --dfa-size-limit --regex-size-limit --max-filesize --hyperlink-format --generate --pre --pre-glob --hostname-bin",
  paths: "-f --file --ignore-file",
  refused: {
    "--pre": RUNS,
    "--pre-glob": `goes with --pre, which ${RUNS}`,
    "-z --search-zip": "starts programs that unpack",
    "--hostname-bin": RUNS,
  },
  longNames: "exact",
};

export const textSearch: readonly Program[] = [
  program("grep egrep", {
    shell: reads({
      values:
        "-e --regexp -A --after-context -B --before-context -C --context -m --max-count -d --directories -D --devices --binary-files --label --include --exclude --exclude-dir",
      optional: "--color --colour",
      paths: "-f --file --exclude-from",
      switches:
        "-E --extended-regexp -F --fixed-strings -G --basic-regexp -P --perl-regexp -i --ignore-case -y --no-ignore-case -v --invert-match -w --word-regexp -x --line-regexp -c --count -l --files-with-matches -L --files-without-match -o --only-matching -q --quiet --silent -s --no-messages -b --byte-offset -H --with-filename -h --no-filename -n --line-number -T --initial-tab -Z --null -z --null-data -a --text -I -r --recursive -R --dereference-recursive -U --binary -u --unix-byte-offsets --line-buffered -V --version --help",
      operands: { first: "text", unless: "-e --regexp -f --file" },
    }),
  }),
  program("rg", {
    shell: reads({
      ...rgOptions,
      operands: { first: "text", unless: "-e --regexp -f --file --files --type-list" },
    }),
    starts: optionStarting(rgOptions, "--pre --hostname-bin"),
  }),
  program("ag", {
    shell: reads({
      values:
        "-A -B -C -G --file-search-regex --depth --ignore --ignore-dir -m --max-count -W --width --workers --color-line-number --color-match --color-path",
      optional: "--after --before --context",
      paths: "-p --path-to-ignore",
      switches:
        "-c --count --color --nocolor --column -f --follow --hidden -i --ignore-case -l --files-with-matches -L --files-without-matches --list-file-types -n --norecurse --nonumbers --numbers -o --only-matching --passthrough --print-long-lines -Q --literal -r --recurse -s --case-sensitive -S --smart-case --search-binary --silent --stats -t --all-text -u --unrestricted -v --invert-match -V --version -w --word-regexp -z --search-zip -0 --null -a --all-types -g --filename --nofilename --group --nogroup --break --nobreak --help",
      refused: { "--pager": RUNS },
      operands: { first: "text", unless: "--list-file-types" },
    }),
  }),
  program("jq", {
    shell: reads({
      values: "--indent",
      paths: "-L --library-path",
      nameAndText: "--arg --argjson",
      nameAndPath: "--rawfile --slurpfile --argfile",
      // -f takes no value: it makes the first operand a file.
      switches: "-f --from-file",
      longNames: "exact",
      operands: { first: "text", unless: "-f --from-file" },
    }),
  }),
  program("yq", {
    shell: reads({
      values: "-I --indent -p --input-format -o --output-format --expression",
      paths: "-f --from-file --front-matter -L --library-path",
      nameAndText: "--arg --argjson",
      nameAndPath: "--rawfile --slurpfile --argfile",
      refused: {
        "-i --inplace --in-place": "writes files",
        "-s --split-exp --split-exp-file": "writes files (slurping is --slurp)",
        "--security-enable-system-operator": "lets it start programs",
      },
      longNames: "exact",
      operands: "paths",
      check: findYqProblem,
    }),
  }),
];

// Operators that read other files, or run what they are given. `.load` is a key and "load" a text: they do not count.
const yqOperator =
  /(?:^|\.\.|[^A-Za-z_.$"])(load(?:_\w+|str|xml|props|base64)?|(?:str|xml|props|base64)_?load|eval|system)(?![A-Za-z_])/;

function findYqProblem(read: JudgedOptions, args: readonly string[]): string | null {
  // Two programs have this name. An option that takes a value in one is a switch in the other.
  if (args.includes("-i")) return "-i writes files";
  // `yq eval …` and `yq e …` name a subcommand first.
  const operands = /^(e|ea|eval|eval-all)$/.test(read.operands[0] ?? "") ? read.operands.slice(1) : read.operands;
  const values = read.options.filter(({ name }) => name === "--expression").flatMap(({ values }) => values);
  const files = operands.slice(1).filter((word) => word.includes("("));
  for (const expression of [...values, ...operands.slice(0, 1), ...files]) {
    const found = yqOperator.exec(expression);
    if (found !== null) return `${found[1]} reads other files or runs what it is given`;
  }
  return null;
}
