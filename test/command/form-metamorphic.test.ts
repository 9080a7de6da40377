// Another spelling of a refused command is refused: quotes, `./` and `//`, the order of words, shortened and clustered
// options. Each refused example of the table is respelled many times.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { expandBraces } from "../../src/command/words/braces.ts";
import { createProgramTable, judgeForm } from "../../src/command/form.ts";
import { textOf } from "../../src/command/words/shell-word.ts";
import { optionTable } from "../../src/command/rules/option-spec.ts";
import type { ReadingRule } from "../../src/command/rules/shell-rule.ts";
import { scanCommand } from "../../src/command/words/scan.ts";
import { shellExamples } from "./examples/all-examples.ts";
import { runs } from "../fixtures/runs.ts";

const table = createProgramTable();
const RUNS = runs(400);

function wordsOf(command: string): string[] | null {
  const scanned = scanCommand(command);
  return scanned.ok ? scanned.value.words.flatMap((word) => expandBraces(word, 100) ?? []).map(textOf) : null;
}

const refused = shellExamples.flatMap(({ program: name, rule, examples }) =>
  examples.refused.map((command) => ({ name, rule, argv: wordsOf(command) as string[] })),
);
const optionRule = ({ options }: ReadingRule, word: string) => optionTable(options).rules.get(word);
const example = fc.constantFrom(...refused);

function assertRefused(argv: readonly string[] | null): void {
  assert.ok(argv !== null && !judgeForm(argv, table).ok, JSON.stringify(argv));
}

test("there are refused examples to respell", () => assert.ok(refused.length > 100));

test("however its words are quoted", () => {
  const quote = (word: string, ways: readonly number[]): string =>
    word === ""
      ? "''"
      : [...word]
          .map((char, index) =>
            ((ways[index % ways.length] ?? 0) === 0
              ? `'${char}'`
              : (ways[index % ways.length] ?? 0) === 1
                ? `\\${char}`
                : `"${/["$`\\]/.test(char) ? `\\${char}` : char}"`
            ).replace("'''", "\\'"),
          )
          .join("");
  fc.assert(
    fc.property(example, fc.array(fc.nat(2), { minLength: 1, maxLength: 7 }), ({ argv }, ways) => {
      const read = wordsOf(argv.map((word) => quote(word, ways)).join(" "));
      assert.deepEqual(read, argv);
      assertRefused(read);
    }),
    { numRuns: RUNS },
  );
});

test("with ./ and // in its paths", () => {
  const respell = (word: string, way: number): string =>
    word.startsWith("-") || !/^[\w./]+$/.test(word)
      ? word
      : way === 0
        ? `./${word}`.replace("././", "./")
        : way === 1
          ? word.replaceAll("/", "//")
          : word;
  // Scripts, subcommands and names of programs inside of others are not paths.
  const plain = refused.filter(({ name, rule }) => rule.kind === "reads" && !/^(awk|sed|yq|ast-grep)$/.test(name));
  fc.assert(
    fc.property(fc.constantFrom(...plain), fc.array(fc.nat(2), { minLength: 1, maxLength: 7 }), ({ argv }, ways) => {
      assertRefused(
        argv.map((word, index) => (index === 0 ? word : respell(word, ways[index % ways.length] as number))),
      );
    }),
    { numRuns: RUNS },
  );
});

test("with harmless words before and behind", () => {
  const readings = refused.flatMap(({ rule, argv }) => (rule.kind === "reads" ? [{ rule, argv }] : []));
  fc.assert(
    fc.property(
      fc.constantFrom(...readings),
      fc.array(fc.constantFrom("a.txt", "-n", "--help", "--version"), { maxLength: 3 }),
      fc.boolean(),
      ({ rule, argv }, more, isBefore) => {
        const [name = "", ...args] = argv;
        const options = more.filter(
          (word) => word.startsWith("-") && typeof optionRule(rule, word)?.takes !== "object",
        );
        // Behind a program that is missing something, more words may supply it.
        fc.pre(!isIncomplete(name, args));
        assertRefused(isBefore ? [name, ...options, ...args] : [name, ...args, ...more]);
      },
    ),
    { numRuns: RUNS },
  );
});

function isIncomplete(name: string, args: readonly string[]): boolean {
  const form = judgeForm([name, ...args], table);
  return !form.ok && (/needs a|short for|nothing to run|unless --stdout/.test(form.failure.message) || name === "less");
}

test("with its words in another order", () => {
  // Options and operands may be mixed; a value stays behind its option.
  const groups = (rule: ReadingRule, args: readonly string[]): string[][] => {
    const found: string[][] = [];
    for (let at = 0; at < args.length; at++) {
      const word = args[at] as string;
      const takesNext =
        typeof optionRule(rule, word)?.takes === "object" ||
        typeof optionRule(rule, word)?.refusal === "string" ||
        /^-\w+$/.test(word) ||
        /^--[\w-]+$/.test(word);
      found.push(takesNext && args[at + 1]?.startsWith("-") === false ? [word, args[++at] as string] : [word]);
    }
    return found;
  };
  const readings = refused.flatMap(({ name, rule, argv }) =>
    rule.kind === "reads" && rule.options.stand === undefined && !/^(sed|ast-grep)$/.test(name) && !argv.includes("--")
      ? [{ rule, argv }]
      : [],
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...readings).chain(({ rule, argv }) => {
        const parts = groups(rule, argv.slice(1));
        return fc
          .shuffledSubarray(parts, { minLength: parts.length, maxLength: parts.length })
          .map((order) => ({ name: argv[0] as string, order }));
      }),
      ({ name, order }) => {
        fc.pre(!order.flat().some((word, index, all) => /^--ke$/.test(word) && index === all.length - 1));
        assertRefused([name, ...order.flat()]);
      },
    ),
    { numRuns: RUNS },
  );
});

const refusedOptions = shellExamples.flatMap(({ program: name, rule }) =>
  rule.kind === "reads"
    ? Object.keys(rule.options.refused ?? {}).flatMap((names) =>
        names.split(" ").map((option) => ({ name, rule, option })),
      )
    : [],
);

test("with a refused long option shortened to any length that is no other option", () => {
  for (const { name, rule, option } of refusedOptions.filter((entry) => entry.option.startsWith("--"))) {
    for (let length = 3; length <= option.length; length++) {
      const short = option.slice(0, length);
      if (short !== option && optionRule(rule, short) !== undefined) continue;
      for (const spelled of [[short], [`${short}=x`], [short, "x"]]) assertRefused([name, ...spelled, "a", "b"]);
    }
  }
});

test("with a refused short option in any cluster of switches", () => {
  for (const { name, rule, option } of refusedOptions.filter((entry) => /^-[^-]$/.test(entry.option))) {
    const switches = [...optionTable(rule.options).rules]
      .filter(([letter, { takes, refusal }]) => /^-[A-Za-z]$/.test(letter) && takes === "nothing" && refusal === null)
      .map(([letter]) => letter.slice(1));
    for (const letter of [...switches, ...(rule.options.unknown === undefined ? ["Y"] : [])]) {
      for (const word of [`-${letter}${option.slice(1)}`, `-${letter}${option.slice(1)}x`, `${option}${letter}`])
        assertRefused([name, word, "a", "b"]);
    }
  }
});

test("inside of env, and of find -exec", () => {
  fc.assert(
    fc.property(example, fc.nat(2), fc.boolean(), ({ argv }, depth, isFind) => {
      const wrapped = [...Array.from({ length: depth }, () => "env"), ...argv];
      fc.pre(!wrapped.includes(";"));
      assertRefused(isFind ? ["find", ".", "-exec", ...wrapped, ";"] : ["env", ...wrapped]);
    }),
    { numRuns: RUNS },
  );
});
