// The reader of awk programs: tables, and the machine's awk as a witness that what passes leaves nothing behind.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { findAwkProblem } from "../../src/command/programs/awk-program.ts";
import { runs } from "../fixtures/runs.ts";

const passes = [
  "{print $1}",
  "$3 > 100 {print $1}",
  "NR==FNR{a[$1]=$2;next} $1 in a{print $1, a[$1]}",
  "!seen[$0]++",
  "/a|b/ && $2 ~ /[>|]x/ {n++} END{print n+0}",
  'BEGIN{FS=":"; OFS="|"} {print $1, $2}',
  "{print ($1 > 2), ($2 >= 3 ? 1 : 0)}",
  '{printf "%d > %s | %s\\n", $1, $2, "system(x)"}',
  "{if ($1 > 2) print $1; else print $2}",
  "{if ($1 > 2)\n  print\nx = y > 3\n}",
  '# print > "x"\n{print}',
  "{for (i = 1; i <= NF; i++) s += $i / 2; x /= 3} END{print s / NR, s}",
  "function f(a, b) { return a > b } {print f($1, 2)}",
  '{gsub(/"/, "\\""); print}',
  "{a = $1 / 2 \\\n + 3; print a}",
  "BEGIN{print length()}",
  "{print substr($0, 1, 3)} # end | system",
  "BEGIN { x = 1e3; y = .5; z = 0x1F }",
  "/[[:alpha:]]/",
];
for (const program of passes)
  test(`passes ${JSON.stringify(program)}`, () => assert.equal(findAwkProblem(program), null));

const refused: [string, RegExp][] = [
  ['{print > "x"}', /writes a file/],
  ['{print $1, $2 >"x"}', /writes a file/],
  ['{print >> "x"}', />> writes/],
  ['{printf("%s", $1) > "x"}', /writes a file/],
  ['{print(1)(2) > "x"}', /writes a file/],
  ['{print a,\n b > "x"}', /writes a file/],
  ['{print a,\n\n# c\n b > "x"}', /writes a file/],
  ['{print a ?\n b : c > "x"}', /writes a file/],
  ['{print a \\\n > "x"}', /writes a file/],
  ['{print x[1 > "x"]}', /writes a file/],
  ['{print a >= "x"}', /writes a file/],
  ['{print | "sh"}', /starts a program/],
  ['{print |& "sh"}', /starts a program/],
  ['"id" | getline', /starts a program/],
  ["{getline}", /getline/],
  ['{while ((getline line < "x") > 0) n++}', /getline/],
  ['BEGIN{system("id")}', /runs a program/],
  ['BEGIN{system ("id")}', /runs a program/],
  ['BEGIN{f = "system"; @f("id")}', /@/],
  ['@include "x"', /@/],
  ['BEGIN{awk::system("id")}', /cannot be read/],
  // A quote in what might be a regular expression would hide all that follows.
  ['{if (x) /"/; print > "x" #"\n}', /not certain/],
  ['{x = length / 2; print > "x" / 1}', /not certain/],
  ['{x++ / 2 > "x" / 1}', /not certain/],
  ['/[/]/{print > "x"}', /not certain/],
  ['/[[]/ {print > "x"} /]/', /not certain/],
  ["/=/", /not certain/],
  ["/a", /not certain/],
  ['{print "a', /cannot be read/],
  ['{print "a\n"}', /cannot be read/],
  ["# a\\\n{print}", /backslash/],
  ["{print 1x}", /cannot be read/],
  ["{print `id`}", /cannot be read/],
  ["{print $1 é}", /cannot be read/],
  ["{print 0xsystem(1)}", /cannot be read/],
  ["./found", /cannot be read/],
];
for (const [program, message] of refused)
  test(`refuses ${JSON.stringify(program)}`, () => assert.match(findAwkProblem(program) ?? "passes", message));

const pieces = [
  "print",
  "printf",
  " ",
  "\n",
  ";",
  "{",
  "}",
  "(",
  ")",
  "[",
  "]",
  "$1",
  "x",
  "1",
  '"x"',
  '"touch out"',
  ">",
  ">>",
  "|",
  "||",
  "&&",
  ",",
  "/",
  "/a/",
  "/[/]/",
  '"',
  "++",
  "--",
  "=",
  "==",
  "!",
  "~",
  "?",
  ":",
  "if(x)",
  "while(0)",
  "else",
  "length",
  "in",
  "BEGIN",
  "getline",
  'system("touch out")',
  "#",
  "\\\n",
  "+",
  "-",
  "return",
  "x[1]",
  "f(x)",
];
const part = fc.constantFrom(...pieces);
const program = fc.oneof(
  fc.array(part, { minLength: 1, maxLength: 10 }).map((parts) => `BEGIN{${parts.join("")}}`),
  fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => `BEGIN{print ${parts.join(" ")}}`),
  fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `BEGIN{x = 1; ${parts.join("")}; print > "out"\n}`),
);

const machineAwk = "awk";

test("what passes leaves nothing behind when the machine's awk runs it", { timeout: 300_000 }, (t) => {
  const cwd = mkdtempSync(join(tmpdir(), "sallyport-awk-"));
  t.after(() => rmSync(cwd, { recursive: true }));
  const run = (text: string) =>
    spawnSync(machineAwk, [text], {
      cwd,
      input: "",
      encoding: "utf8",
      timeout: 300,
      env: { LC_ALL: "C.UTF-8", PATH: "/usr/bin:/bin" },
    });
  // Control: without the reader, these do leave something.
  for (const text of ['BEGIN{print 1 > "out"}', 'BEGIN{system("touch out")}', 'BEGIN{"touch out" | getline}']) {
    run(text);
    assert.ok(existsSync(join(cwd, "out")), text);
    rmSync(join(cwd, "out"));
  }
  writeFileSync(join(cwd, "a"), "");
  const most = runs(1_000, 250);
  const seen = new Set<string>();
  let ran = 0;
  for (const text of fc.sample(program, { numRuns: 40_000, seed: 4_004 })) {
    if (seen.has(text) || findAwkProblem(text) !== null) continue;
    seen.add(text);
    if (run(text).status === 0) ran++;
    assert.deepEqual(readdirSync(cwd), ["a"], JSON.stringify(text));
    if (seen.size >= most) break;
  }
  assert.ok(seen.size >= 0.8 * most && ran >= most / 20, `${seen.size} passed, ${ran} of them ran`);
});
