// Ends a program that contacts other machines: if it is silent for too long, if it takes too long in total, or if the caller
// cancels. It sends SIGTERM, and SIGKILL a second later.

import { limits } from "../shared/limits.ts";
import type { Ending } from "./deadline.ts";

/** A program that makes progress, however slowly, is limited only by `totalMs`. */
export interface TimeAllowed {
  readonly silentMs: number;
  readonly totalMs: number;
}

/** Why the gate ended the program. */
export type Cut = "silent" | "late" | "cancelled";

export interface Watch {
  readonly cut: Cut | null;
  /** Call it whenever the program has sent or received data. */
  alive(): void;
  /** Call it when the run is over; otherwise the timers stay active. */
  clear(): void;
}

export function startWatch(allowed: TimeAllowed | undefined, signal: AbortSignal | undefined, ending: Ending): Watch {
  let cut: Cut | null = null;
  let killTimer: NodeJS.Timeout | undefined;
  // After the gate was busy, node runs timers before it handles events of other processes.
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
