// For every string that we accept, bash reads the same words: real bash is the oracle.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import fc from "../fixtures/fast-check.ts";
import { expandBraces } from "../../src/command/words/braces.ts";
import { textOf } from "../../src/command/words/shell-word.ts";
import { scanCommand } from "../../src/command/words/scan.ts";

/** The words of a command as we read them, without globs; null when it is refused. */
function ourWords(command: string): string[] | null {
  const scanned = scanCommand(command);
  if (!scanned.ok) return null;
  const words: string[] = [];
  for (const word of scanned.value.words) {
    const expanded = expandBraces(word, 1000);
    if (expanded === undefined) return null;
    words.push(...expanded.filter((choice) => choice.length > 0).map(textOf));
  }
  return [...scanned.value.assignments.map(({ name, value }) => `${name}=${value}`), ...words];
}

/** What bash makes of many commands at once: each runs as a function call in which `printf` shows the words. */
function bashWords(commands: readonly string[]): string[][] {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-words-"));
  const script = commands.map((command) => `show ${command}\n`).join("");
  const prelude = "set -f\nshow() { printf '%s\\0' \"$@\"; printf '\\1\\0'; }\n";
  const ended = spawnSync("/bin/bash", ["--noprofile", "--norc", "-s"], {
    input: prelude + script,
    cwd: directory,
    encoding: "utf8",
    env: { PATH: "", LC_ALL: "C.UTF-8", HOME: "/nonexistent" },
    maxBuffer: 1 << 28,
  });
  rmSync(directory, { recursive: true });
  const words = ended.stdout.split("\0").slice(0, -1);
  const lists: string[][] = [[]];
  for (const word of words) {
    if (word === "\u0001") lists.push([]);
    else lists.at(-1)?.push(word);
  }
  return lists.slice(0, -1);
}

const special = [
  "'",
  '"',
  "\\",
  " ",
  "\t",
  "{",
  "}",
  ",",
  "..",
  "{1..3}",
  "{a,b}",
  "{a..e..2}",
  "{01..10}",
  "$",
  "~",
  "#",
  "!",
  "=",
  "A=",
  "%",
  "-",
  "*",
  "?",
  "[",
  "]",
  "^",
  "@",
  ":",
  ";",
  "&",
  "|",
  "<",
  ">",
  "(",
  ")",
  "`",
  "é",
  "日",
  "\u{1f600}",
  "\u00a0",
  "{}",
  "$(",
  "${x}",
  "$x",
  "\\\\",
  "\\'",
  '\\"',
  "x",
];
const command = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...special) },
      { weight: 2, arbitrary: fc.stringMatching(/^[a-z0-9./_-]{1,4}$/) },
    ),
    { minLength: 1, maxLength: 14 },
  )
  .map((parts) => parts.join(""));

test("for at least 5,000 accepted strings bash reads the same words", { timeout: 300_000 }, () => {
  const accepted: { command: string; words: string[] }[] = [];
  let refused = 0;
  for (const text of fc.sample(command, { numRuns: 40_000, seed: 20261115 })) {
    const words = ourWords(text);
    // An assignment is one only before a program: behind `show` it would be a word.
    if (words === null || scanCommand(text).ok === false || /^\s*[A-Za-z_]\w*=/.test(text)) refused++;
    else accepted.push({ command: text, words });
    if (accepted.length >= 6_000) break;
  }
  assert.ok(accepted.length >= 5_000, `${accepted.length} accepted, ${refused} refused`);
  const read = bashWords(accepted.map((entry) => entry.command));
  assert.equal(read.length, accepted.length);
  for (const [index, entry] of accepted.entries())
    assert.deepEqual(entry.words, read[index], JSON.stringify(entry.command));
});

test("control: the oracle tells words apart", () => {
  assert.deepEqual(bashWords(["a 'b c' {1..3}", "x"]), [["a", "b c", "1", "2", "3"], ["x"]]);
});
