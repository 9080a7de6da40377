import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../fixtures/fast-check.ts";
import type { DiffHunk } from "../../../src/action/diff-file.ts";
import { diffFiles, type FileSide } from "../../../src/git/publish/diff.ts";
import { splitLines } from "../../../src/git/publish/line-diff.ts";
import type { ObjectId } from "../../../src/git/publish/object.ts";
import { limits } from "../../../src/shared/limits.ts";
import { contextLines } from "../../../src/web/context-lines.ts";
import {
  CONTEXT_MOST,
  gapAt,
  movedLine,
  partOf,
  type WithHunks,
  waysOf,
  withContext,
} from "../../../ui/diff/context.ts";
import { fileLines } from "../../../ui/diff/file-lines.ts";
import { makeRows } from "../../../ui/diff/rows.ts";
import { SeenPieces } from "../../../ui/diff/seen-pieces.ts";
import { runs } from "../../fixtures/runs.ts";

const side = (text: string, id: string): FileSide => ({
  mode: "100644",
  content: Buffer.from(text),
  id: id as ObjectId,
});
const hunksOf = (before: string, after: string, around: number): readonly DiffHunk[] =>
  diffFiles([{ path: "f", before: side(before, "1"), after: side(after, "2") }], { contextLines: around })[0]?.hunks ??
  [];
const withoutSection = (hunks: readonly DiffHunk[]) => hunks.map((hunk) => ({ ...hunk, section: "" }));

// Long runs of lines that stay, and few that change.
const text = fc
  .array(fc.tuple(fc.boolean(), fc.nat(70)), { maxLength: 6 })
  .map((runs) => runs.flatMap(([isOdd, length], at) => [isOdd ? `odd ${at}` : "even", ...numbered(at, length)]));
const numbered = (run: number, length: number): string[] =>
  Array.from({ length }, (_, at) => `line ${at} of ${run % 3}`);

test("shown step by step, in any order, it becomes the diff with all lines around its changes", () => {
  const written = fc.tuple(text, fc.boolean()).map(([lines, isEnded]) => lines.join("\n") + (isEnded ? "\n" : ""));
  fc.assert(
    fc.property(written, written, fc.infiniteStream(fc.nat(1_000)), (before, after, random) => {
      const next = (below: number): number => (random.next().value as number) % below;
      const now = splitLines(after);
      let file: WithHunks = { hunks: hunksOf(before, after, 3), newLines: now.lines.length };
      for (;;) {
        const gaps = Array.from({ length: file.hunks.length + 1 }, (_, at) => gapAt(file, at)).filter(
          (gap) => gap !== null,
        );
        const gap = gaps[next(Math.max(1, gaps.length))];
        if (gap === undefined) break;
        const ways = waysOf(gap, file.hunks.length);
        assert.ok(ways.length > 0);
        const part = partOf(gap, ways[next(ways.length)] as (typeof ways)[number]);
        file = { ...file, hunks: withContext(file, part, contextLines(now, part.from, part.to)) };
      }
      assert.deepEqual(withoutSection(file.hunks), withoutSection(hunksOf(before, after, 100_000)));
    }),
    { numRuns: runs(300) },
  );
});

test("what is left out: above, between and at the end, each with the ways to show it", () => {
  const lines = Array.from({ length: 200 }, (_, at) => `${at + 1}`);
  const after = lines.with(10, "x").with(100, "y").join("\n");
  const file = { hunks: hunksOf(lines.join("\n"), after, 3), newLines: 200 };
  assert.deepEqual(
    [0, 1, 2].map((hunk) => gapAt(file, hunk)),
    [
      { hunk: 0, from: 1, to: 8 },
      { hunk: 1, from: 15, to: 98 },
      { hunk: 2, from: 105, to: 201 },
    ],
  );
  const ways = (hunk: number) => waysOf(gapAt(file, hunk) as NonNullable<ReturnType<typeof gapAt>>, 2);
  assert.deepEqual([ways(0), ways(1), ways(2)], [["all"], ["down", "up", "all"], ["down", "all"]]);
  assert.equal(gapAt({ ...file, newLines: null }, 1), null, "they cannot be had");
  assert.deepEqual(waysOf({ hunk: 1, from: 1, to: 10_000 }, 2), ["down", "up"], "too many for once");
  assert.equal(makeRows(fileLines(file.hunks, 200), "split").count, 2 + 14 + 1, "a row at the end");
  assert.equal(makeRows(fileLines(file.hunks), "split").count, 2 + 14);
});

test("all is what the server gives at once", () => {
  assert.equal(CONTEXT_MOST, limits.contextLines);
});

test("lines put in move those below, and need not be seen", () => {
  const insertion = { file: 0, at: 2, count: 10 };
  assert.deepEqual(
    [0, 1, 2, 3].map((line) => movedLine(line, insertion)),
    [0, 1, 12, 13],
  );
  const seen = new SeenPieces(4);
  for (const line of [0, 1, 2]) seen.mark(line);
  seen.insert(insertion.at, insertion.count);
  assert.equal(seen.isAll, false);
  seen.mark(5);
  assert.equal(seen.isAll, false);
  seen.mark(13);
  assert.equal(seen.isAll, true);
});
