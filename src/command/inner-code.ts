// Code of other languages on a command line: awk's and sed's, which are read, and that of interpreters, of which only is
// known whether it holds words that start programs. Such code starts something unknown; the texts in it may be commands.

import { findAwkProblem } from "./awk-program.ts";
import { type CommandWord, knownWord } from "./command-word.ts";
import { type Inner, innerRow, type InnerRow, innerScript, unknownInner } from "./inner-row.ts";
import { type LooseSpec, type LooseWords, readLoose } from "./loose-options.ts";
import type { RiskyCommand } from "./risk-row.ts";
import { findSedCommands } from "./sed-script.ts";

/** Without one of these an awk program starts nothing, however it is read. */
const awkStarts = /\bsystem\b|\bgetline\b|@|\|(?!\|)/;
/** Words with which a language starts programs, or runs a text as code. */
const scriptStarts =
  /\b(?:subprocess|os\s*\.\s*(?:exec|spawn|posix_spawn)\w*|pty|system|popen\d?|__import__|child_\w+|spawn(?:Sync)?|shell_exec|passthru|proc_open|os\.execute|Open3|Deno\.(?:run|Command)|Bun\.spawn\w*)\b|\bexec(?:File)?(?:Sync)?\s*\(|\bBun\.\$/;
const perlStarts = /`|\bqx\b|%x|\bopen\b[^;]*\||\bexec\b|\beval\b|\bspawn\b/;
const MOST_TEXTS = 40;

export const codeInner: readonly InnerRow[] = [
  innerRow(
    "awk gawk mawk nawk original-awk",
    [
      [`awk 'BEGIN{system("rm x")}'`, "rm x"],
      [`awk 'BEGIN{system("rm " f)}'`, "…"],
      [`awk '{print | "sh"}' a`, "…"],
      [`awk 'BEGIN{"date +%Y" | getline d; print d}'`, "date +%Y"],
      [`awk 'BEGIN{x "date" | getline d}'`, "…"],
      [`awk -F: -v n=1 '{print $n | "sort -u"}' a`, "sort -u"],
      [`gawk -e 'BEGIN{system("rm x")}'`, "rm x"],
      ["awk '/a|b/ || $3 > 1 {print $1}' a"],
      [`awk '{print > "out"}' a`],
      ["awk -f p.awk a"],
    ],
    ({ args }) => {
      const read = readLoose(args, {
        values: "-F --field-separator -v --assign -e --source -f --file -E --exec -i --include -l --load -W",
        stand: "before operands",
      });
      return codeOf(read, "-e --source", "-f --file -E --exec", awkInner);
    },
  ),
  innerRow(
    "sed gsed ssed",
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
      const read = readLoose(args, {
        values: "-e --expression -f --file -l --line-length",
        optional: "-i --in-place",
        switches: "--quiet --silent --regexp-extended --separate --null-data",
      });
      return codeOf(read, "-e --expression", "-f --file", (code) =>
        findSedCommands(code).flatMap((command) =>
          command === null ? [unknownInner] : innerScript(knownWord(command)),
        ),
      );
    },
  ),
  interpreter(
    "python python2 python3 pypy pypy3",
    "-c",
    { values: "-c -m -W -X", last: "-c -m", stand: "before operands" },
    [
      [`python3 -c 'import os; os.system("rm x")'`, "…"],
      [`python3 -Ic "__import__('os').system('rm x')"`, "…"],
      ["python3 - <<'E'\nimport subprocess\nE", "…"],
      ["python3 -c 'print(1)'"],
      ["python3 x.py -c y"],
      ["python3 -m pytest -c x"],
    ],
  ),
  interpreter(
    "perl ruby",
    "-e -E",
    { values: "-e -E", optional: "-i -0 -F -M -I -l -C -x -r", stand: "before operands" },
    [
      [`perl -e 'system("rm x")'`, "…"],
      ["perl -ne 'print `rm x`' a", "…"],
      [`ruby -e 'exec "rm x"'`, "…"],
      ["perl -i -pe 's/a/b/g' a"],
      ["perl -lane 'print $F[0]' a"],
    ],
  ),
  interpreter(
    "node nodejs deno bun php lua luajit tclsh Rscript julia groovy",
    "-e --eval -p --print -r --run -pe",
    { values: "-e --eval -p --print -r --run --require --import --loader", stand: "before operands" },
    [
      [`node -e 'spawnSync("rm", ["x"])'`, "…"],
      [`node -e 'x.execSync("rm x")'`, "…"],
      [`php -r 'system("rm x");'`, "…"],
      [`lua -e 'os.execute("rm x")'`, "…"],
      ["node -e 'console.log(`${1+1}`)'"],
      ["node -p process.version"],
      ["node x.js"],
    ],
  ),
];

function interpreter(names: string, options: string, spec: LooseSpec, examples: InnerRow["examples"]): InnerRow {
  const starts = names.startsWith("perl")
    ? (code: string) => scriptStarts.test(code) || perlStarts.test(code)
    : (code: string) => scriptStarts.test(code);
  return innerRow(names, examples, ({ args }: RiskyCommand) => {
    const code = (text: string): readonly Inner[] => (starts(text) ? [unknownInner, ...textsIn(text)] : []);
    const read = readLoose(args, spec);
    const given = read.valuesOf(...options.split(" "));
    if (given.length > 0) return given.flatMap(({ text }) => (text === null ? [] : code(text)));
    const [file] = read.operands;
    return file === undefined || isInput(file) ? [{ kind: "input", read: code }] : [];
  });
}

/** `system("x")`, `"x" | getline` and `print | "x"`, where the text stands alone. */
const awkCommand =
  /\bsystem\s*\(\s*"((?:[^"\\\n]|\\.)*)"\s*\)|(?<=^|[{;(\n])\s*"((?:[^"\\\n]|\\.)*)"\s*\|\s*getline|\|\s*"((?:[^"\\\n]|\\.)*)"(?=\s*(?:[};)\n]|$))/g;

function awkInner(program: string): readonly Inner[] {
  if (!awkStarts.test(program) || findAwkProblem(program) === null) return [];
  const commands = [...program.matchAll(awkCommand)].map(([, ...texts]) =>
    texts
      .map((text) => text ?? "")
      .join("")
      .replaceAll(/\\(["\\/])/g, "$1"),
  );
  const rest = program.replaceAll(awkCommand, " ");
  const isKnown = !awkStarts.test(rest) || findAwkProblem(rest) === null;
  // A shell runs what is printed to it.
  const isFed = commands.some((command) => /^(?:\S*\/)?(?:ba|da|k|z)?sh\b/.test(command));
  return [
    ...commands.flatMap((command) => innerScript(knownWord(command))),
    ...(isKnown ? [] : [unknownInner]),
    ...(isKnown && !isFed ? [] : textsIn(program)),
  ];
}

/** The code that options give, or the first operand; or the input, where that is the file of it. Unknown code says nothing. */
function codeOf(
  read: LooseWords,
  options: string,
  files: string,
  find: (code: string) => readonly Inner[],
): readonly Inner[] {
  const named = read.valuesOf(...files.split(" "));
  const given = read.valuesOf(...options.split(" "));
  const words = given.length > 0 ? given : named.length > 0 ? [] : read.operands.slice(0, 1);
  const codes = words.flatMap(({ text }) => (text === null ? [] : [text]));
  return [
    ...(codes.length === 0 ? [] : find(codes.join("\n"))),
    ...(named.some(isInput) ? [{ kind: "input", read: find } as const] : []),
  ];
}

function isInput({ text }: CommandWord): boolean {
  return text === "-" || /^\/dev\/(?:stdin$|fd\/)|^\/proc\/self\/fd\//.test(text ?? "");
}

const quoted = /"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)'|`([^`]*)`/g;
/** Up to one pair within another. */
const bracketed = /[[(][^[\]()]*(?:[[(][^[\]()]*[\])][^[\]()]*)*[\])]/g;

/** The texts in quotes, and those that stand in one pair of brackets in a row (`run(["git", "push"])`): any may be a command. */
function textsIn(code: string): Inner[] {
  const texts = [
    ...quotedIn(code),
    ...(code.match(bracketed) ?? []).slice(0, MOST_TEXTS).map((list) => quotedIn(list).join(" ")),
  ];
  return [...new Set(texts)]
    .filter((text) => /\S\s+\S/.test(text))
    .map((text): Inner => ({ kind: "script", script: knownWord(text), isText: true }));
}

function quotedIn(code: string): string[] {
  return [...code.matchAll(quoted)]
    .slice(0, MOST_TEXTS)
    .map(([, double, single, back]) => (double ?? single ?? back ?? "").replaceAll(/\\(["'\\])/g, "$1"));
}
