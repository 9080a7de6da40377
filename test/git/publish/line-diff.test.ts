// The line diff: always correct, minimal where that is cheap, and never slow, whatever it is given.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "../../fixtures/fast-check.ts";
import { diffLines, type LineChange, splitLines } from "../../../src/git/publish/line-diff.ts";
import { diffSequences } from "../../../src/git/publish/sequence-diff.ts";
import { wordChanges } from "../../../src/git/publish/word-diff.ts";
import { runs } from "../../fixtures/runs.ts";

/** The new lines, made from the old ones and the changes alone. */
function applied(old: readonly string[], now: readonly string[], changes: readonly LineChange[]): string[] {
  const made: string[] = [];
  let at = 0;
  for (const { oldFrom, oldTo, newFrom, newTo } of changes) {
    assert.ok(oldFrom >= at && oldTo >= oldFrom && newTo >= newFrom && oldTo - oldFrom + newTo - newFrom > 0);
    made.push(...old.slice(at, oldFrom));
    assert.equal(made.length, newFrom);
    made.push(...now.slice(newFrom, newTo));
    at = oldTo;
  }
  return [...made, ...old.slice(at)];
}

function shortestEdit(old: readonly number[], now: readonly number[]): number {
  let row = Array.from({ length: now.length + 1 }, (_, index) => index);
  old.forEach((element, y) => {
    const next = [y + 1];
    now.forEach((other, x) => {
      next.push(element === other ? (row[x] as number) : Math.min(row[x + 1] as number, next[x] as number) + 1);
    });
    row = next;
  });
  return row.at(-1) as number;
}

test("random sequences: a shortest edit, and one that makes the new from the old", () => {
  const sequence = fc.array(fc.nat({ max: 3 }), { maxLength: 40 });
  fc.assert(
    fc.property(sequence, sequence, (old, now) => {
      const { removed, added } = diffSequences(Int32Array.from(old), Int32Array.from(now), 4);
      assert.deepEqual(
        old.filter((_, index) => removed[index] === 0),
        now.filter((_, index) => added[index] === 0),
      );
      const count = (flags: Uint8Array): number => flags.reduce((sum, flag) => sum + flag, 0);
      assert.equal(count(removed) + count(added), shortestEdit(old, now));
    }),
    { numRuns: runs(3_000) },
  );
});

test("random texts: the changes make the new lines from the old, with something unchanged between them", () => {
  const text = fc.array(fc.constantFrom("a", "b", "", "  c", "}"), { maxLength: 40 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [old, now] = [splitLines(one), splitLines(other)];
      const changes = diffLines(old, now);
      const mark = ({ lines, isTerminated }: typeof old): string[] =>
        lines.map((line, index) => (isTerminated || index < lines.length - 1 ? line : `${line}!`));
      assert.deepEqual(applied(mark(old), mark(now), changes), mark(now));
      changes.slice(1).forEach(({ oldFrom }, index) => assert.ok(oldFrom > (changes[index] as LineChange).oldTo));
    }),
    { numRuns: runs(3_000) },
  );
});

function noise(length: number, kinds: number, seed: number): string[] {
  let state = seed;
  return Array.from({ length }, () => {
    state = (Math.imul(state ^ (state >>> 13), 0x5bd1e995) + 0x6d2b79f5) | 0;
    return `line ${(state >>> 8) % kinds}`;
  });
}

const numbered = (length: number, name = "line"): string[] => Array.from({ length }, (_, index) => `${name} ${index}`);

const hard: Record<string, (length: number) => [string[], string[]]> = {
  "every second line changed": (length) => [
    numbered(length),
    numbered(length).map((line, index) => (index % 2 === 0 ? `${line}!` : line)),
  ],
  "two kinds of lines at random": (length) => [noise(length, 2, 1), noise(length, 2, 2)],
  "a hundred kinds at random": (length) => [noise(length, 100, 1), noise(length, 100, 2)],
  reversed: (length) => [numbered(length), numbered(length).reverse()],
  "sorted by another key": (length) => [
    numbered(length),
    numbered(length).sort((a, b) => (Number(`${a.slice(5)}7919`) % 10_007) - (Number(`${b.slice(5)}7919`) % 10_007)),
  ],
  "halves exchanged": (length) => [
    numbered(length),
    [...numbered(length).slice(length / 2), ...numbered(length).slice(0, length / 2)],
  ],
  "all the same": (length) => [Array<string>(length).fill("}"), Array<string>(Math.floor(length * 0.7)).fill("}")],
};

for (const [title, make] of Object.entries(hard)) {
  test(`ten times the lines take nothing like a hundred times as long: ${title}`, () => {
    const measure = (length: number): number => {
      const [one, other] = make(length);
      const [old, now] = [splitLines(`${one.join("\n")}\n`), splitLines(`${other.join("\n")}\n`)];
      const times = [1, 2, 3].map(() => {
        const before = process.cpuUsage();
        const changes = diffLines(old, now);
        const { user } = process.cpuUsage(before); // other programs take time of the clock, not of this process
        assert.deepEqual(applied(old.lines, now.lines, changes), now.lines);
        return user / 1_000;
      });
      return Math.min(...times);
    };
    measure(2_000);
    let [small, large] = [0, Infinity];
    for (let attempt = 0; attempt < 3 && large >= Math.max(small, 1) * 50; attempt += 1)
      [small, large] = [measure(runs(8_000, 4_000)), measure(runs(80_000, 40_000))];
    assert.ok(large < Math.max(small, 1) * 50, `${large.toFixed(0)} ms against ${small.toFixed(1)} ms`);
  });
}

test("words that changed are found, and the rest of the line is left alone", () => {
  const marked = (one: string, other: string): string[][] => {
    const { old, new: now } = wordChanges(one, other);
    return [old.map(([from, to]) => one.slice(from, to)), now.map(([from, to]) => other.slice(from, to))];
  };
  assert.deepEqual(marked("const total = 1;", "const sum = 1;"), [["total"], ["sum"]]);
  assert.deepEqual(marked("a(b, c)", "a(b, c, d)"), [[], [", d"]]);
  assert.deepEqual(marked("the old red house stands", "the new blue house stands"), [["old red"], ["new blue"]]);
  assert.deepEqual(marked("grün 😀 x", "grün 😁 x"), [["😀"], ["😁"]]);
  assert.deepEqual(marked("same", "same"), [[], []]);
  assert.deepEqual(marked("wholly different", "nothing shared here at all"), [[], []]);
  assert.deepEqual(marked(`${"x ".repeat(2_000)}a`, `${"x ".repeat(2_000)}b`), [[], []]);
});

test("random lines: what is not marked is the same on both sides, up to blanks", () => {
  const line = fc
    .array(fc.constantFrom("a", "bc", " ", "ü", "😀", "(", ";"), { maxLength: 20 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(line, line, (one, other) => {
      const { old, new: now } = wordChanges(one, other);
      if (old.length === 0 && now.length === 0) return;
      const rest = (text: string, ranges: typeof old): string => {
        let left = "";
        let at = 0;
        for (const [from, to] of ranges) {
          assert.ok(from >= at && to > from && to <= text.length);
          left += text.slice(at, from);
          at = to;
        }
        return (left + text.slice(at)).replace(/\s+/g, "");
      };
      assert.equal(rest(one, old), rest(other, now));
    }),
  );
});
