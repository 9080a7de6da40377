// Says which process is the first of a box, once the box has run for a while.

import type { RunListener } from "../process/starter.ts";

/** Most calls end before, and cost nothing. */
const AFTER_MS = 1_000;

/** Returns what ends it. `find` returns null while the process is not known, or when it has ended. */
export function noticeRunning({ onRunning }: RunListener, find: () => number | null): () => void {
  if (onRunning === undefined) return () => undefined;
  let withdraw = (): void => undefined;
  const timer = setTimeout(() => {
    const pid = find();
    if (pid !== null) withdraw = onRunning(pid);
  }, AFTER_MS);
  return () => {
    clearTimeout(timer);
    withdraw();
  };
}
