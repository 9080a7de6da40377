// Brings on the screen what came of an act of the person, if it is above or below what they see.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** `what`: looks again when it is another one. */
export function useInView<Shown extends HTMLElement>(what: string): RefObject<Shown | null> {
  const shown = useRef<Shown>(null);
  useLayoutEffect(() => {
    const { current } = shown;
    if (current === null) return;
    const { top } = current.getBoundingClientRect();
    const margin = parseFloat(getComputedStyle(current).scrollMarginTop);
    if (top < margin || top > innerHeight / 2) current.scrollIntoView({ block: "start", behavior: "instant" });
  }, [what]);
  return shown;
}
