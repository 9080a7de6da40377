// The end of a program that speaks to other machines: when nothing has come of it for too long, when all of it takes too
// long, or when the caller cancels. SIGTERM, and SIGKILL a second later.

import { limits } from "../shared/limits.ts";
import type { Ending } from "./deadline.ts";

/** How far one waits; what goes on, however slowly, is only bound by the whole. */
export interface TimeAllowed {
  readonly silentMs: number;
  readonly totalMs: number;
}

/** Why it was ended by us. */
export type Cut = "silent" | "late" | "cancelled";

export interface Watch {
  readonly cut: Cut | null;
  /** Something has come, or has gone. */
  alive(): void;
  /** Call when the run is over, or the timers stay. */
  clear(): void;
}

export function startWatch(allowed: TimeAllowed | undefined, signal: AbortSignal | undefined, ending: Ending): Watch {
  let cut: Cut | null = null;
  let killTimer: NodeJS.Timeout | undefined;
  // After a busy moment of ours, timers come before news from other processes.
  let late: NodeJS.Immediate | undefined;
  const end = (why: Cut) => {
    if (cut !== null) return;
    cut = why;
    killTimer = setTimeout(() => ending.kill(), limits.killGraceMs);
    ending.terminate();
  };
  const silence = allowed && setTimeout(() => (late = setImmediate(end, "silent")), allowed.silentMs);
  const total = allowed && setTimeout(end, allowed.totalMs, "late");
  const cancel = () => end("cancelled");
  if (signal?.aborted === true) cancel();
  else signal?.addEventListener("abort", cancel, { once: true });
  return {
    get cut() {
      return cut;
    },
    alive() {
      clearImmediate(late);
      silence?.refresh();
    },
    clear() {
      for (const timer of [silence, total, killTimer]) clearTimeout(timer);
      clearImmediate(late);
      signal?.removeEventListener("abort", cancel);
    },
  };
}
