// What Shell lets a program do, by its words. The examples of each program hold; here are also the paths that
// come out, the wrappers, the messages, and the forms that are easily forgotten.

import assert from "node:assert/strict";
import test from "node:test";
import { expandBraces } from "../../src/command/words/braces.ts";
import { createProgramTable, judgeForm } from "../../src/command/form.ts";
import { textOf } from "../../src/command/words/shell-word.ts";
import type { Form } from "../../src/command/rules/shell-rule.ts";
import { shellExamples } from "./examples/all-examples.ts";
import type { ShellExamples } from "./examples/program-examples.ts";
import { scanCommand } from "../../src/command/words/scan.ts";

const table = createProgramTable();

function wordsOf(command: string): string[] {
  const scanned = scanCommand(command);
  if (!scanned.ok) throw new Error(scanned.failure.message);
  return scanned.value.words.flatMap((word) => expandBraces(word, 100) ?? []).map(textOf);
}

function judged(command: string): Form {
  const form = judgeForm(wordsOf(command), table);
  if (!form.ok) throw new Error(form.failure.message);
  return form.value;
}

function failed(command: string) {
  const form = judgeForm(wordsOf(command), table);
  assert.ok(!form.ok, `${command} passes`);
  return form.failure;
}

test("the table has the seed's programs", () => {
  const seed =
    "ls find stat file du wc head tail cat less sort uniq diff comm tr cut paste column grep egrep rg ag awk sed xargs jq yq git " +
    "python python3 node npx uv cargo go java javac npm pip pip3 make base64 xxd hexdump echo printf date env printenv which type " +
    "uname id whoami pwd realpath dirname basename ast-grep repomix tree tokei cloc scc";
  assert.deepEqual([...table.keys()].toSorted(), seed.split(" ").toSorted());
});

test("every program may be asked for its version and its help", () => {
  // type has none: Shell answers it.
  const asked = [...table.keys()].filter((name) => name !== "type");
  const refused = asked
    .flatMap((name) => [`${name} --version`, `${name} --help`])
    .concat(
      "awk -V",
      "awk -W version",
      "awk -Wversion",
      "awk -h",
      "less -V",
      "less '-?'",
      "xxd -h",
      "xxd -v",
      "cloc -h",
    )
    .concat(
      "grep -V",
      "column -h",
      "column -V",
      "python3 -V",
      "node -v",
      "java -version",
      "go version",
      "tree --version",
    )
    .filter((command) => !judgeForm(wordsOf(command), table).ok);
  assert.deepEqual(refused, []);
  for (const command of ["sed", "awk", "awk -W dump", "less --help -o log", "cloc -h --out=x", "xxd -h a out"])
    assert.ok(!judgeForm(wordsOf(command), table).ok, `control: ${command} is refused`);
});

const paths: [string, string[]][] = [
  ["cat /etc/passwd", ["/etc/passwd"]],
  ["cat - a", ["a"]],
  ["cat -- -n", ["-n"]],
  ["rg '/etc/hosts' docs", ["docs"]],
  ["rg -e '/etc/hosts' docs more", ["docs", "more"]],
  ["rg --files /etc", ["/etc"]],
  ["rg x --ignore-file=/etc/a", ["/etc/a"]],
  ["grep -f/etc/shadow x", ["/etc/shadow", "x"]],
  ["grep -rf /etc/shadow x", ["/etc/shadow", "x"]],
  ["grep --file=/etc/shadow x", ["/etc/shadow", "x"]],
  ["grep --regex=a /etc/shadow", ["/etc/shadow"]],
  ["grep a --exclude-from=/etc/x", ["/etc/x"]],
  ["egrep 'a|b' f", ["f"]],
  ["ag /root src", ["src"]],
  ["sort -T /etc a", ["/etc", "a"]],
  ["sort --files0-from=/etc/x", ["/etc/x"]],
  ["wc --files0-from=/etc/hostname", ["/etc/hostname"]],
  ["wc --files0=/etc/hostname", ["/etc/hostname"]],
  ["du --files0-from=/etc/hostname", ["/etc/hostname"]],
  ["du -X/etc/x .", ["/etc/x", "."]],
  ["diff --line-format=%L /dev/null /etc/hostname", ["/dev/null", "/etc/hostname"]],
  ["diff --from-file=/etc/a b", ["/etc/a", "b"]],
  ["file -m /etc/hostname a.txt", ["/etc/hostname", "a.txt"]],
  ["file -m a:/etc/b x", ["a", "/etc/b", "x"]],
  ["file -f /etc/hostname", ["/etc/hostname"]],
  ["date -f /etc/hostname", ["/etc/hostname"]],
  ["date -r/etc/hostname +%s", ["/etc/hostname"]],
  ["date -d /etc", []],
  ["jq -n --rawfile x /etc/hostname '$x'", ["/etc/hostname"]],
  ["jq -f /out/p.jq", ["/out/p.jq"]],
  ["jq -nf /out/p.jq", ["/out/p.jq"]],
  ["jq -L/etc . a", ["/etc", "a"]],
  ["jq '/etc' a", ["a"]],
  ["yq --from-file /out/x a", ["/out/x", "a"]],
  ["sed -n 's,/etc,x,p' /etc/passwd", ["/etc/passwd"]],
  ["sed -e p /etc/passwd", ["/etc/passwd"]],
  ["awk -v a=/etc '{print a}' /etc/passwd", ["/etc/passwd"]],
  ["tr a /etc", []],
  ["echo /etc/passwd", []],
  ["echo --x=/etc/passwd -n/etc/x", []],
  ["basename /etc/passwd", []],
  ["realpath --relative-to=/etc a", ["/etc", "a"]],
  ["xxd -s 4 /etc/passwd", ["/etc/passwd"]],
  ["hexdump -f /etc/x a", ["/etc/x", "a"]],
  ["tree --gitfile /etc/x src", ["/etc/x", "src"]],
  ["cloc --list-file=/etc/x .", ["/etc/x", "."]],
  ["less -p /etc a", ["a"]],
  ["tail --nosuch=/etc/x", ["/etc/x"]],
  ["python3 /etc/x.py", []],
  ["find /etc -newer /etc/x -name '/etc/*' -newermt 2020-01-01 -samefile y", ["/etc", "/etc/x", "y"]],
  ["find . -exec cat {} /etc/passwd ';'", [".", "/etc/passwd"]],
  ["find . -exec cat ./found/../../etc/passwd {} +", [".", "./found/../../etc/passwd"]],
  ["find . -exec cat /etc/{} ';'", [".", "/etc/{}"]],
  ["env cat /etc/passwd", ["/etc/passwd"]],
  ["env -C / cat etc/passwd /a", ["/", "/etc/passwd", "/a"]],
  ["env --chdir=/etc env -C .. cat b", ["/etc", "/etc/..", "/etc/../b"]],
  ["xargs -a /out/list echo", ["/out/list"]],
  ["xargs --arg-file=/out/list cat /etc/x", ["/out/list", "/etc/x"]],
];

for (const [command, expected] of paths) {
  test(`paths of: ${command}`, () => {
    const form = judged(command);
    assert.ok(form.kind === "program");
    assert.deepEqual(
      form.paths.map(({ path }) => path),
      expected,
    );
  });
}

test("a path names the word it stands in", () => {
  assert.deepEqual(judged("grep -f/etc/shadow x"), {
    kind: "program",
    paths: [
      { path: "/etc/shadow", word: "-f/etc/shadow" },
      { path: "x", word: "x" },
    ],
    inner: [],
    variables: [],
  });
});

const inner: [string, string[][], string[]][] = [
  ["env", [], []],
  ["env A=b", [], ["A=b"]],
  ["env A=b C= ls -l", [["ls", "-l"]], ["A=b", "C="]],
  [
    "env - A=b env D=e cat x",
    [
      ["env", "D=e", "cat", "x"],
      ["cat", "x"],
    ],
    ["A=b", "D=e"],
  ],
  ["env -u HOME /usr/bin/ls", [["/usr/bin/ls"]], []],
  ["xargs", [["echo"]], []],
  ["xargs env A=b cat", [["env", "A=b", "cat"], ["cat"]], ["A=b"]],
  [
    "find . -exec cat {} + -exec env A=b wc {} ';'",
    [
      ["cat", "{}"],
      ["env", "A=b", "wc", "{}"],
      ["wc", "./found"],
    ],
    ["A=b"],
  ],
];

for (const [command, commands, variables] of inner) {
  test(`what it starts: ${command}`, () => {
    const form = judged(command);
    assert.ok(form.kind === "program");
    assert.deepEqual([form.inner, form.variables], [commands, variables]);
  });
}

test("git gives its subcommand and its directory", () => {
  const git = {
    kind: "git",
    words: ["status"],
    isAboutItself: false,
    directories: [],
    pathspecs: [],
    paths: [],
    inner: [],
    variables: [],
  };
  assert.deepEqual(judged("git --no-pager -C /repo log -p"), { ...git, words: ["log", "-p"], directories: ["/repo"] });
  assert.deepEqual(judged("git status"), git);
  assert.deepEqual(judged("git --glob-pathspecs --icase-pathspecs status"), { ...git, pathspecs: ["glob", "icase"] });
  assert.deepEqual(judged("git --version"), { ...git, words: ["--version"], isAboutItself: true });
  assert.deepEqual(judged("env A=b env -C src git -C deep status"), {
    ...git,
    directories: ["src", "deep"],
    paths: [{ path: "src", word: "src" }],
    inner: [
      ["env", "-C", "src", "git", "-C", "deep", "status"],
      ["git", "-C", "deep", "status"],
    ],
    variables: ["A=b"],
  });
});

test("type gives its names", () => assert.deepEqual(judged("type ls git"), { kind: "type", names: ["ls", "git"] }));

const messages: [string, string, RegExp][] = [
  ["touch x", "permission_denied", /^command: touch is not one of the programs that Shell starts\.$/],
  ["/tmp/evil/touch x", "permission_denied", /touch is not one/],
  ["./ls", "permission_denied", /\.\/ls is a file's path/],
  ["'' a", "permission_denied", /"" is not one/],
  ["LS", "permission_denied", /LS is not one/],
  ["'сat' a", "permission_denied", /"сat" is not one/],
  ["sort -o x a", "permission_denied", /^command: sort -o writes a file\.$/],
  ["find . -delete", "permission_denied", /^command: find -delete deletes files\.$/],
  ["sed 'w x' a", "permission_denied", /sed .*the command w writes a file/],
  ["awk '{print > \"x\"}'", "permission_denied", /awk .*print with > writes a file/],
  ["env touch x", "permission_denied", /touch is not one/],
  ["find . -exec touch {} ';'", "permission_denied", /touch is not one/],
  ["git -c a=b log", "permission_denied", /git -c before the subcommand/],
  ["git", "invalid_args", /needs a subcommand/],
  ["git help log", "permission_denied", /starts man/],
  ["git --version log", "permission_denied", /a question of its own/],
  ["xargs git log", "permission_denied", /judged by all of its words/],
  ["find . -exec git log ';'", "permission_denied", /judged by all of its words/],
  ["sort -k", "invalid_args", /sort -k needs a value/],
  ["find . -exec cat", "invalid_args", /-exec needs a command/],
  ["uniq a b", "permission_denied", /uniq writes to its second operand/],
  ["bash -lc id", "permission_denied", /bash is not one/],
];

for (const [command, error, message] of messages) {
  test(`says: ${command}`, () => {
    const failure = failed(command);
    assert.equal(failure.error, error);
    assert.match(failure.message, message);
    if (error === "permission_denied") assert.ok((failure.hint ?? "").length > 0);
  });
}

test("wrappers pass eight deep, and no deeper", () => {
  const nested = (count: number) => judgeForm([...Array.from({ length: count }, () => "env"), "ls"], table);
  assert.ok(nested(8).ok);
  const deeper = nested(9);
  assert.ok(!deeper.ok);
  assert.match(deeper.failure.message, /more than 8/);
});

test("names from the configuration are programs whose operands are paths; they change no row of the table", () => {
  const more = createProgramTable(["shellcheck", "sort"]);
  assert.deepEqual(judgeForm(["shellcheck", "-x", "/etc/a"], more), {
    ok: true,
    value: { kind: "program", paths: [{ path: "/etc/a", word: "/etc/a" }], inner: [], variables: [] },
  });
  assert.ok(!judgeForm(["sort", "-o", "x"], more).ok);
  assert.ok(!judgeForm(["shellcheck"], table).ok);
  for (const name of ["", "a/b", "-x", "a b"])
    assert.throws(() => createProgramTable([name]), /is not a program's name/);
});

function brokenExamples({ passes, refused }: ShellExamples): string[] {
  return [
    ...passes.filter((command) => !judgeForm(wordsOf(command), table).ok).map((command) => `${command} should pass`),
    ...refused.filter((command) => judgeForm(wordsOf(command), table).ok).map((command) => `${command} should not`),
  ];
}

test("the examples of the program table hold", () => {
  assert.deepEqual(
    shellExamples.flatMap(({ examples }) => brokenExamples(examples)),
    [],
  );
  assert.deepEqual(
    brokenExamples({ passes: ["sort -o x"], refused: ["sort x"] }),
    ["sort -o x should pass", "sort x should not"],
    "control: examples that do not hold are found",
  );
});

test("every rule has an example that passes, and one that is refused where it refuses anything", () => {
  for (const { program, rule, examples } of shellExamples) {
    assert.ok(examples.passes.length > 0, program);
    const refuses =
      rule.kind === "own" || rule.check !== null || (rule.kind === "reads" && rule.options.refused !== undefined);
    if (refuses) assert.ok(examples.refused.length > 0, program);
  }
});
