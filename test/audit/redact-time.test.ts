// An agent says what is redacted, and nothing else runs meanwhile: the time may only grow as the text does.
// Growth is compared, never a time: a text takes as long as its eight parts, and eight times as long where each place
// of it is looked at from each other. What the machine does beside it makes only some of the attempts slower.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "../fixtures/fast-check.ts";
import { redact } from "../../src/audit/redact.ts";
import { isTried, runs } from "../fixtures/runs.ts";
import { hostile } from "./hostile-texts.ts";
import { secretFormats } from "./secret-formats.ts";

const SMALL = runs(24, 8) * 1024;
const CONTROL = 24 * 1024;
const PARTS = 8;
const MOST_GROWTH = 3.5; // 1 for a linear time, 8 for a quadratic one
const ATTEMPTS = 12;

type Make = (length: number) => string;

const repeated =
  (part: string): Make =>
  (length) =>
    part.repeat(Math.ceil(length / part.length));

function timeOf(text: string): number {
  const before = performance.now();
  redact({ content: text });
  return performance.now() - before;
}

/** How much longer a text takes than its parts. The least that was seen: a quadratic one is large in each attempt. */
function growthOf(make: Make, length: number): number {
  const [small, large] = [make(length), make(PARTS * length)];
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least >= MOST_GROWTH; attempt += 1) {
    let parts = 0;
    for (let part = 0; part < PARTS; part += 1) parts += timeOf(small);
    least = Math.min(least, timeOf(large) / parts);
  }
  return least;
}

function assertLinear(makes: Readonly<Record<string, Make>>): void {
  timeOf(repeated("password: x, ")(SMALL));
  const steep = Object.entries(makes)
    .filter(([, make]) => growthOf(make, SMALL) >= MOST_GROWTH)
    // A quadratic time shows more clearly in a longer text; what only looked like one in times of a millisecond does not.
    .map(([name, make]) => [name, Number(growthOf(make, 4 * SMALL).toFixed(1))] as const)
    .filter(([, growth]) => growth >= MOST_GROWTH);
  assert.deepEqual(steep, []);
}

const all = (parts: readonly string[]) => Object.fromEntries(parts.map((part) => [part, repeated(part)]));

describe("the time for eight times the text", () => {
  test("of the beginnings of all tokens", () => {
    const tokens = secretFormats.filter(({ kind }) => kind === "token").map(({ text }) => text);
    assertLinear(all(tokens.filter(isTried).flatMap((text) => [`-${text.slice(0, 12)}`, text.slice(0, 7)])));
  });

  test("of texts that begin what patterns look for", () => assertLinear(all(Object.values(hostile))));

  test("of parts of addresses, files, headers, code and commands", () => {
    assertLinear(
      all([
        "-eyJaaaaaaaa",
        "localhost:5432:a:b:",
        '{"a":[',
        "99999999:AA",
        '\\\\"password\\\\":',
        "a:b,",
        "Cookie: a ",
        "Authorization: ${{ ",
        "X-Api-Key: ${{ ",
        "api_key={{",
        "api_key={{'a'",
        "api_key=~/",
        "password: {{",
        "passwd <<E\n",
        "passwd <<E;",
        "read TOKEN <<E\n",
        "curl -b a=",
        'kind: Secret\na: "b\n',
        "machine a login ",
      ]),
    );
  });

  test("of a file of JSON in one line", () => {
    const row = (id: number) => `{"id":${id},"name":"item${id}","count":${id * 7},"on":true}`;
    assertLinear({ json: (length) => `[${Array.from({ length: length / 50 }, (_, id) => row(id)).join(",")}]` });
  });

  test("of here-documents that end late, elsewhere, or not at all", () => {
    const marks = (length: number, text: (id: number) => string) =>
      Array.from({ length: length / 14 }, (_, id) => text(id)).join("\n");
    assertLinear({
      late: (length) => `${repeated("passwd <<E\n")(length)}\nE\n`,
      none: (length) => marks(length, (id) => `passwd <<E${id}`),
      elsewhere: (length) => `${marks(length, (id) => `passwd <<E${id}`)}\n${marks(length, (id) => `E${id}x`)}`,
      "on one line": (length) => `${repeated("passwd <<E;")(length)}\na\nE\n`,
    });
  });

  test("of random parts, again and again", () => {
    const parts = (
      "password key token auth cookie authorization passwd mysql curl sudo -u -p --token = : \n \" ' \\ \\n ` {{ ${{ $( ~/ " +
      "your- <<E | ; & ? @ :// [ ] { } , ( ) < > a b1 - eyJaaaaaaaa . machine login value name data: 5432 ghp_ %20 '\\'' set("
    ).split(" ");
    const fragment = fc
      .array(fc.constantFrom(...parts, " ", " "), { minLength: 1, maxLength: 6 })
      .map((words) => words.join(""));
    fc.assert(
      fc.property(fragment, (part) => assertLinear(all([part]))),
      { numRuns: runs(60, 15), endOnFailure: true },
    );
  });
});

test("control: the same comparison finds a pattern that looks from each place to the end", () => {
  const count = (text: string): number => text.match(/:(?=[^\n]*@)/g)?.length ?? 0;
  const time = (length: number): number => {
    const before = performance.now();
    count(":".repeat(length));
    return performance.now() - before;
  };
  time(CONTROL / 8);
  assert.ok(Math.max(...[1, 2, 3].map(() => time(CONTROL) / (PARTS * time(CONTROL / PARTS)))) > MOST_GROWTH);
});
