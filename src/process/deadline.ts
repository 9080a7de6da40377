// Ends a run: SIGTERM at the deadline or when the caller cancels, SIGKILL a second later.

import { limits } from "../shared/limits.ts";

export interface Deadline {
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** Call it when the run is over; otherwise the timers stay active. */
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
  // After the gate was busy, node runs timers before it handles events of other processes. The program may have ended already, so
  // the timer waits for one more turn.
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
