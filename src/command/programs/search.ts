// Text search: grep egrep rg ag awk sed jq yq. (xargs: wrappers.ts)

import { findAwkProblem } from "../awk-program.ts";
import type { OptionWords } from "../options.ts";
import { type ProgramRow, reading } from "../program-row.ts";
import { findSedProblem } from "../sed-script.ts";

const RUNS = "starts another program";
/** With one of these, sed and awk print something about themselves, and need no script. */
const shows: ReadonlySet<string> = new Set(["--version", "--help", "--copyright", "-C", "-V", "-h"]);

export const searchPrograms: readonly ProgramRow[] = [
  reading("grep egrep", {
    values:
      "-e --regexp -A --after-context -B --before-context -C --context -m --max-count -d --directories -D --devices --binary-files --label --include --exclude --exclude-dir",
    optional: "--color --colour",
    paths: "-f --file --exclude-from",
    switches:
      "-E --extended-regexp -F --fixed-strings -G --basic-regexp -P --perl-regexp -i --ignore-case -y --no-ignore-case -v --invert-match -w --word-regexp -x --line-regexp -c --count -l --files-with-matches -L --files-without-match -o --only-matching -q --quiet --silent -s --no-messages -b --byte-offset -H --with-filename -h --no-filename -n --line-number -T --initial-tab -Z --null -z --null-data -a --text -I -r --recursive -R --dereference-recursive -U --binary -u --unix-byte-offsets --line-buffered -V --version --help",
    operands: { first: "text", unless: "-e --regexp -f --file" },
    examples: {
      passes: [
        "grep -rn 'return;' src",
        "grep -e /etc/hosts docs",
        "grep -n 'a && b' src/x.c",
        "grep -A3 -m 1 x a.txt",
      ],
      refused: ["grep --regexp"],
    },
  }),
  reading("rg", {
    values:
      "-e --regexp -A --after-context -B --before-context -C --context -m --max-count -d --max-depth --maxdepth -M --max-columns -r --replace -E --encoding -j --threads -g --glob --iglob -t --type -T --type-not --type-add --type-clear --color --colors --context-separator --field-context-separator --field-match-separator --path-separator --sort --sortr --engine --dfa-size-limit --regex-size-limit --max-filesize --hyperlink-format --generate",
    paths: "-f --file --ignore-file",
    refused: {
      "--pre": RUNS,
      "--pre-glob": `goes with --pre, which ${RUNS}`,
      "-z --search-zip": "starts programs that unpack",
      "--hostname-bin": RUNS,
    },
    longNames: "exact",
    operands: { first: "text", unless: "-e --regexp -f --file --files --type-list" },
    examples: {
      passes: [
        "rg 'pattern' .",
        "rg 'foo|bar' src",
        "rg -F '$(' scripts",
        "rg '/etc/hosts' docs",
        'rg -n "foo" -g"*.py"',
        "rg --files src",
        "rg -e a -e b",
        "rg --ignore x -- --pre",
      ],
      refused: [
        "rg --pre=sh pat f",
        "rg --pre{=,=sh} pattern payload.sh",
        "rg --search-zip pat",
        "rg -nz pat",
        "rg --hostname-bin=x pat",
        "rg --ignore --pre=x pat",
        "rg pat --pre sh",
        "rg --pre-glob '*.x' pat",
      ],
    },
  }),
  reading("ag", {
    values:
      "-A -B -C -G --file-search-regex --depth --ignore --ignore-dir -m --max-count -W --width --workers --color-line-number --color-match --color-path",
    optional: "--after --before --context",
    paths: "-p --path-to-ignore",
    switches:
      "-c --count --color --nocolor --column -f --follow --hidden -i --ignore-case -l --files-with-matches -L --files-without-matches --list-file-types -n --norecurse --nonumbers --numbers -o --only-matching --passthrough --print-long-lines -Q --literal -r --recurse -s --case-sensitive -S --smart-case --search-binary --silent --stats -t --all-text -u --unrestricted -v --invert-match -V --version -w --word-regexp -z --search-zip -0 --null -a --all-types -g --filename --nofilename --group --nogroup --break --nobreak --help",
    refused: { "--pager": RUNS },
    operands: { first: "text", unless: "--list-file-types" },
    examples: {
      passes: ["ag TODO src", "ag -i '/root' ."],
      refused: ["ag --pager 'touch x' pat", "ag --page=less pat", "ag pat --pager=x", "ag --after --pager=x pat"],
    },
  }),
  reading("awk", {
    values: "-F --field-separator -v --assign -e --source -W",
    optional: "-L --lint",
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
    operands: { first: "text", unless: "-e --source" },
    check: findAwkWordProblem,
    examples: {
      passes: [
        "awk --version",
        "awk -W version",
        "awk '$3 > 100 {print $1}' data.txt",
        "awk -F: '{print $1, ($2 > 3)}' a",
        "awk '/a|b/' a",
        "awk '!seen[$0]++' a",
        "awk -v n=3 'NR==n' a",
        `awk '{printf "%s>%s\\n", $1, $2}' a`,
      ],
      refused: [
        `awk 'BEGIN{print 1 > "x"}'`,
        `awk '{print >> "x"}' a`,
        `awk 'BEGIN{"touch x" | getline}'`,
        `awk '{print | "sh"}' a`,
        `awk 'BEGIN{system("id")}'`,
        "awk 'BEGIN{while (getline line) n++}'",
        "awk -f p.awk",
        "awk -fp.awk",
        "awk -i inplace 1 a",
        "awk -o 1 a",
        "awk -W exec=p.awk",
        "awk -W version 1 a",
        "awk -Wversion -Wexec=p.awk",
        `awk --version 'BEGIN{system("id")}'`,
        `awk '@load "filefuncs"'`,
        "awk -F,",
      ],
    },
  }),
  reading("sed", {
    values: "-e --expression -l --line-length",
    switches:
      "-n --quiet --silent -E -r --regexp-extended -s --separate -u --unbuffered -z --null-data -b --binary --debug --follow-symlinks --posix --sandbox --help --version",
    refused: { "-f --file": "reads its script from a file", "-i --in-place": "writes files" },
    unknown: "refused",
    operands: { first: "text", unless: "-e --expression" },
    check: (read) => scriptProblem(read, "-e --expression", findSedProblem),
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
  reading("jq", {
    values: "--indent",
    paths: "-L --library-path",
    nameAndText: "--arg --argjson",
    nameAndPath: "--rawfile --slurpfile --argfile",
    // It takes no value of its own: it makes the first operand a file.
    switches: "-f --from-file",
    longNames: "exact",
    operands: { first: "text", unless: "-f --from-file" },
    examples: {
      passes: [
        "jq '.items[] | .name' data.json",
        "jq -n env",
        "jq --arg a '/etc' '$a' data.json",
        "jq -rf p.jq data.json",
      ],
      refused: ["jq --arg a"],
    },
  }),
  reading("yq", {
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
    examples: {
      passes: [
        "yq .a f.yml",
        "yq -n '.a.load = 1'",
        `yq '.x == "load"' f.yml`,
        "yq eval '.a' payload.yml",
        "yq -o=json f.yml",
      ],
      refused: [
        "yq -i .a=1 f.yml",
        "yq .a=1 f.yml -i",
        "yq --inplace .a=1 f",
        "yq -Pi .a=1 f",
        "yq -s .a f",
        `yq -n 'load_str("/etc/hostname")'`,
        `yq 'strload("x")' f`,
        `yq '..load("x")' f`,
        `yq 'eval("x")' f`,
      ],
    },
  }),
];

function findAwkWordProblem(read: OptionWords): string | null {
  const others = read.options.filter(({ name }) => name === "-W").flatMap(({ values }) => values);
  if (others.length === 0) return scriptProblem(read, "-e --source", findAwkProblem);
  const isAsked = others.every((value) => /^(version|help|usage)$/.test(value)) && read.operands.length === 0;
  return isAsked ? null : "-W can stand for any other option";
}

function scriptProblem(read: OptionWords, options: string, find: (script: string) => string | null): string | null {
  const names = options.split(" ");
  const given = read.options.filter(({ name }) => names.includes(name)).flatMap(({ values }) => values);
  const scripts = given.length > 0 ? given : read.operands.slice(0, 1);
  if (scripts.length === 0) return read.options.some(({ name }) => shows.has(name)) ? null : "has nothing to run";
  // Each option's text is a line or more of its own.
  const problem = find(scripts.join("\n"));
  return problem === null ? null : `does more than edit and print: ${problem}`;
}

// Operators that read other files, or run what they are given; not `.load`, which is a key, and not "load", a text.
const yqOperator =
  /(?:^|\.\.|[^A-Za-z_.$"])(load(?:_\w+|str|xml|props|base64)?|(?:str|xml|props|base64)_?load|eval|system)(?![A-Za-z_])/;

function findYqProblem(read: OptionWords, args: readonly string[]): string | null {
  // Two programs bear this name: what is an option with a value to one is a switch to the other.
  if (args.includes("-i")) return "-i writes files";
  // `yq eval …` and `yq e …` name a subcommand first.
  const operands = /^(e|ea|eval|eval-all)$/.test(read.operands[0] ?? "") ? read.operands.slice(1) : read.operands;
  const given = read.options.filter(({ name }) => name === "--expression").flatMap(({ values }) => values);
  const files = operands.slice(1).filter((word) => word.includes("("));
  for (const expression of [...given, ...operands.slice(0, 1), ...files]) {
    const found = yqOperator.exec(expression);
    if (found !== null) return `${found[1]} reads other files or runs what it is given`;
  }
  return null;
}
