// Shows a diff of any size, file by file. Only files and rows near the screen have elements; the others only take up space.
// Invariant: the number of elements does not grow with the diff. What the reviewer reads stays in place when something above
// it changes its height.

import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { useKeys } from "../keys.ts";
import type { LinePlace } from "../question/comment-dialog.tsx";
import { type Insertion, movedLine } from "./context.ts";
import { DiffBar } from "./diff-bar.tsx";
import { DiffState } from "./diff-state.ts";
import { contextOf, type DiffViewProps } from "./diff-view-props.ts";
import { FileSection } from "./file-section.tsx";
import { type FoundLine, pieceOfHit } from "./find-lines.ts";
import { fileAt, GAP_HEIGHT, ROW_HEIGHT, type Span } from "./layout.ts";
import { rememberedMode, rememberedWrap, rememberMode, rememberWrap } from "./mode-memory.ts";
import { fileOf, keepFocus, pageHeaderHeight, sectionOf, stuckHeight, visibleBottom } from "./page-parts.ts";
import { hunkPlace, offsetOf, placeAt, type ReadingPlace } from "./reading-place.ts";
import type { DiffMode } from "./rows.ts";
import { SeenFiles } from "./seen-files.ts";
import { moveAcross, widePieces } from "./sideways.ts";
import { CELLS, useCellWidth } from "./use-cell-width.ts";
import { useSearch } from "./use-search.ts";
import { scrollerOf, useViewport } from "./use-viewport.ts";
import "./diff.css";

const WIDE = 900;
/** Below this width the bar takes two lines. */
const TIGHT = 920;
const NARROW = 640;

export function DiffView(props: DiffViewProps) {
  const latest = useRef(props);
  latest.current = props;
  const root = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const cells = useRef<HTMLSpanElement>(null);
  const place = useRef<ReadingPlace | null>(null);
  const onInserted = useRef<(insertion: Insertion) => void>(() => {});
  const drawnTops = useRef<Float64Array | null>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [chosen, setChosen] = useState<DiffMode | null>(null);
  const [isWrapped, setIsWrapped] = useState(rememberedWrap);
  const [focused, setFocused] = useState(-1);
  const [current, setCurrent] = useState(0);

  // The same files, loaded again, are the same diff.
  const content = props.files.map(({ path, oldId, newId }) => `${path}\n${oldId}\n${newId}`).join("\n\n");
  const state = useMemo(
    () =>
      new DiffState(
        props.files,
        (n) => latest.current.load(n),
        () => redraw(undefined),
        {
          context: props.context === undefined ? undefined : (...all) => contextOf(latest.current, ...all),
          inserted: (insertion) => onInserted.current(insertion),
        },
      ),
    [content],
  );
  const seen = useMemo(() => new SeenFiles(state, (n) => latest.current.onSeen(n)), [state]);
  useEffect(() => () => state.stop(), [state]);

  /** The top and bottom of the visible area, in pixels from the top of the list. */
  const seenNow = useCallback((): Span => {
    const top = list.current?.getBoundingClientRect().top ?? 0;
    // SECURITY(T38): what lies behind the bar of the answer was not on the screen.
    return [stuckHeight(bar.current) - top, visibleBottom() - top];
  }, []);
  const onScroll = useCallback(() => {
    // A change that is not drawn yet says nothing about what is on the screen.
    if (drawnTops.current !== state.tops) return;
    const [top, bottom] = seenNow();
    place.current = top > 0 ? placeAt(state, top) : null;
    setCurrent(place.current?.file ?? 0);
    const isOther = seen.look(top, bottom, (n) => widePieces(sectionOf(list.current, n)));
    if (isOther) redraw(undefined);
  }, [state]);
  const viewport = useViewport(list, onScroll);

  const isNarrow = viewport.width < NARROW;
  const mode = chosen ?? (isNarrow ? null : rememberedMode()) ?? (viewport.width >= WIDE ? "split" : "unified");
  const cell = useCellWidth(cells);
  if (viewport.width > 0) state.arrange({ mode, isNarrow, isWrapped, width: viewport.width, cell });
  useLayoutEffect(() => {
    root.current?.style.setProperty("--diff-top", `${pageHeaderHeight()}px`);
  });

  /** Scrolls to the reviewer's position, or as close as possible. */
  const keepPlace = () => {
    if (place.current === null || list.current === null) return;
    const by = offsetOf(state, place.current) - seenNow()[0];
    if (Math.abs(by) >= 1) scrollerOf(list.current).scrollBy({ top: by, behavior: "instant" });
  };
  // A change of height above the reviewer's position must not move it.
  const { tops } = state;
  useLayoutEffect(() => {
    drawnTops.current = tops;
    keepPlace();
  }, [tops]);

  const first = fileAt(tops, viewport.top);
  const last = props.files.length === 0 ? -1 : fileAt(tops, viewport.bottom);
  const near = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
  // Keeps the focused file, otherwise the keyboard would lose its position.
  const drawn = focused < 0 || near.includes(focused) || focused >= props.files.length ? near : [...near, focused];

  useEffect(() => {
    const wanted = near.filter((n) => !state.isFolded(n) && (props.files[n]?.lines ?? 0) > 0);
    if (wanted.length > 0) state.loader.want(wanted);
    onScroll();
  });

  const goTo = (target: ReadingPlace) => {
    place.current = target;
    // Otherwise the layout effect scrolls once the page has its new height.
    if (drawnTops.current === state.tops) keepPlace();
  };
  const focusFile = (n: number) => {
    setFocused(n);
    goTo({ file: n, line: null, below: 0 });
    requestAnimationFrame(() => {
      const button = list.current?.querySelector<HTMLElement>(`[data-file="${n}"] .diff-fold`);
      button?.focus({ preventScroll: true });
    });
  };
  if (props.jump !== undefined)
    props.jump.current = (n) => {
      state.fold(n, false);
      focusFile(n);
    };
  useEffect(() => {
    const n = props.chosen?.current ?? null;
    if (n === null || props.chosen === undefined) return;
    props.chosen.current = null;
    props.jump?.current?.(n);
  }, []);
  const step = (by: 1 | -1) => {
    const [top, bottom] = seenNow();
    const isFocusInView = focused >= 0 && (tops[focused + 1] ?? 0) > top + 1 && (tops[focused] ?? 0) < bottom;
    const at = isFocusInView ? focused : fileAt(tops, top + 1);
    const isInside = top > (tops[at] ?? 0) + 1;
    const isAbove = top < 0 && !isFocusInView;
    // From inside a file, back goes to its beginning.
    const to = isAbove ? 0 : by < 0 && isInside ? at : at + by;
    focusFile(Math.min(Math.max(0, to), props.files.length - 1));
  };
  const stepHunk = (by: 1 | -1) => {
    const target = hunkPlace(state, seenNow()[0], by);
    if (target !== null) goTo(target);
  };
  const stepUnseen = (from = current) => {
    const target = seen.next(from);
    if (target === null) return;
    const { file, line, across } = target;
    state.fold(file, false);
    if (line === null) return focusFile(file);
    if (target.piece !== undefined && target.piece >= state.shownPieces(file, line)) state.showWhole(file, line);
    goTo(target);
    const isFromFile = document.activeElement?.matches(".diff-unseen, .diff-more") === true;
    requestAnimationFrame(() => {
      const section = sectionOf(list.current, file);
      moveAcross(section, across);
      // The pressed button may be gone now.
      if (isFromFile) section?.querySelector<HTMLElement>(".diff-fold")?.focus({ preventScroll: true });
    });
  };
  const setMode = (next: DiffMode) => {
    setChosen(next);
    rememberMode(next);
  };
  const setWrap = (next: boolean) => {
    setIsWrapped(next);
    rememberWrap(next);
  };

  const whereIs = (): FoundLine => {
    const at = placeAt(state, Math.max(0, seenNow()[0]));
    return { file: at.file, line: at.line ?? 0 };
  };
  const showLine = ({ file, line }: FoundLine) => {
    state.fold(file, false);
    const piece = pieceOfHit(state.lines(file), line, search.query);
    if (piece > 0) state.showWhole(file, line);
    const [top, bottom] = seenNow();
    const y = offsetOf(state, { file, line, piece, below: 0 });
    const isInView = y >= top + state.headerHeight + 3 * ROW_HEIGHT && y <= bottom - 4 * ROW_HEIGHT;
    if (!isInView) goTo({ file, line, piece, below: -(bottom - top) / 3 });
    requestAnimationFrame(() => {
      list.current?.querySelector(".is-current mark")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
  };
  const comment = ({ file: n, line }: FoundLine, side?: LinePlace["side"]) => {
    const lines = state.lines(n);
    const file = props.files[n];
    if (lines === null || file === undefined || lines.lines[line] === undefined) return;
    const from = side ?? (lines.lines[line].sign === "-" ? "before" : "after");
    const [numbers, path] = from === "before" ? [lines.oldNumber, file.oldPath] : [lines.newNumber, file.path];
    latest.current.onComment?.({ path, side: from, line: numbers[line] as number });
  };
  const clicked = ({ target }: Event) => {
    const cell = target instanceof Element ? target.closest(".diff-number") : null;
    const { line } = cell?.closest<HTMLElement>("[data-line]")?.dataset ?? {};
    if (cell === null || line === undefined || cell.textContent === "") return;
    comment({ file: fileOf(cell), line: Number(line) }, cell.matches(".is-old") ? "before" : "after");
  };
  const search = useSearch(state, whereIs, showLine);
  onInserted.current = (insertion) => {
    seen.insert(insertion);
    search.insert(insertion);
    const { file, at } = insertion;
    const now = place.current;
    // A line below the insertion keeps its position on the screen. The line at the insertion point gives its position to the
    // inserted lines, so that the pressed row above it stays in place.
    if (now !== null && now.file === file && now.line !== null && now.line > at)
      place.current = { ...now, line: movedLine(now.line, insertion) };
    const asker = document.activeElement?.closest<HTMLElement>("[data-gap]");
    if (asker !== null && asker !== undefined) requestAnimationFrame(() => keepFocus(list.current, file, asker));
  };

  useKeys("Diff", [
    { key: "n", label: "next file", run: () => step(1), repeats: true },
    { key: "p", label: "previous file", run: () => step(-1), repeats: true },
    { key: "j", label: "next change", run: () => stepHunk(1), repeats: true },
    { key: "k", label: "previous change", run: () => stepHunk(-1), repeats: true },
    { key: "u", label: "next not looked at", run: () => stepUnseen(), repeats: true },
    { key: "f", label: "fold or unfold the file", run: () => state.fold(focused >= 0 ? focused : current) },
    { key: "s", label: "side by side or unified", run: () => setMode(state.mode === "split" ? "unified" : "split") },
    { key: "w", label: "wrap long lines, or move them sideways", run: () => setWrap(!isWrapped) },
    { key: "/", label: "find in all files", run: () => field.current?.select() },
    ...(props.onComment === undefined
      ? []
      : [{ key: "c", label: "comment on the line at the top", run: () => comment(whereIs()) }]),
  ]);

  const found = search.found[search.at] ?? null;
  return (
    <div
      ref={root}
      class={`diff${props.onComment === undefined ? "" : " takes-comments"}${isNarrow ? " is-narrow" : viewport.width < TIGHT ? " is-tight" : ""}`}
    >
      <div ref={bar} class="diff-top">
        <DiffBar
          {...{ state, current, search, field, setMode, setWrap, step }}
          left={seen.left}
          stepUnseen={stepUnseen}
        />
      </div>
      <div class="diff-cells" aria-hidden="true">
        <span ref={cells}>{CELLS}</span>
      </div>
      <div
        ref={list}
        class="diff-list"
        style={{ height: `${tops.at(-1) ?? 0}px` }}
        onClick={props.onComment === undefined ? undefined : clicked}
        onFocusCapture={({ target }) => setFocused(fileOf(target))}
        onBlurCapture={() => setFocused(-1)}
      >
        {drawn.map((n) => {
          const top = tops[n] as number;
          const start = top + state.rowsStart(n);
          return (
            <FileSection
              key={n}
              state={state}
              n={n}
              top={top}
              height={(tops[n + 1] as number) - top - GAP_HEIGHT}
              view={state.rowTops(n).between(viewport.top - start, viewport.bottom - start)}
              width={viewport.width}
              cell={cell}
              query={search.query}
              current={found}
              unseen={seen.why(n)}
              showUnseen={() => stepUnseen(n)}
              picture={(at, side) => latest.current.picture(at, side)}
            />
          );
        })}
      </div>
    </div>
  );
}
