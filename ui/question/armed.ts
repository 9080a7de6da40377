// When an answer counts: only from keys and clicks made after the person could see what they answer.
// SECURITY(T28): what was typed or clicked before the question was on the screen answers nothing.

import { useLayoutEffect, useRef } from "preact/hooks";

/** How long something has to be on the screen before it can be answered. */
const ARMED_AFTER_MS = 400;

/** Asked with the event itself: its time is when the key went down, however late we hear of it. */
export type IsArmed = (event: Event) => boolean;

/** Begins anew whenever `shown` changes. */
export function useArmed(shown: string): IsArmed {
  const since = useRef(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    since.current = Number.POSITIVE_INFINITY;
    // The frame after the next one: by then it has been painted.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        since.current = performance.now();
      });
    });
    return () => cancelAnimationFrame(frame);
  }, [shown]);
  return (event) => event.timeStamp - since.current >= ARMED_AFTER_MS;
}
