// Flags with their values: the forms people write, what is refused and how, and that git itself knows every one.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { type FlagRule, optional, parseFlags, revisions, switches, valued } from "../../src/git/flag.ts";
import { flagTables, type GitOperation, gitOperations } from "../../src/git/read/flags.ts";
import { count, oneOf, text } from "../../src/git/read/values.ts";
import { readWords } from "../../src/git/read/words.ts";
import { commit, git, makeRepository, plainGit } from "../fixtures/git.ts";
import { runs } from "../fixtures/runs.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-flag-")));
const repo = makeRepository(join(base, "repo"));
commit(repo, "second", { "a.txt": "one\nTWO\nthree\n", "b.txt": "b\n" });
after(() => rmSync(base, { recursive: true, force: true }));

const table = new Map([
  ...switches("-p -w -s -b --all --oneline -<number>"),
  ...valued(count, "-n --max-count -U"),
  ...valued(text, "--since --author -S -L"),
  ...optional(oneOf("90%", "50%"), "-M --stat"),
  ...revisions(text, "--contains"),
]);

const forms: [string[], string[]][] = [
  [["-n", "5"], ["-n5"]],
  [["-n5"], ["-n5"]],
  [["-5"], ["-5"]],
  [["-U3"], ["-U3"]],
  [["-U", "3"], ["-U3"]],
  [["-sb"], ["-s", "-b"]],
  [["-pn5"], ["-p", "-n5"]],
  [
    ["-pw", "-n", "1"],
    ["-p", "-w", "-n1"],
  ],
  [["--max-count=5"], ["--max-count=5"]],
  [["--max-count", "5"], ["--max-count=5"]],
  [["--since=2 weeks ago"], ["--since=2 weeks ago"]],
  [["--since", "2 weeks ago"], ["--since=2 weeks ago"]],
  [["--author=O'Brien <o@x.org>; $(id)"], ["--author=O'Brien <o@x.org>; $(id)"]],
  [["--author", "--all"], ["--author=--all"]], // as git: what follows is the value
  [["--author="], ["--author="]],
  [["-S", "-p"], ["-S-p"]],
  [["-S=x"], ["-S=x"]],
  [["-L", "1,5:a.txt"], ["-L1,5:a.txt"]],
  [["-M"], ["-M"]],
  [["-M90%"], ["-M90%"]],
  [
    ["--stat=50%", "--all"],
    ["--stat=50%", "--all"],
  ],
  [["--contains", "main"], ["--contains=main"]],
  [["--contains=main"], ["--contains=main"]],
  [["--contains"], ["--contains=HEAD"]],
  [
    ["--contains", "--all"],
    ["--contains=HEAD", "--all"],
  ],
  [[], []],
];

for (const [args, expected] of forms) {
  test(`${JSON.stringify(args)} becomes ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(parseFlags("log", args, table), { ok: true, value: expected });
  });
}

const wrong: [string[], RegExp, RegExp][] = [
  [["--onelin"], /log does not take "--onelin"/, /Did you mean --oneline/],
  [["--oneline-x"], /does not take/, /--oneline/],
  [["--sinc=x"], /does not take "--sinc=x"/, /--since/],
  [["--output=x"], /does not take "--output=x"/, /./],
  [["-x"], /does not take "-x"/, /./],
  [["-px"], /does not take "-px"/, /./],
  [["-p-all"], /does not take "-p-all"/, /./],
  [["-p--all"], /does not take/, /./],
  [["5"], /args\[0\]: "5" is not a flag/, /a revision goes into ref, a file into path/],
  [["-p", "main"], /args\[1\]: "main" is not a flag/, /ref/],
  [["--", "x"], /args\[0\]: "--" is not a flag/, /path/],
  [["-"], /"-" is not a flag/, /./],
  [[""], /"" is not a flag/, /./],
  [["-n"], /-n needs a value/, /-n VALUE/],
  [["--since"], /--since needs a value/, /--since=VALUE/],
  [["-n", "--all"], /"--all" is not a number/, /./],
  [["-n", "5; id"], /not a number/, /./],
  [["-n", ""], /not empty/, /./],
  [["-S", ""], /-S needs a value that is not empty/, /./],
  [["-S", "", "--all"], /not empty/, /./],
  [["--oneline=1"], /--oneline takes no value/, /Write --oneline alone/],
  [["--oneline="], /takes no value/, /./],
  [["--stat", "50%"], /args\[1\]: "50%" is not a flag/, /./],
  [["--stat=x"], /"x" is not one of/, /./],
  [["--author=a\nb"], /newline/, /./],
  [["--author", "a\0b"], /args\[1\]: holds a NUL/, /./],
  [["--contains", "a\nb"], /newline/, /./],
  [["--author=\ud800"], /half of a character/, /./],
  [["-<number>"], /does not take/, /./],
  [["-99999999999999999999"], /does not take/, /./],
  [["__proto__"], /not a flag/, /./],
  [["--__proto__"], /does not take/, /./],
  [["-–oneline"], /does not take/, /./],
];

for (const [args, message, hint] of wrong) {
  test(`${JSON.stringify(args)} is refused: ${message.source}`, () => {
    const parsed = parseFlags("log", args, table);
    assert.ok(!parsed.ok);
    assert.equal(parsed.failure.error, "invalid_args");
    assert.match(parsed.failure.message, message);
    assert.match(parsed.failure.hint ?? "", hint);
  });
}

test("a word of a hundred thousand switches is no trouble", () => {
  assert.ok(parseFlags("log", [`-${"w".repeat(100_000)}`], table).ok);
  assert.ok(!parseFlags("log", [`-${"w".repeat(100_000)}?`], table).ok);
});

const arbitraryWord = fc.oneof(
  fc.constantFrom(...(flagTables.get("log") as ReadonlyMap<string, FlagRule>).keys()),
  fc.string({
    unit: fc.constantFrom("-", "--", "=", "a", "n", "5", "output", "exec", "S", "p", "\n", "ext-diff", "oneline", " "),
    maxLength: 6,
  }),
);

test("whatever comes through is a flag of the table, whole, each in one word", () => {
  fc.assert(
    fc.property(fc.array(arbitraryWord, { maxLength: 5 }), (args) => {
      for (const operation of gitOperations) {
        const known = flagTables.get(operation) as ReadonlyMap<string, FlagRule>;
        const parsed = parseFlags(operation, args, known);
        if (!parsed.ok) continue;
        for (const word of parsed.value) {
          const name = word.startsWith("--")
            ? (word.split("=", 1)[0] as string)
            : /^-\d+$/.test(word) && !known.has(word)
              ? "-<number>"
              : word.slice(0, 2);
          const rule = known.get(name);
          assert.ok(rule !== undefined, `${word} of ${JSON.stringify(args)}`);
          assert.ok(
            rule.takes !== "required" || word.length > name.length,
            `${word} would take the next word for its value`,
          );
        }
      }
    }),
    { numRuns: runs(2_000) },
  );
});

// Flags that came later than the oldest git that is supported; git 2.<minor>.
const since: ReadonlyMap<string, number> = new Map([
  ["--default-prefix", 41],
  ["--omit-empty", 42],
  ["--show-ref-format", 44],
  ["--format", 38],
  ["--since-as-filter", 37],
  ["--clear-decorations", 39],
]);
const minor = Number(/git version 2\.(\d+)/.exec(git(repo, ["--version"]))?.[1] ?? 99);

const samples = [
  "1",
  "HEAD",
  "plain",
  "never",
  "%h",
  "%(objectname)",
  "iso",
  "UTF-8",
  "short",
  "dirty",
  "AM",
  "v2",
  "all",
  "refname",
  "strict",
  "storage",
  "sorted",
  "absolute",
  "myers",
  "off",
  "traditional",
];
const special: Readonly<Record<string, string>> = {
  "-L": "1,2:a.txt",
  "--ws-error-highlight": "all",
  "--dirstat": "files",
  "-X": "files",
  "--break-rewrites": "50%",
  "-B": "50%",
  "--rotate-to": "a.txt",
  "--skip-to": "a.txt",
  "--output-indicator-new": ">",
  "--with-tree": "HEAD",
  "--abbrev": "8",
  "--diff-filter": "AM",
  "--find-object": "HEAD",
  "--ignore-rev": "HEAD",
};

function valueFor(operation: GitOperation, name: string, rule: FlagRule): string | null {
  if (rule.takes === "none") return null;
  if (name === "-L" && operation === "blame") return "1,2";
  const value =
    special[name] ??
    (rule.takes === "revision" ? "HEAD" : undefined) ??
    samples.find((sample) => rule.check(sample) === null);
  assert.ok(value !== undefined && rule.check(value) === null, `no sample for ${name}`);
  return value;
}

for (const operation of gitOperations) {
  test(`git knows every flag of ${operation}`, () => {
    const flags = [...(flagTables.get(operation) as ReadonlyMap<string, FlagRule>)];
    assert.ok(flags.length > 10);
    const before = readdirSync(repo);
    const problems: string[] = [];
    for (const [name, rule] of flags) {
      if ((since.get(name) ?? 0) > minor) continue;
      const value = valueFor(operation, name, rule);
      const written =
        name === "-<number>"
          ? "-2"
          : value === null
            ? name
            : name.startsWith("--")
              ? `${name}=${value}`
              : `${name}${value}`;
      const ref =
        operation === "show" || operation === "log" || name === "--merge-base"
          ? "HEAD"
          : name === "--reverse" && operation === "blame"
            ? "HEAD~1..HEAD"
            : undefined;
      const path = operation === "blame" || name === "--follow" ? "a.txt" : undefined;
      for (const args of rule.takes === "optional" ? [[written], [name]] : [[written]]) {
        const words = readWords({ op: operation, args, ref, path });
        assert.ok(words.ok, JSON.stringify(words));
        const { exitCode, stdout, stderr } = plainGit(repo, words.value.words);
        const isUnknown =
          exitCode === 129 ||
          /unrecognized|unknown option|unknown switch|usage:|invalid option|takes no value|requires a value|ambiguous/i.test(
            stderr,
          );
        // rev-parse repeats what it does not know.
        const isRepeated = operation === "rev_parse" && name !== "--not" && stdout.includes(args[0] as string);
        if (isUnknown || isRepeated)
          problems.push(`${args.join(" ")}: ${exitCode} ${stderr.split("\n", 1)[0]}${isRepeated ? stdout : ""}`);
      }
    }
    assert.deepEqual(problems, []);
    assert.deepEqual(readdirSync(repo), before, "none of them makes a file");
  });
}

test("no operation takes a flag that writes, runs a program, reads elsewhere, waits, or colours", () => {
  const forbidden =
    `--output --ext-diff --textconv --show-signature --remerge-diff --help -h --no-index -O --contents --exclude-from -X. --stdin --exec-path --git-dir= --work-tree
    --recurse-submodules --alternate-refs --ignore-revs-file --exclude-per-directory -D. -d. --delete --force --edit-description --set-upstream-to --unset-upstream
    -m. -M. --move --copy --create-reflog --track --paginate --color-words --color-moved --config --upload-pack --open-files-in-pager --resolve-git-dir --parseopt --sq-quote
    --show-superproject-working-tree --git-path --local-env-vars`
      .trim()
      .split(/\s+/);
  for (const operation of gitOperations) {
    const known = flagTables.get(operation) as ReadonlyMap<string, FlagRule>;
    for (const flag of forbidden.filter((name) => !/[.=]$/.test(name)))
      assert.ok(!known.has(flag), `${operation} takes ${flag}`);
  }
  const branch = flagTables.get("branch") as ReadonlyMap<string, FlagRule>;
  for (const flag of ["-d", "-D", "-m", "-M", "-c", "-C", "-f", "-u", "-t", "--edit-description"])
    assert.ok(!branch.has(flag), flag);
  assert.ok(!flagTables.get("ls_files")?.has("-X") && !flagTables.get("blame")?.has("-S"));
  const values: [GitOperation, string][] = [
    ["diff", "--submodule=diff"],
    ["log", "--submodule=diff"],
    ["status", "--ignore-submodules=none"],
    ["status", "--ignore-submodules=untracked"],
    ["diff", "--ignore-submodules=none"],
    ["log", "--diff-merges=remerge"],
    ["log", "--diff-merges=on"],
    ["log", "--diff-merges=r"],
    ["log", "--color=always"],
    ["log", "--color"],
    ["diff", "--word-diff=color"],
    ["log", "--format=%G?"],
    ["log", "--pretty=format:%GS"],
    ["log", "--pretty=evil"],
    ["branch", "--format=%(signature)"],
    ["branch", "--sort=signature"],
    ["branch", "--contains=--output=x"],
    ["ls_files", "--format=%x1b"],
    ["branch", "--color=always"],
  ];
  for (const [op, flag] of values)
    assert.ok(!parseFlags(op, [flag], flagTables.get(op) ?? new Map()).ok, `${op} ${flag}`);
});
