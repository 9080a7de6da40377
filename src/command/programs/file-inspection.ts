// Programs that show files: ls stat file du wc head tail cat less sort uniq diff comm tr cut paste column.

import { showWord } from "../rules/judge-options.ts";
import type { OptionSpec } from "../rules/option-spec.ts";
import { type Program, program } from "../rules/program.ts";
import { reads, type WordCheck } from "../rules/shell-rule.ts";
import { optionStarting } from "../rules/start-rule.ts";

const sortOptions: OptionSpec = {
  values:
    "-k --key -t --field-separator -S --buffer-size --batch-size --parallel --sort -o --output --compress-program",
  optional: "--check",
  paths: "-T --temporary-directory --files0-from --random-source",
  switches:
    "-b --ignore-leading-blanks -c -C -d --dictionary-order -f --ignore-case -g --general-numeric-sort -h --human-numeric-sort -i --ignore-nonprinting -m --merge -M --month-sort -n --numeric-sort -r --reverse -R --random-sort -s --stable -u --unique -V --version-sort -z --zero-terminated --debug --help --version",
  refused: { "-o --output": "writes a file", "--compress-program": "starts another program" },
};

// less has its own way with options: `-b5o` goes on after the number, `-px$olog` after the dollar sign, and words with a
// `+` are keys that it types to itself. So only these spellings pass, as whole words.
const lessWords: readonly RegExp[] = [
  /^-[aABcCdeEfFgGiIJKLmMnNqQrRsSuUwWX~]+$/,
  /^-[bhjxyz]\d+$/,
  /^(-p|--pattern=)[^$]*$/,
  /^--(pattern|chop-long-lines|ignore-case|IGNORE-CASE|line-numbers|LINE-NUMBERS|no-init|quit-at-eof|QUIT-AT-EOF)$/,
  /^--(quit-if-one-screen|raw-control-chars|RAW-CONTROL-CHARS|squeeze-blank-lines|long-prompt|LONG-PROMPT|version|help)$/,
  /^-[V?]$/,
  /^\+(\d+|G)$/,
];

const findLessProblem: WordCheck = (_read, args) => {
  const end = args.indexOf("--");
  const options = end < 0 ? args : args.slice(0, end);
  const wrong = options.find((word) => /^[-+]./.test(word) && !lessWords.some((pattern) => pattern.test(word)));
  return wrong === undefined ? null : `${showWord(wrong)} can write files or run programs, or is not known`;
};

export const fileInspection: readonly Program[] = [
  program("ls", {
    shell: reads({
      values:
        "-I --ignore --hide -w --width -T --tabsize --block-size --format --sort --time --time-style --indicator-style --quoting-style",
      optional: "--color --hyperlink --classify",
      switches:
        "--all --almost-all --author --escape --ignore-backups --directory --dired --file-type --full-time --group-directories-first --no-group --human-readable --si --inode --dereference --numeric-uid-gid --literal --quote-name --reverse --recursive --size --context --zero --help --version",
      operands: "paths",
    }),
  }),
  program("stat", {
    shell: reads({
      values: "-c --format --printf --cached",
      switches: "-L --dereference -f --file-system -t --terse --help --version",
      operands: "paths",
    }),
  }),
  program("file", {
    shell: reads({
      values: "-e --exclude --exclude-quiet -F --separator -P --parameter",
      paths: "-f --files-from",
      pathLists: "-m --magic-file",
      switches:
        "-b --brief -c --checking-printout -d -E --extension -h --no-dereference -i --mime --mime-type --mime-encoding -k --keep-going -l --list -L --dereference -n --no-buffer -N --no-pad -0 --print0 -r --raw -s --special-files -v --version --help --apple -S --no-sandbox",
      refused: {
        "-C --compile": "writes a compiled magic file",
        "-p --preserve-date": "sets the times of files",
        "-z --uncompress -Z --uncompress-noreport": "starts programs that unpack",
      },
      operands: "paths",
    }),
  }),
  program("du", {
    shell: reads({
      values: "-B --block-size -d --max-depth -t --threshold --exclude --time-style",
      optional: "--time",
      paths: "-X --exclude-from --files0-from",
      switches:
        "-0 --null -a --all --apparent-size -b --bytes -c --total -D --dereference-args -H -h --human-readable --inodes -k -L --dereference -l --count-links -m -P --no-dereference -S --separate-dirs --si -s --summarize -x --one-file-system --help --version",
      operands: "paths",
    }),
  }),
  program("wc", {
    shell: reads({
      values: "--total",
      paths: "--files0-from",
      switches: "-c --bytes -m --chars -l --lines -L --max-line-length -w --words --debug --help --version",
      operands: "paths",
    }),
  }),
  program("head", {
    shell: reads({
      values: "-n --lines -c --bytes",
      switches: "-q --quiet --silent -v --verbose -z --zero-terminated --help --version",
      operands: "paths",
    }),
  }),
  program("tail", {
    shell: reads({
      values: "-n --lines -c --bytes --max-unchanged-stats --pid -s --sleep-interval",
      optional: "--follow",
      switches: "-f -F --retry -q --quiet --silent -v --verbose -z --zero-terminated --debug --help --version",
      operands: "paths",
    }),
  }),
  program("cat", {
    shell: reads({
      switches:
        "-A --show-all -b --number-nonblank -e -E --show-ends -n --number -s --squeeze-blank -t -T --show-tabs -u -v --show-nonprinting --help --version",
      operands: "paths",
    }),
  }),
  program("less", {
    shell: reads({
      values: "-p --pattern",
      operands: "paths",
      check: findLessProblem,
    }),
  }),
  program("sort", {
    aliases: "gsort",
    shell: reads({
      ...sortOptions,
      operands: "paths",
    }),
    starts: optionStarting(sortOptions, "--compress-program"),
  }),
  program("uniq", {
    shell: reads({
      values: "-f --skip-fields -s --skip-chars -w --check-chars",
      optional: "--all-repeated --group",
      switches: "-c --count -d --repeated -D -i --ignore-case -u --unique -z --zero-terminated --help --version",
      operands: { most: 1, why: "writes to its second operand" },
    }),
  }),
  program("diff", {
    shell: reads({
      values:
        "-C -U -W --width -I --ignore-matching-lines -L --label -x --exclude -F --show-function-line -S --starting-file --horizon-lines -D --ifdef --tabsize --line-format --old-group-format --new-group-format --unchanged-group-format --changed-group-format --old-line-format --new-line-format --unchanged-line-format --palette",
      optional: "--context --unified --color",
      paths: "-X --exclude-from --from-file --to-file",
      switches:
        "-a --text -b --ignore-space-change -B --ignore-blank-lines -c -d --minimal -e --ed -E --ignore-tab-expansion -H --speed-large-files -i --ignore-case -n --rcs -N --new-file -p --show-c-function -P --unidirectional-new-file -q --brief -r --recursive -s --report-identical-files -t --expand-tabs -T --initial-tab -u -v --version -w --ignore-all-space -y --side-by-side -Z --ignore-trailing-space --normal --left-column --suppress-common-lines --suppress-blank-empty --strip-trailing-cr --no-dereference --no-ignore-file-name-case --ignore-file-name-case --help",
      refused: { "-l --paginate": "starts another program" },
      operands: "paths",
    }),
  }),
  program("comm", {
    shell: reads({
      values: "--output-delimiter",
      switches: "-1 -2 -3 --check-order --nocheck-order --total -z --zero-terminated --help --version",
      operands: "paths",
    }),
  }),
  program("tr", {
    shell: reads({ operands: "text" }),
  }),
  program("cut", {
    shell: reads({
      values: "-b --bytes -c --characters -d --delimiter -f --fields --output-delimiter",
      switches: "-n -s --only-delimited --complement -z --zero-terminated --help --version",
      operands: "paths",
    }),
  }),
  program("paste", {
    shell: reads({
      values: "-d --delimiters",
      switches: "-s --serial -z --zero-terminated --help --version",
      operands: "paths",
    }),
  }),
  program("column", {
    shell: reads({
      values:
        "-c --columns --output-width -C --table-column -E --table-noextreme -H --table-hide -i --tree-id -l --table-columns-limit -N --table-columns -n --table-name -o --output-separator -O --table-order -p --tree-parent -R --table-right -r --tree -s --separator -T --table-truncate -W --table-wrap",
      switches:
        "-t --table -d -e --table-header-repeat -J --json -L --keep-empty-lines -m --table-maxout -x --fillrows --table-noheadings -h --help -V --version",
      longNames: "exact",
      operands: "paths",
    }),
  }),
];
