// Searches a diff, including files that are not loaded yet, in steps that keep the page responsive.

import { useEffect, useRef, useState } from "preact/hooks";
import { type Insertion, movedLine } from "./context.ts";
import type { DiffState } from "./diff-state.ts";
import { findLines, type FoundLine } from "./find-lines.ts";

export interface Search {
  readonly query: string;
  readonly found: readonly FoundLine[];
  /** The index of the current match; -1 if there is none yet. */
  readonly at: number;
  readonly isDone: boolean;
  readonly ask: (query: string) => void;
  readonly move: (step: 1 | -1) => void;
  /** Adjusts the matches when lines are inserted. */
  readonly insert: (insertion: Insertion) => void;
}

const PAUSE_MS = 150;
const MOST_FOUND = 100_000;

/** The search begins at the reviewer's position, which `from` returns. */
export function useSearch(state: DiffState, from: () => FoundLine, show: (line: FoundLine) => void): Search {
  const [query, setQuery] = useState("");
  const [found, setFound] = useState<readonly FoundLine[]>([]);
  const [at, setAt] = useState(-1);
  const [isDone, setIsDone] = useState(true);
  const latest = useRef({ from, show });
  latest.current = { from, show };

  useEffect(() => {
    setFound([]);
    setAt(-1);
    setIsDone(query === "");
    if (query === "") return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      searchAll(state, query, stop.signal, (lines, isAll) => {
        setFound(lines);
        setIsDone(isAll);
      }).catch(() => {});
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [state, query]);

  // Shows the first match at or below the reviewer's position as soon as there is one.
  useEffect(() => {
    if (at >= 0 || found.length === 0) return;
    const position = latest.current.from();
    const next = found.findIndex(
      ({ file, line }) => file > position.file || (file === position.file && line >= position.line),
    );
    if (next < 0 && !isDone) return;
    setAt(Math.max(0, next));
    latest.current.show(found[Math.max(0, next)] as FoundLine);
  }, [found, isDone, at]);

  const move = (step: 1 | -1) => {
    if (found.length === 0) return;
    const next = (at + step + found.length) % found.length;
    setAt(next);
    latest.current.show(found[next] as FoundLine);
  };
  const insert = (insertion: Insertion) => {
    const moved = (one: FoundLine): FoundLine =>
      one.file === insertion.file ? { ...one, line: movedLine(one.line, insertion) } : one;
    setFound((now) => now.map(moved));
  };
  return { query, found, at, isDone, ask: setQuery, move, insert };
}

async function searchAll(
  state: DiffState,
  query: string,
  signal: AbortSignal,
  report: (found: readonly FoundLine[], isAll: boolean) => void,
): Promise<void> {
  const found: FoundLine[] = [];
  let toldAt = performance.now();
  for (let file = 0; file < state.files.length && found.length < MOST_FOUND; file += 1) {
    while (state.files[file]?.lines !== 0 && state.lines(file) === null && state.state(file).is !== "failed") {
      const ahead = Array.from({ length: 8 }, (_, step) => file + step);
      state.loader.want(ahead.filter((n) => (state.files[n]?.lines ?? 0) > 0));
      await pause(30);
      if (signal.aborted) return;
    }
    const lines = state.lines(file);
    if (lines === null) continue;
    for (const line of findLines(lines, query)) {
      if (line === null) await pause(0);
      else found.push({ file, line });
      if (signal.aborted) return;
    }
    if (performance.now() - toldAt < 100) continue;
    report([...found], false);
    await pause(0);
    if (signal.aborted) return;
    toldAt = performance.now();
  }
  report(found, true);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
