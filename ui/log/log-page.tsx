// The record as a live timeline: newest first, grouped by day, with search and filters.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SessionsView, StatsView } from "../../src/web/api.ts";
import { useKeys } from "../keys.ts";
import { useLive } from "../live.ts";
import { useMedia, useRem } from "../media.ts";
import { useResource } from "../resource.ts";
import { linkTo, parseRoute, routeQuery, useHash } from "../route.ts";
import { VirtualList } from "../virtual-list.tsx";
import { EntryRow } from "./entry-row.tsx";
import { FilterBar } from "./filter-bar.tsx";
import "./log.css";
import { filterQuery, isFiltered, type LogFilter, noFilter, readFilter } from "./log-filter.ts";
import { Pictures } from "./pictures.tsx";
import { countText, dayOf, dayText } from "./time-text.ts";
import { itemsOf, type TimelineItem } from "./timeline.ts";
import { useTimeline } from "./use-timeline.ts";

const SOON = 60;

/** The scroll position of the person, and the view of the record it belongs to. */
const lastPosition = { query: "", top: 0 };

export function LogPage() {
  const hash = useHash();
  const query = routeQuery(hash).toString();
  const filter = useMemo(() => readFilter(query), [query]);
  const { state } = useLive();
  const lastSeq = state?.lastSeq ?? null;
  const area = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const isReading = useCallback(() => isInTheMiddle(area.current), []);
  const { timeline, isLoading, error, isFarBehind, loadOlder, showHeld, retry } = useTimeline(
    filter,
    lastSeq,
    isReading,
  );
  const stats = useResource<StatsView>("/api/stats", useSlow(lastSeq));
  const sessions = useResource<SessionsView>("/api/sessions");

  const items = useMemo(() => itemsOf(timeline?.rows ?? [], dayOf), [timeline?.rows]);
  const known = useMemo(() => knownNames(stats.value, sessions.value), [stats.value, sessions.value]);
  const isNarrow = useMedia("(max-width: 48rem)");
  const rowHeight = Math.round(useRem() * (isNarrow ? 4 : 2.375));
  const isAll = timeline !== null && timeline.next === null;

  const onRange = useCallback(
    (_first: number, last: number) => {
      if (last > items.length - SOON) loadOlder();
    },
    [items.length, loadOlder],
  );
  const onChange = useCallback((next: LogFilter) => goToFilter(next), []);
  useKeys("Log", [
    { key: "/", label: "Search", run: () => search.current?.focus() },
    { key: "j", label: "Go into the list; then ↓ ↑", run: () => focusFirst(area.current) },
    { key: "n", label: "Show what is new", run: () => toNew() },
  ]);
  usePlace(query, timeline !== null);

  const toNew = () => {
    showHeld();
    area.current?.scrollIntoView({ block: "start", behavior: "instant" });
  };
  // A person who scrolls back to the top sees new entries without asking.
  useEffect(() => {
    const held = timeline?.held.length ?? 0;
    if (held === 0) return;
    const onScroll = () => {
      if (!isReading()) showHeld();
    };
    addEventListener("scroll", onScroll, { passive: true });
    return () => removeEventListener("scroll", onScroll);
  }, [timeline?.held.length, showHeld]);

  const held = timeline?.held.length ?? 0;
  return (
    <>
      <div class="page-head">
        <h1>Log</h1>
        <p class="quiet" role="status">
          {countWords(filter, timeline?.rows.length ?? null, isAll, isLoading, stats.value)}
        </p>
      </div>
      <Pictures stats={stats.value} />
      <FilterBar filter={filter} known={known} search={search} onChange={onChange} />
      {error !== null && (
        <p class="notice is-high" role="alert">
          {error.message}{" "}
          <button class="button" type="button" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      <div class={`timeline${isLoading && timeline !== null ? " is-old" : ""}`} ref={area} aria-busy={isLoading}>
        <div class="new-entries" aria-live="polite">
          {(held > 0 || isFarBehind) && (
            <button class="button is-main" type="button" onClick={toNew}>
              {isFarBehind ? "Many new" : `${countText(held)} new`}
            </button>
          )}
        </div>
        {items.length > 0 && (
          <VirtualList
            class="panel"
            label="Entries of the record, newest first"
            count={items.length}
            rowHeight={rowHeight}
            keyOf={(index) => items[index]?.key ?? index}
            renderRow={(index) => <Item item={items[index]} query={filter.text} />}
            onRange={onRange}
            {...(isAll ? {} : { total: -1 })}
          />
        )}
        {timeline !== null && items.length === 0 && !isLoading && <Empty filter={filter} />}
        {timeline !== null && items.length > 0 && (
          <p class="quiet timeline-end">{isAll ? endText(filter) : "Older entries come as you scroll."}</p>
        )}
      </div>
    </>
  );
}

function endText(filter: LogFilter): string {
  return isFiltered(filter) ? "No older entry matches." : "The record begins here.";
}

function Item({ item, query }: { readonly item: TimelineItem | undefined; readonly query: string }) {
  if (item === undefined) return null;
  if (item.kind === "entry") return <EntryRow row={item.row} thread={item.thread} query={query} />;
  return <h2 class="timeline-day">{dayText(item.time, Date.now())}</h2>;
}

function Empty({ filter }: { readonly filter: LogFilter }) {
  return (
    <div class="panel panel-body">
      {isFiltered(filter) ? (
        <p>
          No entry matches.{" "}
          <button class="button" type="button" onClick={() => goToFilter(noFilter)}>
            Clear the search
          </button>
        </p>
      ) : (
        <p>Nothing has happened yet. Every call of an agent is written down here, before anything starts.</p>
      )}
    </div>
  );
}

function countWords(
  filter: LogFilter,
  loaded: number | null,
  isAll: boolean,
  isLoading: boolean,
  stats: StatsView | null,
): string {
  if (loaded === null || isLoading) return "";
  if (!isFiltered(filter))
    return stats === null ? "" : `${countText(stats.entries)} entries, ${countText(stats.calls)} calls`;
  if (isAll) return loaded === 1 ? "1 entry matches" : `${countText(loaded)} entries match`;
  return `more than ${countText(loaded)} entries match`;
}

function knownNames(stats: StatsView | null, sessions: SessionsView | null) {
  const rows = sessions?.sessions ?? [];
  return {
    tools: Object.keys(stats?.tools ?? {}).sort(),
    agents: [...new Set(rows.map(({ agent }) => agent))].sort(),
    sessions: rows.slice(0, 200).map(({ name }) => name),
  };
}

function goToFilter(filter: LogFilter): void {
  const query = filterQuery(filter);
  history.replaceState(null, "", query === "" ? linkTo.log() : `${linkTo.log()}?${query}`);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** True if the first entry is out of sight or an entry has the focus. Then no row should move. */
function isInTheMiddle(area: HTMLElement | null): boolean {
  if (area === null) return false;
  const header = document.querySelector(".header")?.getBoundingClientRect().bottom ?? 0;
  return (
    area.getBoundingClientRect().top < header - 8 || area.querySelector("ol")?.contains(document.activeElement) === true
  );
}

function focusFirst(area: HTMLElement | null): void {
  const rows = [...(area?.querySelectorAll<HTMLElement>("[data-row-focus]") ?? [])];
  const inView = rows.filter((row) => row.getBoundingClientRect().top > 60);
  inView.toSorted((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0]?.focus();
}

/** Restores the scroll position when the person opened a call and came back. */
function usePlace(query: string, isThere: boolean): void {
  const isRestored = useRef(false);
  useLayoutEffect(() => {
    if (!isThere || isRestored.current) return;
    const top = lastPosition.query === query ? lastPosition.top : 0;
    // Runs after the frame's effect, which scrolls every view to its top.
    queueMicrotask(() => {
      isRestored.current = true;
      if (top > 0) scrollTo({ top, behavior: "instant" });
    });
  }, [isThere]);
  useEffect(() => {
    const keep = () => {
      // This listener may still receive scroll events of the next view.
      if (isRestored.current && parseRoute(location.hash).name === "log")
        Object.assign(lastPosition, { query, top: scrollY });
    };
    addEventListener("scroll", keep, { passive: true });
    return () => removeEventListener("scroll", keep);
  }, [query]);
}

const PAUSE_MS = 2_000;

/** Counts over the whole record are not repeated for each entry: at most every two seconds. */
function useSlow(lastSeq: number | null): string {
  const [slow, setSlow] = useState(lastSeq);
  const changed = useRef(0);
  useEffect(() => {
    if (lastSeq === slow) return;
    const follow = () => {
      changed.current = Date.now();
      setSlow(lastSeq);
    };
    const timer = setTimeout(follow, Math.max(0, changed.current + PAUSE_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [lastSeq, slow]);
  return String(slow ?? "");
}
