// The reader of sed scripts: tables, and GNU sed's own --sandbox as the oracle.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { findSedProblem } from "../../src/command/programs/sed-script.ts";
import { runs } from "../fixtures/runs.ts";

const passes = [
  "",
  "p",
  "1,5p",
  "$!N;P;D",
  "1!G;h;$!d",
  ":a;N;$!ba;s/\n/ /g".replace("\n", "\\n"),
  "/a/,/b/{s/x/y/g;p}",
  "/a/I,+3d",
  "0~4p",
  "2,~4!d",
  "\\,/etc,d",
  "s|/|-|2gp",
  "s/a\\/w/e/",
  "s/[e]w/r/;y/we/ew/",
  "s/[[:space:]]*$//",
  "s/a/b\\\nw x/",
  "a hello w x",
  "a\\\nhello\\\nw x",
  "a\\  hello",
  "i\\\n",
  "$a end",
  "# w x\np",
  "p # w x",
  "{p;{p}};p",
  "q5",
  "l 20;=",
  "bend;p;:end",
  "t;T x;:x",
  "s,w,e,",
  "s/x/y/ ; p",
];
for (const script of passes) test(`passes ${JSON.stringify(script)}`, () => assert.equal(findSedProblem(script), null));

const refused: [string, RegExp][] = [
  ["e", /runs a program/],
  ["1e touch x", /runs a program/],
  ["/a/ I e id", /runs a program/],
  ["w x", /writes a file/],
  ["$!W x", /writes a file/],
  ["r x", /reads another file/],
  ["1,2R x", /reads another file/],
  ["s/a/b/e", /flag e of s/],
  ["s/a/b/gpw x", /flag w of s/],
  ["s/a/b/ w x", /flag w of s/],
  ["{p;w x\n}", /writes a file/],
  ["p;w x", /writes a file/],
  ["p\nw x", /writes a file/],
  ["# c\nw x", /writes a file/],
  ["a foo\nw x", /writes a file/],
  ["a foo\\\\\nw x", /writes a file/],
  ["a\\\n\nw x", /writes a file/],
  ["a\\ \nw x", /cannot be read/],
  ["a\\\\\nw x", /cannot be read/],
  ["a", /no text/],
  ["a\nw x", /no text/],
  ["s/[/]/w x/", /not certain/],
  ["s/[\\]/]/w x/", /not certain/],
  ["s/a/b", /not certain/],
  ["s/a\nb/c/", /not certain/],
  ["snanbn", /cannot be read/],
  ["bx w x", /cannot be read/],
  [":a w x", /cannot be read/],
  [":a}", /cannot be read/],
  ["{p", /not closed/],
  ["}", /closes nothing/],
  ["1!!p", /cannot be read/],
  ["1", /missing/],
  ["1#x", /cannot be read/],
  ["k", /cannot be read/],
  ["p w", /cannot be read/],
  ["v 4", /cannot be read/],
];
for (const [script, message] of refused)
  test(`refuses ${JSON.stringify(script)}`, () => assert.match(findSedProblem(script) ?? "passes", message));

const pieces = [
  "p",
  "d",
  "w x",
  "e",
  "r x",
  "W x",
  "s/a/b/",
  "s|a|b|",
  "y/a/b/",
  "a",
  "a\\",
  "i\\\n",
  "c foo",
  " ",
  "\t",
  "\n",
  ";",
  "{",
  "}",
  "\\",
  "/",
  "[",
  "]",
  "^",
  "1",
  ",",
  "$",
  "!",
  "~",
  "+",
  "I",
  "M",
  "g",
  "#",
  ":a",
  "ba",
  "t",
  "q",
  "l",
  "=",
  "N",
  "x",
  "|",
  "[:alpha:]",
  "&",
  "\\n",
  "\\/",
  "s/",
  "s,",
  "0",
];
const script = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }).map((parts) => parts.join("")),
  // Whole commands behind each other, which are accepted more often.
  fc
    .array(
      fc.tuple(
        fc.constantFrom("", "1", "$!", "/a/", "/b/I,3", "2,4"),
        fc.constantFrom(
          "p",
          "s/[^a]/\\//g",
          "s,x,y\\\n,",
          "y/ab/ba/",
          "a text\\\nmore",
          "a\\\ntext",
          "{p}",
          "{N;P\n}",
          "bx",
          ":x",
          "n;d",
          "w out",
          "s/a/b/w out",
        ),
        fc.constantFrom("\n", ";", " ; ", "\n#w x\n", ""),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => parts.map((part) => part.join("")).join("")),
);

/** What --sandbox says: "fine", "refused" (an e, r or w), or "broken" (no script). */
function sandboxed(text: string, cwd: string): "fine" | "refused" | "broken" {
  const ended = spawnSync("sed", ["--sandbox", "-n", "-e", text, "input"], {
    cwd,
    encoding: "utf8",
    timeout: 1_000,
    env: { LC_ALL: "C.UTF-8", PATH: "/usr/bin:/bin" },
  });
  if (ended.stderr.includes("sandbox mode")) return "refused";
  return ended.status === 1 ? "broken" : "fine";
}

const hasSandbox =
  spawnSync("sed", ["--sandbox", "w x"], { input: "", encoding: "utf8" }).stderr?.includes("sandbox mode") === true;

test(
  "what passes is never what sed --sandbox refuses",
  { skip: hasSandbox ? false : "no GNU sed with --sandbox", timeout: 300_000 },
  (t) => {
    const cwd = mkdtempSync(join(tmpdir(), "sallyport-sed-"));
    t.after(() => rmSync(cwd, { recursive: true }));
    writeFileSync(join(cwd, "input"), "a\nb\n");
    // Control: the oracle says no to what it should.
    assert.equal(sandboxed("w x", cwd), "refused");
    assert.equal(sandboxed("p", cwd), "fine");
    const most = runs(1_500, 300);
    let fine = 0;
    const seen = new Set<string>();
    for (const text of fc.sample(script, { numRuns: 10_000, seed: 4_242 })) {
      if (seen.has(text) || findSedProblem(text) !== null) continue;
      seen.add(text);
      const verdict = sandboxed(text, cwd);
      assert.notEqual(verdict, "refused", JSON.stringify(text));
      if (verdict === "fine") fine++;
      if (seen.size >= most) break;
    }
    assert.ok(seen.size >= (most * 2) / 3 && fine >= most / 3, `${seen.size} passed, ${fine} of them scripts`);
    assert.deepEqual(readdirSync(cwd), ["input"]);
  },
);

test(
  "what a table here refuses as a command, sed --sandbox refuses, too",
  { skip: hasSandbox ? false : "no GNU sed with --sandbox" },
  (t) => {
    const cwd = mkdtempSync(join(tmpdir(), "sallyport-sed-"));
    t.after(() => rmSync(cwd, { recursive: true }));
    writeFileSync(join(cwd, "input"), "a\n");
    const commands = refused.filter(([, message]) => /file|program|flag/.test(message.source));
    assert.ok(commands.length > 10);
    for (const [text] of commands) assert.equal(sandboxed(text, cwd), "refused", JSON.stringify(text));
    for (const text of passes) assert.equal(sandboxed(text, cwd), "fine", JSON.stringify(text));
  },
);
