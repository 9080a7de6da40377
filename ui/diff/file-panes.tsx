// The rows of one file: in one pane, or old and new side by side. Only rows near the screen have elements.
// Invariant: both panes have the same height and the same horizontal position.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FileView } from "../../src/web/api.ts";
import { shown } from "../text.tsx";
import type { DiffState } from "./diff-state.ts";
import type { FoundLine } from "./find-lines.ts";
import { ROW_HEIGHT, type Span } from "./layout.ts";
import { LineRow } from "./line-row.tsx";
import { linesBetween, type Rows } from "./rows.ts";
import { markWide } from "./sideways.ts";
import { SPARE_CELL } from "./wrapped-lines.ts";

export interface FilePanesProps {
  readonly state: DiffState;
  readonly n: number;
  readonly view: Span;
  readonly width: number;
  /** The width of one character of code, in pixels. */
  readonly cell: number;
  readonly query: string;
  readonly current: FoundLine | null;
}

/** The width beside the text, in digits and in characters. */
const GUTTER = 6;

export function FilePanes({ state, n, view, width, cell, query, current }: FilePanesProps) {
  const rows = state.rows(n) as Rows;
  const file = state.files[n] as FileView;
  const lines = state.lines(n);
  const panes = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const placed = useRef(new Map<Element, number>());
  const [range, setRange] = useState(0);
  const version = state.version(n);
  const mode = state.modeOf(n);
  const sides = state.sides(n);
  const rowTops = state.rowTops(n);
  const wrapAt = state.columns(n);

  useLayoutEffect(() => {
    const pane = panes.current?.firstElementChild;
    if (pane !== null && pane !== undefined) setRange(pane.scrollWidth - pane.clientWidth);
  }, [version, width, mode, wrapAt]);

  // The estimated heights may be wrong for this font, so the drawn rows are measured.
  useLayoutEffect(() => {
    if (wrapAt !== null && panes.current !== null) state.measured(n, drawnHeights(panes.current));
  });

  useLayoutEffect(() => {
    for (const pane of panes.current?.children ?? []) markWide(pane);
  });

  useEffect(() => state.colours(n)?.want(...linesBetween(rows, ...view)), [state, version, ...view]);

  // Scrolling one pane sideways scrolls the others. Their own scroll events are echoes and may come late.
  const moved = (event: Event) => {
    const mover = event.currentTarget as HTMLElement;
    if (placed.current.get(mover) === mover.scrollLeft) return;
    for (const other of [...(panes.current?.children ?? []), bar.current]) {
      if (other === null || other === mover) continue;
      other.scrollLeft = mover.scrollLeft;
      placed.current.set(other, other.scrollLeft);
    }
    placed.current.delete(mover);
    for (const pane of panes.current?.children ?? []) markWide(pane);
  };

  const digits = lines?.digits ?? 1;
  const columns = (lines?.columns ?? 0) + digits * (sides[0] === "both" ? 2 : 1) + GUTTER;
  return (
    <>
      <div ref={panes} class={`diff-panes is-${mode}`} style={{ height: `${rowTops.height}px` }}>
        {sides.map((side) => (
          <div
            key={side}
            class={wrapAt === null ? "diff-pane" : "diff-pane is-wrapped"}
            role="table"
            aria-label={`${labels[side]} ${shown(side === "left" ? file.oldPath : file.path, { maxLength: 200 })}`}
            aria-rowcount={rows.count}
            tabIndex={range > 0 ? 0 : undefined}
            onScroll={moved}
            style={{ "--digits": digits, "--code": `${((wrapAt ?? 0) + SPARE_CELL) * cell}px` }}
          >
            <div
              role="rowgroup"
              class="diff-rows"
              style={{
                top: `${rowTops.top(view[0])}px`,
                minWidth: wrapAt === null ? `max(100%, ${columns}ch)` : "100%",
              }}
            >
              {rowsBetween(view).map((row) => {
                const value = (side === "right" ? rows.right : rows.left)[row] as number;
                return (
                  <LineRow
                    key={row}
                    state={state}
                    n={n}
                    row={row}
                    height={rowTops.heightOf(row)}
                    side={side}
                    value={value}
                    piece={rows.piece[row] as number}
                    isBeside={side === "right" && sides.length > 1}
                    version={version}
                    query={query}
                    isCurrent={current?.file === n && current.line === value}
                  />
                );
              })}
            </div>
          </div>
        ))}
      </div>
      {range > 0 && (
        <div ref={bar} class="diff-sideways" onScroll={moved} aria-hidden="true">
          <div style={{ width: `calc(100% + ${range}px)` }} />
        </div>
      )}
    </>
  );
}

const labels = { both: "Changes of", left: "Before:", right: "After:" } as const;

function rowsBetween([from, to]: Span): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}

/** Each drawn piece of a line with its height in rows. */
function* drawnHeights(panes: Element): Generator<readonly [line: number, piece: number, height: number]> {
  for (const code of panes.querySelectorAll<HTMLElement>("[data-line] > .diff-code")) {
    const { line, piece } = code.parentElement?.dataset ?? {};
    yield [Number(line), Number(piece), Math.max(1, Math.round(code.offsetHeight / ROW_HEIGHT))];
  }
}
