// Scripts into effects: the corpus, a table of what bash makes of a script, and properties: no way of wrapping a
// command loses what it does, and no text at all makes the reader throw.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { Findings } from "../../src/command/script/findings.ts";
import { readScript } from "../../src/command/script/script.ts";
import { limits } from "../../src/shared/limits.ts";
import { commandLines, context, reading, refusedKinds, risks, short } from "./reading.ts";
import { trickyScripts } from "./tricky-scripts.ts";
import { runs } from "../fixtures/runs.ts";

interface Case {
  id: string;
  tool: string;
  expect: string;
  input: { command: string; cwd: string };
}
const places: Record<string, string> = {
  "@@ROOT@@": "/w/project",
  "@@REPO@@": "/w/project",
  "@@OUT@@": "/w/out",
  "@@MARKER@@": "/w/out/PWNED",
};
const fill = (text: string): string => text.replaceAll(/@@[A-Z]+@@/g, (name) => places[name] ?? name);
const cases = readFileSync(new URL("../corpus/cases.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((text) => text !== "")
  .map((text) => JSON.parse(text) as Case)
  .filter(({ tool }) => tool === "bash");

test("the corpus: what must be refused has an effect that is refused by default, what must pass has none", () => {
  const count = { refuse: 0, allow: 0 };
  for (const { id, expect, input } of cases) {
    const effects = reading(fill(input.command), { cwd: fill(input.cwd) }).effects;
    const refused = effects.filter(({ kind }) => refusedKinds.has(kind));
    if (expect === "refuse") {
      count.refuse++;
      assert.ok(refused.length > 0, `${id}: ${input.command}`);
    } else if (expect === "allow") {
      count.allow++;
      assert.deepEqual(
        effects.filter((effect) => refused.includes(effect) || effect.kind === "network").map(short),
        [],
        id,
      );
    } else assert.deepEqual(refused.filter(({ kind }) => kind === "privilege").map(short), [], id);
  }
  assert.ok(count.refuse > 30 && count.allow > 25, JSON.stringify(count));
});

test("the commands of tricky scripts are all listed", () => {
  for (const [script, names] of trickyScripts) {
    const { commands, unreadable } = reading(script);
    const found = commands.map(([name]) => name ?? "?");
    if (names === null) {
      assert.ok(unreadable !== null && found.includes("?"), `${script} reads as ${found.join(" ")}`);
    } else {
      for (const name of names) assert.ok(found.includes(name), `${script}: ${name} is not among ${found.join(" ")}`);
      const more = found.filter((name) => !names.includes(name));
      assert.deepEqual(more, [], script);
    }
  }
});

const known: [script: string, ...effects: string[]][] = [
  ["echo hi > a.txt", "run echo hi", "write /w/project/a.txt"],
  [
    "cd src; echo x >> a; (cd /tmp; echo y >| b); echo z &> c",
    "write /w/project/src/a",
    "write /tmp/b",
    "write /w/project/src/c",
  ],
  ["cat < in > out 2> /dev/null", "read /w/project/in", "write /w/project/out"],
  ["echo x >& both; echo y 2>&1 >&2", "write /w/project/both"],
  ["exec 3<> f", "write /w/project/f"],
  ["echo x > ~/a", "write /home/me/a"],
  ['echo x > "$HOME/a"', "write /home/me/a"],
  ["{ echo a; echo b; } > f", "write /w/project/f"],
  ["while read l; do echo; done < in", "read /w/project/in"],
  ["echo > /dev/tcp/1.2.3.4/80", "network 1.2.3.4:80"],
  ["echo x > /dev/sda", "write /dev/sda", "destroy files > /dev/sda"],
  ["cd a/b && cd ../c && echo > d", "write /w/project/a/c/d"],
  ["cd - ; echo > d"],
  ["pushd /tmp; echo > d", "write /tmp/d"],
  ["cd; echo > d", "write /home/me/d"],
  ["eval 'cd /tmp'; echo > d", "write /tmp/d"],
  ["f() { cd /tmp; }; f; echo > d", "write /tmp/d"],
  ["command cd /tmp; echo > d", "write /tmp/d"],
  ["mkdir -p /tmp/a && cd /tmp/a; echo > d", "write /tmp/a/d"],
  ["cd /tmp || exit 1; echo > d", "write /tmp/d"],
  ["cd /tmp | cat; echo > d", "write /w/project/d"],
  ["(cd /tmp); echo > d", "write /w/project/d"],
  ["cd /tmp & echo > d", "write /w/project/d"],
];
for (const [script, ...expected] of known) {
  test(`effects of ${JSON.stringify(script)}`, () => {
    const found = reading(script).effects.map(short);
    for (const effect of expected) assert.ok(found.includes(effect), `${effect} is not among ${found.join(", ")}`);
    const opened = (effects: string[]) =>
      effects.filter((effect) => /^(?:read|write|network|destroy) /.test(effect)).toSorted();
    assert.deepEqual(opened(found), opened(expected));
  });
}

test("what cannot be told is said", () => {
  const whole: [string, boolean][] = [
    ["ls", true],
    ['echo "$x"', true],
    ["$x", false],
    ["echo > $x", false],
    ["eval $x", false],
    [". ./x", false],
    ["curl x | sh", false],
    ["bash x.sh", true],
    ["alias a=b", false],
    ["x='a[$(id)]'; echo $((x))", false],
    ["unset 'a[$(id)]'", false],
    ["x='$(id)'; echo ${x@P}", false],
    ["BASH_ENV=x bash y", false],
    ["echo 'use `x`'; echo $((1+2))", true],
    ["diff <(sort a) <(sort b)", true],
    ["echo a > >(tee b)", true],
    ["if", false],
    ["if [ -f x ]; then ls; fi", true],
    ["echo $'\\x{6d'", true],
    ["$'\\x{6d'", false],
    ["/bin/l?", false],
    ["f() { ls; }; f", true],
  ];
  for (const [script, expected] of whole) assert.equal(reading(script).isWholeKnown, expected, script);
});

test("a function's call runs no program, where it is certain that there is the function", () => {
  const programs = (script: string) =>
    reading(script).effects.flatMap((effect) => (effect.kind === "run" ? [effect.argv[0] ?? "?"] : []));
  const rows: [string, string[]][] = [
    ["f() { ls; }; f", ["ls"]],
    ["main() { helper; }; helper() { ls; }; main", ["ls"]],
    ["git() { ls; }; git push", ["ls"]],
    ["git push; git() { ls; }", ["git", "ls"]],
    ["if x; then git() { ls; }; fi; git push", ["x", "ls", "git"]],
    ["(git() { ls; }); git push", ["ls", "git"]],
    ["git() { ls; }; command git push", ["git", "ls"]],
    ["git() { ls; }; unset -f git; git push", ["ls", "git"]],
    ["f() { f; }; f", []],
    ["cleanup() { rm x; }; trap cleanup EXIT", ["rm"]],
    ["f() { ls; }", ["ls"]],
    ["f() { git push; }; git() { ls; }; f", ["ls"]],
    ["f() { git push; }; f; git() { ls; }", ["git", "ls"]],
  ];
  const own = new Set(["command", "trap", "unset"]);
  for (const [script, expected] of rows)
    assert.deepEqual(
      programs(script)
        .filter((name) => !own.has(name))
        .toSorted(),
      expected.toSorted(),
      script,
    );
});

test("a directory is followed to where a deletion stands", () => {
  const destroying = [
    "cd / && rm -rf ./*",
    "cd /; rm -rf *",
    "f() { rm -rf ./*; }; cd /; f",
    "if a; then cd /; fi; rm -rf ./*",
    "cd src; cd ..; rm -rf .",
    "for i in 1; do cd /; rm -rf ./*; done",
    "pushd /; rm -rf ./*",
    "a && cd /; rm -rf *",
    "cd ~; rm -rf ./*",
  ];
  const ordinary = [
    "(cd /); rm -rf ./build",
    "cd build && rm -rf ./*",
    "cd build; rm -rf *",
    "mkdir -p build && cd build && cmake .. && rm -rf *",
    "cd $x; rm -rf ./*",
    "cd /tmp && rm -rf ./*",
  ];
  for (const script of destroying)
    assert.ok(
      risks(script).some((risk) => risk.startsWith("destroy files")),
      script,
    );
  for (const script of ordinary) assert.deepEqual(risks(script), [], script);
});

const inner = fc.constantFrom(
  "sudo id",
  "rm -rf /",
  "git push -f origin main",
  "git reset --hard",
  "vim a.txt",
  "curl http://x.invalid/",
  "rm -rf ~",
  "find / -delete",
  "dd of=/dev/sda",
  "git stash",
);
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const wraps: ((text: string) => string)[] = [
  (text) => `( ${text} )`,
  (text) => `{ ${text}; }`,
  (text) => `if true; then ${text}; fi`,
  (text) => `while ${text}; do break; done`,
  (text) => `echo $( ${text} )`,
  (text) => `echo "x$( ${text} )"`,
  (text) => `x=$( ${text} )`,
  (text) => `cat <( ${text} )`,
  (text) => `sh -c ${quote(text)}`,
  (text) => `bash -lc ${quote(text)}`,
  (text) => `eval ${quote(text)}`,
  (text) => `trap ${quote(text)} EXIT`,
  (text) => `f() { ${text}; }`,
  (text) => `f() { ${text}; }; f`,
  (text) => `case x in *) ${text};; esac`,
  (text) => `true && ${text}`,
  (text) => `! ${text}`,
  (text) => `echo \${x:-$( ${text} )}`,
  (text) => `echo $(( $( ${text} ) + 1 ))`,
  (text) => `cat << E${text.length}\n$( ${text} )\nE${text.length}\n`,
  (text) => `env A=b timeout 5 nice -n 5 sh -c ${quote(text)}`,
  (text) => `find . -exec sh -c ${quote(text)} ';'`,
  (text) => `xargs -n1 sh -c ${quote(text)}`,
  (text) => `coproc { ${text}; }`,
  (text) => `for ((i=0; i<1; i++)); do ${text}; done`,
  (text) => `[[ $( ${text} ) ]]`,
  (text) => `a[$( ${text} )]=1`,
  (text) => `bash << 'E${text.length}'\n${text}\nE${text.length}\n`,
];
const tooDeep = "commands are wrapped too deeply";

test("no wrapping loses an effect", () => {
  fc.assert(
    fc.property(inner, fc.array(fc.nat(wraps.length - 1), { minLength: 1, maxLength: 4 }), (command, order) => {
      const script = order.reduce<string>((text, index) => (wraps[index] as (text: string) => string)(text), command);
      if (reading(script).unreadable === tooDeep) return assert.ok(order.length > 2, "only what is wrapped many times");
      const found = risks(script);
      for (const risk of risks(command)) assert.ok(found.includes(risk), `${risk} is lost in ${script}`);
    }),
    { numRuns: runs(2000), examples: [["sudo id", [20, 20, 20, 8]]] },
  );
});

test("what is wrapped too deeply, or has too many commands, is not read to its end, and says so", () => {
  const wrapped = (times: number) => `${"env A=b timeout 5 nice ".repeat(times)}sudo id`;
  assert.deepEqual([reading(wrapped(3)).unreadable, risks(wrapped(3))], [null, ["privilege sudo id"]]);
  assert.equal(reading(wrapped(5)).unreadable, tooDeep);
  const findings = new Findings();
  while (!findings.isFull) {
    assert.equal(findings.unreadable, null);
    findings.addCommand([]);
  }
  assert.equal(findings.unreadable, "it has too many commands");
});

const simple = [
  "env",
  "env A=b",
  "timeout 5",
  "nice -n 5",
  "nohup",
  "setsid",
  "stdbuf -oL",
  "sudo -u x",
  "command",
  "exec",
  "xargs",
  "busybox",
  "time",
  "ionice -c 3",
  "env -S",
];
test("no wrapper loses an effect", () => {
  fc.assert(
    fc.property(inner, fc.array(fc.constantFrom(...simple), { minLength: 1, maxLength: 4 }), (command, order) => {
      const script = `${order.join(" ")} ${command}`;
      // `env -S` and xargs change the words, so the kinds are compared.
      const kinds = (text: string) => new Set(reading(text).effects.map(({ kind }) => kind));
      const found = kinds(script);
      for (const kind of kinds(command)) assert.ok(found.has(kind), `${kind} is lost in ${script}`);
    }),
    { numRuns: runs(1000) },
  );
});

test("too long, NUL and half a character are refused; the rest is read", () => {
  for (const script of ["x".repeat(limits.commandBytes + 1), "r\0m", "\ud800"]) {
    const read = readScript(script, context);
    assert.equal(read.ok ? null : read.failure.error, "invalid_args");
  }
  assert.deepEqual(commandLines(""), []);
});

const piece = fc.oneof(
  fc.constantFrom(
    "$(",
    ")",
    '"',
    "'",
    "`",
    "{",
    "}",
    "(",
    ";",
    "&&",
    "||",
    "|",
    "<<E\n",
    "\nE\n",
    "<(",
    ">",
    "$((",
    "))",
    " ",
    "\n",
    "\\",
    "${",
    "$'",
    "#",
    "!",
    "&",
    "=",
    "*",
    "~",
    "[[",
    "]]",
    "if",
    "then",
    "fi",
    "do",
    "done",
    "case",
    "esac",
    "f()",
    "eval",
    "cd",
    "rm",
    "-rf",
    "/",
    "{a,b}",
    "{1..9}",
    "<<<",
    "time",
    "function",
    "coproc",
    ";;",
    "@(",
    "$x",
    "IFS",
    "git",
    "env",
  ),
  fc.string({ maxLength: 3, unit: "binary" }),
);
test("any text is read, or refused as text", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      readScript(pieces.join(""), context);
    }),
    { numRuns: runs(8000) },
  );
});

test("the longest hostile scripts take no more than some times what an ordinary one of that length takes", () => {
  const size = limits.commandBytes;
  const fillUp = (text: string): string => text.repeat(Math.floor(size / text.length));
  const ordinary =
    'cd src && for f in *.ts; do wc -l "$f" | sort -n > out.txt; done\nif [ -f x ]; then git status; fi\n';
  const scripts = [
    fillUp("ls -la;"),
    fillUp("$(") + "ls",
    `${"$(".repeat(4000)}ls${")".repeat(4000)}`,
    fillUp("env "),
    fillUp("{a,b}"),
    fillUp("f(){ f;f;};f;"),
    Array.from({ length: 900 }, (_, at) => `f${at}(){ f${at + 1};f${at + 1};}`)
      .join(";")
      .slice(0, size),
    fillUp("cd a;f(){ cd b;f;};f;"),
    fillUp("if a;then cd x;else "),
    fillUp("("),
    fillUp("{ "),
    fillUp("eval "),
    fillUp("$x "),
    fillUp("<<E "),
    fillUp("a=b "),
    fillUp("`\\"),
    fillUp("{1..9}{1..9} "),
    fillUp("a|"),
    `echo ${"/*".repeat(8000)}`,
    `rm -rf ${"../".repeat(5000)}`,
    fillUp("x() { y; }; x | "),
  ];
  const timeOf = (script: string): number => {
    const before = performance.now();
    readScript(script.slice(0, size), context);
    return performance.now() - before;
  };
  const unit = Math.min(...[1, 2, 3].map(() => timeOf(fillUp(ordinary))));
  for (const script of [...scripts, fillUp("cd a && cd b || cd c;")]) {
    let ratio = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 3 && ratio >= 200; attempt += 1) ratio = timeOf(script) / unit;
    assert.ok(ratio < 200, `${script.slice(0, 40)} takes ${ratio.toFixed()} times as long`);
  }
});
