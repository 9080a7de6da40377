// The option reader: each spelling that getopt takes, and what becomes of options that nobody knows.

import assert from "node:assert/strict";
import test from "node:test";
import { judgeOptions } from "../../src/command/rules/judge-options.ts";
import { type OptionSpec, optionTable } from "../../src/command/rules/option-spec.ts";
import { readOptions } from "../../src/command/rules/read-options.ts";
import { commandWord, textsOf } from "../../src/command/words/command-word.ts";

const spec: OptionSpec = {
  switches: "-u --unique --check",
  optional: "--color -i",
  values: "-k --key",
  paths: "-T --temporary-directory --file",
  pathLists: "-m",
  nameAndPath: "--rawfile",
  refused: { "-o --output": "writes a file", "-z": "starts a program" },
};

/** The failure as a line. */
function refusalOf(args: readonly string[], changes: OptionSpec = {}): string {
  const found = read(args, changes);
  return typeof found === "string" ? found : "passes";
}

function read(args: readonly string[], changes: OptionSpec = {}) {
  const result = judgeOptions("prog", args, { ...spec, ...changes });
  if (!result.ok) return `${result.failure.error}: ${result.failure.message}`;
  const { options, operands, paths, endMark } = result.value;
  return {
    options: options.map(({ name, values }) => [name, ...values].join(" ")),
    operands,
    paths: paths.map(({ path }) => path),
    endMark,
  };
}

const plain = {
  options: [] as string[],
  operands: [] as string[],
  paths: [] as string[],
  endMark: null as number | null,
};

const readings: [string[], Partial<typeof plain>][] = [
  [["a", "-u", "b"], { options: ["-u"], operands: ["a", "b"] }],
  [["-uk2", "a"], { options: ["-u", "-k 2"], operands: ["a"] }],
  [["-k", "-o", "a"], { options: ["-k -o"], operands: ["a"] }],
  [["--key=2"], { options: ["--key 2"] }],
  [["--key", "2"], { options: ["--key 2"] }],
  [["--key="], { options: ["--key "] }],
  [["--ke=2"], { options: ["--key 2"] }],
  [["--uni"], { options: ["--unique"] }],
  [["--color", "x"], { options: ["--color"], operands: ["x"] }],
  [["--color=x"], { options: ["--color x"] }],
  [["-io"], { options: ["-i o"] }],
  [["-T/etc"], { options: ["-T /etc"], paths: ["/etc"] }],
  [["-uT", "/etc"], { options: ["-u", "-T /etc"], paths: ["/etc"] }],
  [["--temp=/etc"], { options: ["--temporary-directory /etc"], paths: ["/etc"] }],
  [["-m/a:/b"], { options: ["-m /a:/b"], paths: ["/a", "/b"] }],
  [["--rawfile", "x", "/etc/a", "b"], { options: ["--rawfile x /etc/a"], operands: ["b"], paths: ["/etc/a"] }],
  [["--", "-o", "--"], { operands: ["-o", "--"], endMark: 0 }],
  [["-", "a"], { operands: ["-", "a"] }],
  [["-Q", "a"], { options: ["-Q"], operands: ["a"] }],
  [["-Q/etc/a"], { paths: ["/etc/a"] }],
  [["-Q../a"], { paths: ["../a"] }],
  [["--nosuch=/etc/shadow"], { options: ["--nosuch"], paths: ["/etc/shadow"] }],
  [["--nosuch", "/etc"], { options: ["--nosuch"], operands: ["/etc"] }],
  [["-50"], { options: ["-5", "-0"] }],
];

for (const [args, expected] of readings) {
  test(`reads ${args.join(" ")}`, () => {
    const found = read(args);
    assert.ok(typeof found === "object", JSON.stringify(found));
    const { options, ...rest } = { ...plain, ...expected };
    assert.deepEqual({ operands: found.operands, paths: found.paths, endMark: found.endMark }, rest);
    if (expected.options !== undefined) assert.deepEqual(found.options, options);
  });
}

const refusals: [string[], RegExp][] = [
  [["-o", "x"], /^permission_denied: command: prog -o writes a file\.$/],
  [["-ox"], /prog -o writes a file \(-ox\)/],
  [["-uox"], /prog -o writes a file/],
  [["a", "-uz"], /prog -z starts a program/],
  [["--output=x"], /prog --output writes a file/],
  [["--o"], /prog --o can mean --output, which writes a file/],
  [["--outp", "x"], /can mean --output/],
  [["-Qo", "x"], /prog -o writes a file/],
  // Nobody knows whether it takes a value, so the letters behind it count.
  [["-Q/etc/shadow"], /prog -o writes a file/],
  [["-k"], /^invalid_args: .*-k needs a value/],
  [["--rawfile", "x"], /^invalid_args: .*--rawfile needs a value/],
  // The next word would be its value for one reader and an option for another.
  [["--ke", "-o"], /^invalid_args: .*--ke is short for --key/],
  [["--c"], /^invalid_args: .*--c is short for --check, --color/],
];

for (const [args, message] of refusals) {
  test(`refuses ${args.join(" ")}`, () => assert.match(refusalOf(args), message));
}

test("where unknown options are refused, they are", () => {
  assert.match(refusalOf(["-Q"], { unknown: "refused" }), /permission_denied: .*prog -Q is not an option/);
  assert.match(refusalOf(["--nosuch=1"], { unknown: "refused" }), /--nosuch is not an option .*--nosuch=1/);
  assert.equal(typeof read(["-u", "--key=1"], { unknown: "refused" }), "object");
});

test("where names are exact, a shortened one is not known, and never takes the next word", () => {
  assert.deepEqual(read(["--ke", "-u"], { longNames: "exact" }), { ...plain, options: ["--ke", "-u"] });
  assert.match(refusalOf(["--ke", "-o"], { longNames: "exact" }), /-o writes a file/);
});

test("where options stand before operands, the rest is as it is", () => {
  assert.deepEqual(read(["-u", "a", "-o", "--", "x"], { stand: "before operands" }), {
    ...plain,
    options: ["-u"],
    operands: ["a", "-o", "--", "x"],
  });
});

test("an option that is listed twice is a defect, unless the second list is what Shell refuses", () => {
  assert.throws(() => optionTable({ switches: "-a", values: "-a" }), /-a is listed twice/);
  assert.throws(() => optionTable({ switches: "--a=b" }), /is none/);
  assert.throws(() => optionTable({ switches: "-ab" }), /is none/);
  assert.throws(() => optionTable({ refused: { "-ab": "writes" } }), /is none/);
  assert.ok(optionTable({ values: "-a", refused: { "-a": "writes" } }).rules.has("-a"));
});

test("the reader of scripts takes the value of an option that Shell refuses, and refuses nothing", () => {
  const own: OptionSpec = { ...spec, values: "-k --key -o --output" };
  const found = readOptions(["-uo", "x", "--outp=y", "-Q", null, "a"].map(commandWord), own);
  assert.deepEqual(textsOf(found.valuesOf("-o", "--output")), ["x", "y"]);
  assert.deepEqual([...found.flags], ["-u", "-o", "--output", "-Q"]);
  assert.deepEqual(textsOf(found.operands), [null, "a"]);
  assert.match(refusalOf(["-uo", "x"], { values: "-k --key -o --output" }), /prog -o writes a file/);
});

test("a program that takes long names behind one dash has no clusters", () => {
  const own: OptionSpec = { values: "-cmd", longNames: "one dash" };
  const found = readOptions(["--json", "-cmd", "x", "a"].map(commandWord), own);
  assert.deepEqual([...found.flags], ["-json", "-cmd"]);
  assert.deepEqual(textsOf(found.operands), ["a"]);
});
