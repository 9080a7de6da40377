// The visible part of an element. It changes only if the difference matters.

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

export interface Viewport {
  /** The range to draw, in pixels from the top of the element: what is visible, with a margin. */
  readonly top: number;
  readonly bottom: number;
  readonly width: number;
}

const STEP = 160;
const ROOM = 240;

export function useViewport(element: RefObject<HTMLElement | null>, onScroll: () => void): Viewport {
  const [viewport, setViewport] = useState<Viewport>({ top: 0, bottom: 0, width: 0 });
  const measure = () => {
    if (element.current === null) return;
    const { top, width } = element.current.getBoundingClientRect();
    const next = {
      top: Math.floor((-top - ROOM) / STEP) * STEP,
      bottom: Math.ceil((innerHeight - top + ROOM) / STEP) * STEP,
      width,
    };
    setViewport((now) => (now.top === next.top && now.bottom === next.bottom && now.width === next.width ? now : next));
  };
  useLayoutEffect(measure);
  useEffect(() => {
    const scrolled = () => {
      measure();
      onScroll();
    };
    // Listens in the capture phase, so that it works for any scrolling ancestor.
    const options = { capture: true, passive: true };
    document.addEventListener("scroll", scrolled, options);
    const observer = new ResizeObserver(scrolled);
    if (element.current !== null) observer.observe(element.current);
    addEventListener("resize", scrolled);
    return () => {
      document.removeEventListener("scroll", scrolled, options);
      observer.disconnect();
      removeEventListener("resize", scrolled);
    };
  }, [onScroll]);
  return viewport;
}

/** The ancestor of `element` that scrolls. */
export function scrollerOf(element: Element): Element {
  for (let at = element.parentElement; at !== null; at = at.parentElement)
    if (/auto|scroll/.test(getComputedStyle(at).overflowY) && at.scrollHeight > at.clientHeight) return at;
  return document.scrollingElement ?? document.documentElement;
}
