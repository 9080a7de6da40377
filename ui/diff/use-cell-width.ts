// How wide one character of the code is in truth: measured in the page, with the font that is there.

import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

const CHARACTERS = 100;
/** What is measured: many, because one is a fraction of a pixel. */
export const CELLS = "0".repeat(CHARACTERS);

/** 0: not known yet. */
export function useCellWidth(cells: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = cells.current;
    if (element === null) return;
    const measure = () => setWidth(element.getBoundingClientRect().width / CHARACTERS);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return width;
}
