// One row of a diff: a line of it, a line on one side, the beginning of a hunk, or nothing beside what was added.

import { Component, type ComponentChildren } from "preact";
import { groupDigits } from "../../src/action/diff-facts.ts";
import type { DiffHunk, DiffLine } from "../../src/action/diff-file.ts";
import { wordChanges, type WordRange } from "../../src/git/publish/word-diff.ts";
import { shown } from "../text.tsx";
import type { DiffState } from "./diff-state.ts";
import type { FileLines } from "./file-lines.ts";
import { cutLine, type LineSpan, lineSpans } from "./line-spans.ts";
import { hunkOfRow, isHunkRow, NO_LINE } from "./rows.ts";
import { tokenNames } from "./token-ranges.ts";

export interface LineRowProps {
  readonly state: DiffState;
  readonly n: number;
  readonly row: number;
  readonly side: "both" | "left" | "right";
  /** What stands in it: see rows.ts. */
  readonly value: number;
  /** The other side stands left of it, and says what is to be said once. */
  readonly isBeside: boolean;
  /** Of the file: drawn again when it grows. */
  readonly version: number;
  readonly query: string;
  /** What the search stands at. */
  readonly isCurrent: boolean;
}

export class LineRow extends Component<LineRowProps> {
  override shouldComponentUpdate(next: LineRowProps): boolean {
    const { version, query, isCurrent, value, side, state } = this.props;
    return (
      next.version !== version ||
      next.query !== query ||
      next.isCurrent !== isCurrent ||
      next.value !== value ||
      next.side !== side ||
      next.state !== state
    );
  }

  override render(): ComponentChildren {
    const { state, n, row, side, value, isBeside, query, isCurrent } = this.props;
    const file = state.lines(n);
    if (file === null) return null;
    if (value === NO_LINE)
      return (
        <div role="row" aria-rowindex={row + 1} class="diff-row is-nothing">
          <span role="cell" aria-label="nothing on this side" />
        </div>
      );
    if (isHunkRow(value)) return hunkLine(file.hunks[hunkOfRow(value)] as DiffHunk, row, isBeside);
    const line = file.lines[value] as DiffLine;
    const kind = kinds[line.sign];
    const { start, rest } = cutLine(line.text, state.shownCharacters(n, value));
    const tokens = state.colours(n)?.at(value);
    const spans = lineSpans(start, {
      changed: changedWords(file, value),
      ...(tokens === undefined ? {} : { tokens }),
      tokenName: (token) => tokenNames[token] ?? "",
      query,
    });
    return (
      <div
        role="row"
        aria-rowindex={row + 1}
        class={`diff-row is-${kind.name}${isCurrent ? " is-current" : ""}`}
        data-line={value}
      >
        {side !== "right" && number(line.sign === "+" ? null : (file.oldNumber[value] as number), "is-old")}
        {side !== "left" && number(line.sign === "-" ? null : (file.newNumber[value] as number), "is-new")}
        <span role="cell" class="diff-sign" aria-label={kind.label}>
          {kind.sign}
        </span>
        <span role="cell" class="diff-code">
          {spans.map(drawSpan)}
          {rest > 0 && (
            <button type="button" class="diff-more" onClick={() => state.showMore(n, value)}>
              … {groupDigits(rest)} more characters
            </button>
          )}
          {line.isUnterminated && <span class="diff-mark">no newline at end of file</span>}
        </span>
      </div>
    );
  }
}

const kinds = {
  " ": { name: "same", sign: " ", label: "unchanged" },
  "-": { name: "removed", sign: "−", label: "removed" },
  "+": { name: "added", sign: "+", label: "added" },
} as const;

function number(value: number | null, name: string) {
  return (
    <span role="cell" class={`diff-number ${name}`}>
      {value ?? ""}
    </span>
  );
}

const nothing: readonly WordRange[] = [];

function changedWords(file: FileLines, at: number): readonly WordRange[] {
  const line = file.lines[at];
  const other = file.lines[file.partner[at] as number];
  if (line === undefined || other === undefined) return nothing;
  return line.sign === "-" ? wordChanges(line.text, other.text).old : wordChanges(other.text, line.text).new;
}

function drawSpan({ text, kind, token, isChanged, isHit }: LineSpan) {
  const names = [
    ...(kind === "text" ? [] : [`is-${kind}`]),
    ...(token === "" ? [] : [`token-${token}`]),
    ...(isChanged ? ["is-word"] : []),
  ].join(" ");
  if (isHit) return <mark class={names}>{text}</mark>;
  if (names === "") return text;
  // Each tab has its own arrow.
  if (kind === "tab" && text.length > 1) return [...text].map((tab) => <span class={names}>{tab}</span>);
  return <span class={names}>{text}</span>;
}

function hunkLine({ oldStart, oldCount, newStart, newCount, section }: DiffHunk, row: number, isBeside: boolean) {
  const range = (start: number, count: number): string => (count === 1 ? `${start}` : `${start},${count}`);
  return (
    <div role="row" aria-rowindex={row + 1} class="diff-row is-hunk">
      <span role="cell" class="diff-hunk">
        {isBeside ? "" : `@@ -${range(oldStart, oldCount)} +${range(newStart, newCount)} @@`}
        {!isBeside && section !== "" && <bdi class="diff-section">{shown(section, { maxLength: 120 })}</bdi>}
      </span>
    </div>
  );
}
