// Loads the timeline: the first page, older pages while the person scrolls, and new entries as they happen.
// Invariant: the response to an outdated request is discarded.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { LogPage } from "../../src/web/api.ts";
import { type ApiError, get } from "../client.ts";
import { errorOf } from "../resource.ts";
import { filterQuery, type LogFilter, requestQuery } from "./log-filter.ts";
import { firstPage, newestSeq, releaseHeld, type Timeline, withNewer, withOlder } from "./timeline.ts";

export interface TimelineHold {
  /** Null while the first page is loading. */
  readonly timeline: Timeline | null;
  /** True while the entries still belong to the previous filter. */
  readonly isLoading: boolean;
  readonly error: ApiError | null;
  /** True if there are too many new entries to count. Showing them loads the first page again. */
  readonly isFarBehind: boolean;
  readonly loadOlder: () => void;
  readonly showHeld: () => void;
  readonly retry: () => void;
}

const PAGE = 200;
const MOST_NEW_PAGES = 5;

/** Kept while the person looks at one call, so that they return to the same position. */
let left: { readonly query: string; readonly timeline: Timeline; readonly seen: number } | null = null;

/** `isReading`: the person is further down, and nothing should move. */
export function useTimeline(filter: LogFilter, lastSeq: number | null, isReading: () => boolean): TimelineHold {
  const query = filterQuery(filter);
  const came = left?.query === query ? left : null;
  const [timeline, setTimeline] = useState<Timeline | null>(came?.timeline ?? null);
  const [error, setError] = useState<ApiError | null>(null);
  const [isFarBehind, setIsFarBehind] = useState(false);
  const [round, setRound] = useState(0);
  const [isLoading, setIsLoading] = useState(came === null);
  // The current filter and round, which pages are loading, and the number of the last entry up to which everything was seen.
  const work = useRef({ query, round, seen: came?.seen ?? 0, older: true, newer: true, startedAt: Date.now() });
  const current = useRef(timeline);
  current.current = timeline;

  const fetchPage = useCallback(
    async (page: { before?: number; after?: number }): Promise<LogPage | null> => {
      const { query: asked, round: inRound, startedAt } = work.current;
      const path = `/api/log?${requestQuery(filter, { ...page, limit: PAGE }, startedAt)}`;
      const answer = await get<LogPage>(path);
      return work.current.query === asked && work.current.round === inRound ? answer : null;
    },
    [query],
  );

  useEffect(() => {
    const isKept = left?.query === query && round === 0 && current.current !== null;
    work.current = { ...work.current, query, round, older: !isKept, newer: !isKept, startedAt: Date.now() };
    setIsFarBehind(false);
    setError(null);
    setIsLoading(!isKept);
    if (isKept) return;
    const seen = lastSeq ?? 0;
    fetchPage({}).then(
      (page) => {
        if (page === null) return;
        work.current = { ...work.current, older: false, newer: false, seen: Math.max(seen, page.entries[0]?.seq ?? 0) };
        setIsLoading(false);
        setTimeline(firstPage(page));
      },
      (why: unknown) => setError(errorOf(why)),
    );
  }, [query, round]);

  useEffect(() => {
    left = timeline === null || isLoading ? null : { query, timeline, seen: work.current.seen };
  }, [timeline, isLoading]);

  const loadOlder = useCallback(() => {
    const next = current.current?.next ?? null;
    if (work.current.older || next === null) return;
    const mine = work.current;
    mine.older = true;
    fetchPage({ before: next })
      .then(
        (page) => {
          if (page === null) return;
          setError(null);
          setTimeline((now) => (now === null ? now : withOlder(now, page)));
        },
        (why: unknown) => setError(errorOf(why)),
      )
      .finally(() => (mine.older = false));
  }, [fetchPage]);

  useEffect(() => {
    if (timeline === null || lastSeq === null || lastSeq <= work.current.seen || work.current.newer) return;
    const mine = work.current;
    mine.newer = true;
    fetchNewer(fetchPage, Math.max(work.current.seen, newestSeq(timeline)))
      .then(
        (news) => {
          if (news === null) return;
          mine.seen = Math.max(lastSeq, news.entries[0]?.seq ?? 0);
          if (news.isAll) setTimeline((now) => (now === null ? now : withNewer(now, news.entries, isReading())));
          else if (isReading()) setIsFarBehind(true);
          else setRound((count) => count + 1);
        },
        () => undefined, // the next change of the record asks again
      )
      .finally(() => (mine.newer = false));
  }, [lastSeq, timeline]);

  const showHeld = useCallback(() => {
    if (isFarBehind) setRound((count) => count + 1);
    else setTimeline((now) => (now === null ? now : releaseHeld(now)));
  }, [isFarBehind]);
  const retry = () => (isLoading ? setRound((count) => count + 1) : loadOlder());

  return { timeline, isLoading, error, isFarBehind, loadOlder, showHeld, retry };
}

type FetchPage = (page: { before?: number; after?: number }) => Promise<LogPage | null>;

/** The entries after `after`, newest first, up to a limit. */
async function fetchNewer(
  fetchPage: FetchPage,
  after: number,
): Promise<{ entries: LogPage["entries"]; isAll: boolean } | null> {
  const entries: LogPage["entries"][number][] = [];
  let before: number | undefined;
  for (let count = 0; count < MOST_NEW_PAGES; count += 1) {
    const page = await fetchPage({ after, ...(before === undefined ? {} : { before }) });
    if (page === null) return null;
    entries.push(...page.entries);
    if (page.next === null) return { entries, isAll: true };
    before = page.next;
  }
  return { entries, isAll: false };
}
