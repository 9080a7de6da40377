// A list of any length that scrolls with the page. Only the rows in view and the focused row have elements.
// Invariant: the number of elements does not grow with `count`.

import type { ComponentChildren, JSX, TargetedKeyboardEvent } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import "./virtual-list.css";
import { type RowWindow, rowWindow } from "./virtual-window.ts";

export interface VirtualListProps {
  readonly count: number;
  /** In pixels, the same for every row. */
  readonly rowHeight: number;
  readonly label: string;
  /** A key that stays with the row when it moves. */
  readonly keyOf: (index: number) => string | number;
  /** Elements with `data-row-focus` can be reached with the arrow keys. */
  readonly renderRow: (index: number) => ComponentChildren;
  /** Called when other rows come into view; `last` is exclusive. */
  readonly onRange?: (first: number, last: number) => void;
  /** The total number of rows, of which `count` are known so far. */
  readonly total?: number | undefined;
  readonly class?: string;
}

const READY = 12;

export function VirtualList(props: VirtualListProps): JSX.Element {
  const { count, rowHeight, label, keyOf, renderRow, onRange, total } = props;
  const list = useRef<HTMLOListElement>(null);
  const [shown, setShown] = useState<RowWindow>({ first: 0, last: Math.min(count, 2 * READY) });
  const [focused, setFocused] = useState<string | number | null>(null);

  const measure = useCallback(() => {
    if (list.current === null) return;
    const viewTop = -list.current.getBoundingClientRect().top;
    const next = rowWindow({ count, rowHeight, viewTop, viewHeight: innerHeight, ready: READY });
    setShown((now) => (now.first === next.first && now.last === next.last ? now : next));
  }, [count, rowHeight]);

  useLayoutEffect(measure, [measure]);
  useEffect(() => {
    // Listens in the capture phase, so that it works for any scrolling ancestor.
    const options = { capture: true, passive: true };
    document.addEventListener("scroll", measure, options);
    addEventListener("resize", measure);
    measure(); // the page may have scrolled since the first measurement
    return () => {
      document.removeEventListener("scroll", measure, options);
      removeEventListener("resize", measure);
    };
  }, [measure]);
  useEffect(() => onRange?.(shown.first, shown.last), [onRange, shown.first, shown.last]);

  const indexes: number[] = [];
  for (let index = shown.first; index < Math.min(shown.last, count); index += 1) indexes.push(index);
  // Keeps the focused row, otherwise the keyboard would lose its position.
  const kept = focused === null ? -1 : findIndex(count, keyOf, focused, indexes);
  if (kept >= 0 && !indexes.includes(kept)) indexes.push(kept);

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLOListElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey || kept < 0) return;
    const page = Math.max(1, Math.floor(innerHeight / rowHeight) - 2);
    const step = stepOf(event.key, count, page);
    if (step === undefined || list.current === null) return;
    event.preventDefault();
    focusRow(list.current, { from: kept, step, count, rowHeight, measure });
  };

  return (
    <ol
      ref={list}
      class={`virtual-list ${props.class ?? ""}`}
      // oxlint-disable-next-line jsx-a11y/no-redundant-roles -- Safari drops it where the markers are gone
      role="list"
      aria-label={label}
      style={{ height: `${count * rowHeight}px` }}
      onKeyDown={onKeyDown}
      onFocusCapture={(event) => setFocused(rowKey(event.target))}
      onBlurCapture={() => setFocused(null)}
    >
      {indexes.map((index) => (
        <li
          key={keyOf(index)}
          class="virtual-row"
          data-key={keyOf(index)}
          data-index={index}
          aria-posinset={index + 1}
          aria-setsize={total ?? count}
          style={{ height: `${rowHeight}px`, transform: `translateY(${index * rowHeight}px)` }}
        >
          {renderRow(index)}
        </li>
      ))}
    </ol>
  );
}

function stepOf(key: string, count: number, page: number): number | undefined {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: page, PageUp: -page };
  return key === "Home" ? -count : key === "End" ? count : steps[key];
}

function rowKey(target: EventTarget | null): string | null {
  return target instanceof Element ? (target.closest("[data-key]")?.getAttribute("data-key") ?? null) : null;
}

function findIndex(
  count: number,
  keyOf: (index: number) => string | number,
  key: string | number,
  first: readonly number[],
): number {
  const near = first.find((index) => String(keyOf(index)) === String(key));
  if (near !== undefined) return near;
  for (let index = 0; index < count; index += 1) if (String(keyOf(index)) === String(key)) return index;
  return -1;
}

interface Move {
  readonly from: number;
  readonly step: number;
  readonly count: number;
  readonly rowHeight: number;
  readonly measure: () => void;
}

/** Scrolls the next focusable row into view, and focuses it once it exists. */
function focusRow(list: HTMLOListElement, { from, step, count, rowHeight, measure }: Move): void {
  const to = Math.min(Math.max(0, from + step), count - 1);
  const top = list.getBoundingClientRect().top + to * rowHeight;
  const margin = 3 * rowHeight;
  if (top < margin || top + rowHeight > innerHeight - rowHeight) {
    const by = top < margin ? top - margin : top + 2 * rowHeight - innerHeight;
    scrollerOf(list).scrollBy({ top: by, behavior: "instant" });
  }
  measure();
  const focus = (index: number, triesLeft: number) => {
    const row = list.querySelector(`[data-index="${index}"] [data-row-focus]`);
    if (row instanceof HTMLElement) row.focus({ preventScroll: true });
    else if (triesLeft > 0 && index >= 0 && index < count)
      requestAnimationFrame(() =>
        focus(list.querySelector(`[data-index="${index}"]`) === null ? index : index + Math.sign(step), triesLeft - 1),
      );
  };
  focus(to, 4);
}

function scrollerOf(element: Element): Element {
  for (let at = element.parentElement; at !== null; at = at.parentElement)
    if (/auto|scroll/.test(getComputedStyle(at).overflowY) && at.scrollHeight > at.clientHeight) return at;
  return document.scrollingElement ?? document.documentElement;
}
