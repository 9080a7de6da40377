// Another spelling of a refused command is refused: quotes, `./` and `//`, the order of words, shortened and clustered
// options. Each refused example of the table is respelled many times.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { expandBraces } from "../../src/command/braces.ts";
import { createProgramTable, judgeForm } from "../../src/command/form.ts";
import { textOf } from "../../src/command/shell-character.ts";
import type { ProgramRow, ReadingRow } from "../../src/command/program-row.ts";
import { programRows } from "../../src/command/programs.ts";
import { scanCommand } from "../../src/command/scan.ts";

const table = createProgramTable();
const RUNS = 400;

function wordsOf(command: string): string[] | null {
  const scanned = scanCommand(command);
  return scanned.ok ? scanned.value.words.flatMap((word) => expandBraces(word, 100) ?? []).map(textOf) : null;
}

const refused = programRows.flatMap((row) =>
  row.examples.refused.map((command) => ({ row, argv: wordsOf(command) as string[] })),
);
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
  const plain = refused.filter(
    ({ row }) => row.kind === "reading" && !/^(awk|sed|yq|ast-grep)$/.test(row.names[0] as string),
  );
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
  const readingRows = refused.flatMap(({ row, argv }) => (row.kind === "reading" ? [{ row, argv }] : []));
  fc.assert(
    fc.property(
      fc.constantFrom(...readingRows),
      fc.array(fc.constantFrom("a.txt", "-n", "--help", "--version"), { maxLength: 3 }),
      fc.boolean(),
      ({ row, argv }, more, isBefore) => {
        const [name = "", ...args] = argv;
        const options = more.filter((word) => word.startsWith("-") && row.options.rules.get(word)?.takes !== "values");
        // Behind a program that is missing something, more words may supply it.
        fc.pre(!isIncomplete(row, args));
        assertRefused(isBefore ? [name, ...options, ...args] : [name, ...args, ...more]);
      },
    ),
    { numRuns: RUNS },
  );
});

function isIncomplete(row: ProgramRow, args: readonly string[]): boolean {
  const form = judgeForm([row.names[0] as string, ...args], table);
  return (
    !form.ok &&
    (/needs a|short for|nothing to run|unless --stdout/.test(form.failure.message) || row.names.includes("less"))
  );
}

test("with its words in another order", () => {
  // Options and operands may be mixed; a value stays behind its option.
  const groups = (row: ReadingRow, args: readonly string[]): string[][] => {
    const found: string[][] = [];
    for (let at = 0; at < args.length; at++) {
      const word = args[at] as string;
      const takesNext =
        row.options.rules.get(word)?.takes === "values" ||
        row.options.rules.get(word)?.takes === "refusal" ||
        /^-\w+$/.test(word) ||
        /^--[\w-]+$/.test(word);
      found.push(takesNext && args[at + 1]?.startsWith("-") === false ? [word, args[++at] as string] : [word]);
    }
    return found;
  };
  const rows = refused.flatMap(({ row, argv }) =>
    row.kind === "reading" &&
    row.options.spec.stand === undefined &&
    !/^(sed|ast-grep)$/.test(row.names[0] as string) &&
    !argv.includes("--")
      ? [{ row, argv }]
      : [],
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...rows).chain(({ row, argv }) => {
        const parts = groups(row, argv.slice(1));
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

const refusedOptions = programRows.flatMap((row) =>
  row.kind === "reading"
    ? Object.keys(row.options.spec.refused ?? {}).flatMap((names) =>
        names.split(" ").map((option) => ({ row, option })),
      )
    : [],
);

test("with a refused long option shortened to any length that is no other option", () => {
  for (const { row, option } of refusedOptions.filter((entry) => entry.option.startsWith("--"))) {
    for (let length = 3; length <= option.length; length++) {
      const short = option.slice(0, length);
      if (short !== option && row.options.rules.has(short)) continue;
      for (const spelled of [[short], [`${short}=x`], [short, "x"]])
        assertRefused([row.names[0] as string, ...spelled, "a", "b"]);
    }
  }
});

test("with a refused short option in any cluster of switches", () => {
  for (const { row, option } of refusedOptions.filter((entry) => /^-[^-]$/.test(entry.option))) {
    const switches = [...row.options.rules]
      .filter(([name, rule]) => /^-[A-Za-z]$/.test(name) && rule.takes === "nothing")
      .map(([name]) => name.slice(1));
    for (const letter of [...switches, ...(row.options.spec.unknown === undefined ? ["Y"] : [])]) {
      for (const word of [`-${letter}${option.slice(1)}`, `-${letter}${option.slice(1)}x`, `${option}${letter}`])
        assertRefused([row.names[0] as string, word, "a", "b"]);
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
