// Measures the width of one character of code in the page, in the font that the browser uses.

import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

const CHARACTERS = 100;
/** The measured text: many characters, because the width of one is a fraction of a pixel. */
export const CELLS = "0".repeat(CHARACTERS);

/** 0 until it is known. */
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
