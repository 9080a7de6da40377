// Decides when an answer counts: only for keys and clicks made after the person could see the question.
// SECURITY(T28): a key or click from before the question was on the screen answers nothing.

import { useLayoutEffect, useRef } from "preact/hooks";

/** How long the question must be on the screen before it can be answered. */
const ARMED_AFTER_MS = 400;

/** Takes the event itself, because its time is when the key went down, however late the page handles it. */
export type IsArmed = (event: Event) => boolean;

/** Starts again whenever `shown` changes. */
export function useArmed(shown: string): IsArmed {
  const since = useRef(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    since.current = Number.POSITIVE_INFINITY;
    // By the frame after the next one, the question has been painted.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        since.current = performance.now();
      });
    });
    return () => cancelAnimationFrame(frame);
  }, [shown]);
  // A script can make an event with any time. Only those of the person are trusted.
  return (event) => event.isTrusted && event.timeStamp - since.current >= ARMED_AFTER_MS;
}
