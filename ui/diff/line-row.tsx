// One row of a diff: a line across both sides, a line on one side, the heading of a hunk, or an empty row beside an addition.

import { Component, type ComponentChildren } from "preact";
import { groupDigits } from "../../src/action/diff-facts.ts";
import type { DiffLine } from "../../src/action/diff-file.ts";
import { wordChanges, type WordRange } from "../../src/git/publish/word-diff.ts";
import type { DiffState } from "./diff-state.ts";
import { type FileLines, pieceCount, pieceSpan } from "./file-lines.ts";
import { HunkRow } from "./hunk-row.tsx";
import { ROW_HEIGHT } from "./layout.ts";
import { type LineSpan, lineSpans } from "./line-spans.ts";
import { hunkOfRow, isHunkRow, NO_LINE, type PaneSide } from "./rows.ts";
import { tokenNames } from "./token-ranges.ts";

export interface LineRowProps {
  readonly state: DiffState;
  readonly n: number;
  readonly row: number;
  /** In pixels. */
  readonly height: number;
  readonly side: PaneSide;
  /** The content of the row; see rows.ts. */
  readonly value: number;
  /** The piece of that line. */
  readonly piece: number;
  /** True if the other side is on the left and already shows the text. */
  readonly isBeside: boolean;
  /** The version of the file. The row is drawn again when it increases. */
  readonly version: number;
  readonly query: string;
  /** True if the search is at this row. */
  readonly isCurrent: boolean;
}

export class LineRow extends Component<LineRowProps> {
  override shouldComponentUpdate(next: LineRowProps): boolean {
    const { version, query, isCurrent, value, piece, side, state, height } = this.props;
    return (
      next.version !== version ||
      next.query !== query ||
      next.isCurrent !== isCurrent ||
      next.value !== value ||
      next.piece !== piece ||
      next.side !== side ||
      next.height !== height ||
      next.state !== state
    );
  }

  override render(): ComponentChildren {
    const { state, n, row, side, value, piece, isBeside, query, isCurrent, height } = this.props;
    const style = height > ROW_HEIGHT ? { minHeight: `${height}px` } : undefined;
    const file = state.lines(n);
    if (file === null) return null;
    if (value === NO_LINE)
      return (
        <div role="row" aria-rowindex={row + 1} class="diff-row is-nothing" style={style}>
          <span role="cell" aria-label="nothing on this side" />
        </div>
      );
    if (isHunkRow(value)) return <HunkRow state={state} n={n} row={row} hunk={hunkOfRow(value)} isBeside={isBeside} />;
    const line = file.lines[value] as DiffLine;
    const kind = kinds[line.sign];
    const all = pieceCount(file, value);
    const [from, to] = pieceSpan(file, value, piece);
    const rest = piece === state.shownPieces(n, value) - 1 ? line.text.length - to : 0;
    // Neither colours nor changed words reach beyond the first piece.
    const tokens = piece === 0 ? state.colours(n)?.at(value) : undefined;
    const spans = lineSpans(all === 1 ? line.text : line.text.slice(from, to), {
      changed: all === 1 ? changedWords(file, value) : nothing,
      ...(tokens === undefined ? {} : { tokens }),
      isCut: piece < all - 1,
      tokenName: (token) => tokenNames[token] ?? "",
      query,
    });
    const showWhole = (button: Element): void => {
      const section = button.closest("[data-file]");
      state.showWhole(n, value);
      // The pressed button disappears.
      section?.querySelector<HTMLElement>(".diff-fold")?.focus({ preventScroll: true });
    };
    return (
      <div
        role="row"
        aria-rowindex={row + 1}
        class={`diff-row is-${kind.name}${isCurrent ? " is-current" : ""}`}
        data-line={value}
        data-piece={piece}
        style={style}
      >
        {side !== "right" && number(line.sign === "+" ? null : (file.oldNumber[value] as number), piece, "is-old")}
        {side !== "left" && number(line.sign === "-" ? null : (file.newNumber[value] as number), piece, "is-new")}
        <span role="cell" class="diff-sign" aria-label={kind.label}>
          {kind.sign}
        </span>
        <span role="cell" class="diff-code">
          {spans.map(drawSpan)}
          {rest > 0 && (
            <button type="button" class="diff-more" onClick={({ currentTarget }) => showWhole(currentTarget)}>
              … {groupDigits(rest)} more characters
            </button>
          )}
          {line.isUnterminated && piece === all - 1 && <span class="diff-mark">no newline at end of file</span>}
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

function number(value: number | null, piece: number, name: string) {
  const isMore = value !== null && piece > 0;
  return (
    <span role="cell" class={`diff-number ${name}`} aria-label={isMore ? `${value} goes on` : undefined}>
      {isMore ? "↳" : (value ?? "")}
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
