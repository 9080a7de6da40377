// The row above a hunk, and the one at the end of a file: its position, and buttons for the unchanged lines there.

import { groupDigits } from "../../src/action/diff-facts.ts";
import type { DiffHunk } from "../../src/action/diff-file.ts";
import { shown } from "../text.tsx";
import { CONTEXT_STEP, type Gap, gapAt, type Way, waysOf } from "./context.ts";
import type { DiffState } from "./diff-state.ts";
import type { FileLines } from "./file-lines.ts";

export interface HunkRowProps {
  readonly state: DiffState;
  readonly n: number;
  readonly row: number;
  /** The number after the last hunk means the end of the file. */
  readonly hunk: number;
  /** True if the other side is on the left and already shows the text. */
  readonly isBeside: boolean;
}

export function HunkRow({ state, n, row, hunk, isBeside }: HunkRowProps) {
  const file = state.lines(n) as FileLines;
  const gap = gapAt(file, hunk);
  const there = file.hunks[hunk];
  return (
    <div role="row" aria-rowindex={row + 1} class="diff-row is-hunk">
      <span role="cell" class="diff-hunk" title={there === undefined || isBeside ? undefined : titleOf(there)}>
        {!isBeside && gap !== null && <GapButtons state={state} n={n} gap={gap} hunks={file.hunks.length} />}
        {!isBeside && there !== undefined && rangeText(there)}
        {!isBeside && there !== undefined && there.section !== "" && (
          <bdi class="diff-section">{shown(there.section, { maxLength: 120 })}</bdi>
        )}
      </span>
    </div>
  );
}

function rangeText({ oldStart, oldCount, newStart, newCount }: DiffHunk): string {
  const range = (start: number, count: number): string => (count === 1 ? `${start}` : `${start},${count}`);
  return `@@ -${range(oldStart, oldCount)} +${range(newStart, newCount)} @@`;
}

function titleOf({ section }: DiffHunk): string | undefined {
  return section === "" ? undefined : shown(section, { maxLength: 120 });
}

interface GapButtonsProps extends Pick<HunkRowProps, "state" | "n"> {
  readonly gap: Gap;
  readonly hunks: number;
}

function GapButtons({ state, n, gap, hunks }: GapButtonsProps) {
  const asked = state.context?.at(n) ?? null;
  const isHere = asked?.hunk === gap.hunk;
  return (
    <>
      {waysOf(gap, hunks).map((way) => {
        const { sign, text, rest, label } = wordsOf(way, gap.to - gap.from);
        return (
          <button
            key={way}
            type="button"
            class="diff-more"
            aria-label={label}
            data-gap={gap.hunk}
            data-way={way}
            aria-disabled={asked?.is === "coming" ? "true" : undefined}
            onClick={() => state.expand(n, gap.hunk, way)}
          >
            {sign} {text}
            {/* The label says it where there is no room. */}
            <span class="diff-rest">{rest}</span>
          </button>
        );
      })}
      {isHere && asked.is === "failed" && (
        <span class="diff-mark" role="alert">
          They did not come.
        </span>
      )}
    </>
  );
}

function wordsOf(way: Way, count: number) {
  const step = { text: `${CONTEXT_STEP}`, rest: " more lines" };
  const all = { text: count === 1 ? "1" : `all ${groupDigits(count)}`, rest: count === 1 ? " more line" : " lines" };
  return {
    down: { sign: "↓", ...step, label: `${step.text}${step.rest} below what is above` },
    up: { sign: "↑", ...step, label: `${step.text}${step.rest} above what is below` },
    all: { sign: "↕", ...all, label: `${all.text}${all.rest} left out here` },
  }[way];
}
