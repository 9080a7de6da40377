// What may stand in a flag's value: above all formats, whose placeholders can run programs.

import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import fc from "../../fixtures/fast-check.ts";
import type { GitOperation } from "../../../src/git/read/flags.ts";
import { gitForm } from "../../../src/git/read/forms.ts";
import { prettyFormat, refFormat } from "../../../src/git/read/values.ts";
import { readWords } from "../../../src/git/read/words.ts";
import { commit, makeRepository, plainGit } from "../../fixtures/git.ts";

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
  ["", true],
  ["myalias", false],
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

const wordsOf: [op: GitOperation, args: string[]][] = [
  ["log", ["--format=", "--name-only"]],
  ["log", ["--format", "", "--name-only"]],
  ["show", ["--pretty=", "--name-status"]],
  ...["iso8601-local", "iso8601-strict-local", "auto:human", "auto:iso-local", "format-local:%H", "unix-local"].map(
    (value): [GitOperation, string[]] => ["log", [`--date=${value}`]],
  ),
  ...["-M0.5", "-M.5", "-M90%", "-C0.75", "--find-renames=50%"].map((flag): [GitOperation, string[]] => [
    "log",
    [flag],
  ]),
  ...["-C", "-CC", "-CCC", "-C40", "-M", "-MM", "-M20"].map((flag): [GitOperation, string[]] => ["blame", [flag]]),
  ...[
    "authordate:iso8601",
    "-authordate:iso8601",
    "committerdate:format:%Y-%m",
    "refname:lstrip=2",
    "-refname:rstrip=-1",
    "objectname:short=8",
    "upstream:track,nobracket",
    "version:refname",
    "-v:refname",
    "-*authordate",
    "HEAD",
  ].map((key): [GitOperation, string[]] => ["branch", [`--sort=${key}`]]),
];

test("values that git has are taken, and git takes the words that come of them", () => {
  commit(repo, "a file", { "a.txt": "a\n" });
  for (const [op, args] of wordsOf) {
    const read = readWords({
      op,
      args,
      ref: op === "show" ? "HEAD" : undefined,
      path: op === "blame" ? "a.txt" : undefined,
    });
    assert.ok(read.ok, `${op} ${args.join(" ")}`);
    const { exitCode: status, stderr } = plainGit(repo, [...read.value.words]);
    assert.equal(status, 0, `${read.value.words.join(" ")}: ${stderr}`);
  }
  const listed = readWords({ op: "show", args: ["--format=", "--name-only"], ref: "HEAD", path: undefined });
  assert.equal(listed.ok && plainGit(repo, [...listed.value.words]).stdout, "a.txt\n");
});

test("values that git has not, or that run a program or act on a terminal, are refused", () => {
  for (const [op, arg] of [
    ["log", "--date=auto"],
    ["log", "--date=iso-loca"],
    ["log", "-M0.5.5"],
    ["log", "-M."],
    ["blame", "-CM"],
    ["blame", "-CCCC"],
    ["blame", "-MC"],
    ["branch", "--sort=signature"],
    ["branch", "--sort=-v:signature:key"],
    ["branch", "--sort=refname:\u001b[31m"],
    ["branch", "--sort="],
    ["branch", "--sort=--x"],
  ] as [GitOperation, string][])
    assert.ok(!readWords({ op, args: [arg], ref: undefined, path: op === "blame" ? "a.txt" : undefined }).ok, arg);
});

test("settings are asked for by their names, or by a pattern that may hold anything but a flag", () => {
  const settings: [words: string[], isTaken: boolean][] = [
    [["--get-regexp", "^user"], true],
    [["--get-regexp", String.raw`remote\..*\.url`], true],
    [["--get-regexp", "^(user|core)[.]n"], true],
    [["--get", "remote.my place.url"], true],
    [["--get", "user.name"], true],
    [["--get-regexp", "-x"], false],
    [["--get-regexp", "a\nb"], false],
    [["--get-regexp", ""], false],
    [["--get-regexp", "^user", "--unset"], false],
    [["user.name", "x"], false],
    [["--get", "user.name", "x"], false],
  ];
  for (const [words, isTaken] of settings) assert.equal(gitForm(["config", ...words]).ok, isTaken, words.join(" "));
  const form = gitForm(["config", "--get-regexp", "^user[.]n"]);
  plainGit(repo, ["config", "user.name", "Grace"]);
  assert.equal(form.ok && plainGit(repo, [...form.value.words]).stdout, "user.name Grace\n");
});
