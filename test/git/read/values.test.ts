// What may stand in a flag's value: above all formats, whose placeholders can run programs.

import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import fc from "fast-check";
import { prettyFormat, refFormat } from "../../../src/git/read/values.ts";
import { makeRepository, plainGit } from "../../fixtures/git.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-values-")));
const repo = makeRepository(join(base, "repo"));
after(() => rmSync(base, { recursive: true, force: true }));

const formats: [string, boolean][] = [
  ["oneline", true],
  ["%h %an %ad %s", true],
  ["format:%h%x09%s", true],
  ["tformat:%H%x00", true],
  ["%x0A", true],
  ["%C(auto)%h", true],
  ["%Cred%h%Creset", true],
  ["100%% %h", true],
  ["%%G?", true],
  ["%%x1b", true],
  ["%(trailers:key=Signed-off-by,separator=%x00)", true],
  ["%<(20,trunc)%an|%>(10)%s", true],
  ["%(describe:tags)", true],
  ["%b%+b%-b% b", true],
  ["format:", true],
  ["%G?", false],
  ["%GK", false],
  ["%+GS", false],
  ["%-GG", false],
  ["% GF", false],
  ["%-%G?", false],
  ["%+%x1b", false],
  ["%%%G?", false],
  ["%z%G?", false],
  ["%<(3)%G?", false],
  ["%w(0,%G?", false],
  ["%x1b[31m", false],
  ["%x07", false],
  ["%x9b", false],
  ["%C(always,red)", false],
  ["%C(red,always)x", false],
  ["%(trailers:separator=%x1b)", false],
  ["myalias", false],
  ["", false],
];

test("formats: what a placeholder could run or send to a terminal is refused", () => {
  for (const [format, isTaken] of formats) assert.equal(prettyFormat(format) === null, isTaken, format);
});

test("formats that are taken start no program, and print no raw byte, whatever the pieces", () => {
  const pieces = fc.constantFrom(
    "%",
    "%%",
    "G",
    "G?",
    "GK",
    "x1b",
    "x00",
    "+",
    "-",
    " ",
    "h",
    "C(",
    "always",
    ")",
    "(trailers:separator=",
    "<(",
    "3",
    "w(1,",
    "a",
    "z",
    "n",
    "x",
    "1",
    "b",
  );
  const evil = join(base, "evil");
  let taken = 0;
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 2, maxLength: 10 }), (parts) => {
      const format = parts.join("");
      if (!format.includes("%") || prettyFormat(format) !== null) return;
      taken += 1;
      const { stdout, stderr } = plainGit(repo, ["-c", `gpg.program=${evil}`, "log", "-n", "1", `--format=${format}`], {
        env: { GIT_TRACE: "1" },
      });
      assert.doesNotMatch(stdout.replace(/[\0\t\n]/g, ""), /\p{Cc}/u, format);
      assert.doesNotMatch(stderr, /run_command|evil/, format);
    }),
    { numRuns: 400 },
  );
  assert.ok(taken > 60, `only ${taken}`);
});

test("formats of listings", () => {
  const table: [string, boolean][] = [
    ["%(refname:short)", true],
    ["%(upstream:track) %(HEAD)", true],
    ["%(contents:subject)%09x", true],
    ["%00%0a", true],
    ["%%1b", true],
    ["%(objectname)%x09%(path)", true],
    ["%1b", false],
    ["%x1b", false],
    ["%(color:red)", false],
    ["%(*color:red)", false],
    ["%(signature)", false],
    ["%(*signature:grade)", false],
    ["%%%1b", false],
  ];
  for (const [format, isTaken] of table) assert.equal(refFormat(format) === null, isTaken, format);
});
