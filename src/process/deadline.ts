// The end of a run: SIGTERM at the deadline, or when the caller cancels; SIGKILL a second later.

import { limits } from "../shared/limits.ts";

export interface Deadline {
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** Call when the run is over, or the timers stay. */
  clear(): void;
}

export interface Ending {
  terminate(): void;
  kill(): void;
}

export function startDeadline(timeoutMs: number, signal: AbortSignal | undefined, ending: Ending): Deadline {
  let timedOut = false;
  let cancelled = false;
  let killTimer: NodeJS.Timeout | undefined;

  const end = () => {
    clearTimeout(timer);
    if (killTimer !== undefined) return;
    killTimer = setTimeout(() => ending.kill(), limits.killGraceMs);
    ending.terminate();
  };
  // After a busy moment of ours, timers come before news from other processes: the program may be over already.
  let late: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    late = setImmediate(() => {
      timedOut = true;
      end();
    });
  }, timeoutMs);
  const cancel = () => {
    cancelled = !timedOut;
    end();
  };
  if (signal?.aborted === true) cancel();
  else signal?.addEventListener("abort", cancel, { once: true });

  return {
    get timedOut() {
      return timedOut;
    },
    get cancelled() {
      return cancelled;
    },
    clear() {
      clearTimeout(timer);
      clearImmediate(late);
      clearTimeout(killTimer);
      signal?.removeEventListener("abort", cancel);
    },
  };
}
